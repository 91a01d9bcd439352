"""Page states on the disk: what a page took to make is there again after a restart, and when memory is full."""

from __future__ import annotations

import hashlib
import logging
import os
import queue
import shutil
import threading
import time
from collections import OrderedDict
from contextlib import suppress
from pathlib import Path

import torch
from safetensors import SafetensorError
from safetensors.torch import load, save

from edge_clm.model.state import PageState

log = logging.getLogger(__name__)

_SUFFIX, _PART = ".state", ".part"
_DIGEST = 32
"""Bytes of SHA-256 before the tensors: what rots on a disk must not become an answer."""
_FREE = 1 << 30
"""Bytes that stay free on the disk: captures and answers matter more."""
_PAUSE_S = 60.0
"""How long nothing is written after a write that failed."""
_WAITING = 1
"""States that wait to be written, at most, beside the one that is: each is held in memory, whatever its budget."""


class DiskStates:
    """Page states of one model in a directory, within a byte budget; the least recently used go first.

    Written in the background, whole or not at all, and readable by the owner alone. A file that is damaged, or
    was written for another page, or cannot be read, is removed: the state is then made anew. What was made
    otherwise, by another model or OCR, is removed at the start. A directory that cannot be used costs the states.
    """

    def __init__(self, directory: Path, budget: int, fingerprint: str) -> None:
        """`budget`: bytes, 0 to keep nothing; `fingerprint`: of all that shapes a state, the page's text included."""
        self._directory = directory
        self._budget = budget
        self._fingerprint = fingerprint
        self._prefix = fingerprint[:16]
        self._lock = threading.Lock()
        self._files: OrderedDict[str, int] = OrderedDict()
        self._waiting: queue.Queue[tuple[str, PageState]] = queue.Queue(_WAITING)
        self._writer: threading.Thread | None = None
        self._pause_until = 0.0
        try:
            if directory.exists() or budget:
                self._open()
        except OSError as error:
            self._budget = 0
            log.warning("no page states are kept on the disk: %s", error.strerror)

    @property
    def size(self) -> int:
        """Bytes of all files."""
        with self._lock:
            return sum(self._files.values())

    def __contains__(self, key: str) -> bool:
        with self._lock:
            return self._name(key) in self._files

    def get(self, key: str) -> PageState | None:
        """The state of a key, on the CPU; None where there is none or it can no longer be read."""
        name = self._name(key)
        with self._lock:
            if name not in self._files:
                return None
            self._files.move_to_end(name)
        try:
            state = _decoded((self._directory / name).read_bytes(), self._bound(key))
        except (OSError, ValueError, SafetensorError) as error:
            log.warning("a page state on the disk cannot be read: %s", type(error).__name__)
            self._remove(name)
            return None
        with suppress(OSError):
            os.utime(self._directory / name)
        return state

    def forget(self, key: str) -> None:
        """Removes the state of a key: it has been made anew."""
        if key in self:
            self._remove(self._name(key))

    def keep(self, key: str, state: PageState) -> None:
        """Has a state written in the background, unless it is there, or too much waits to be written."""
        if key in self or not self._budget or time.monotonic() < self._pause_until:
            return
        if self._writer is None:
            self._writer = threading.Thread(target=self._write_on, name="states", daemon=True)
            self._writer.start()
        with suppress(queue.Full):
            self._waiting.put_nowait((key, state))

    def settled(self) -> None:
        """Returns once nothing waits to be written."""
        self._waiting.join()

    def _write_on(self) -> None:
        while True:
            key, state = self._waiting.get()
            try:
                self._write(key, state)
            except Exception as error:
                # Whatever it is, the states that come later must not wait for ever.
                self._pause_until = time.monotonic() + _PAUSE_S
                log.warning("page states are not kept on the disk: %s", type(error).__name__)
            finally:
                self._waiting.task_done()

    def _write(self, key: str, state: PageState) -> None:
        name = self._name(key)
        data = b"" if name in self._files else _encoded(state)
        size = _DIGEST + len(data)
        if not data or size > self._budget:
            return
        if shutil.disk_usage(self._directory).free < _FREE + size:
            raise OSError("too little room is left on the disk")
        self._make_room(size)
        part = self._directory / (name + _PART)
        try:
            with os.fdopen(_private(part), "wb") as file:
                file.write(_digest(self._bound(key), data))
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.rename(self._directory / name)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        with self._lock:
            self._files[name] = size

    def _make_room(self, wanted: int) -> None:
        while self._files and self.size + wanted > self._budget:
            self._remove(next(iter(self._files)))

    def _remove(self, name: str) -> None:
        with self._lock:
            self._files.pop(name, None)
        (self._directory / name).unlink(missing_ok=True)

    def _open(self) -> None:
        """Takes over what an earlier process of this model has left, oldest first."""
        self._directory.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = []
        for path in self._directory.iterdir():
            if not path.is_file():
                continue
            if path.suffix == _PART or not path.name.startswith(self._prefix):
                path.unlink()
            else:
                told = path.stat()
                found.append((told.st_mtime_ns, path.name, told.st_size))
        self._files.update((name, size) for _, name, size in sorted(found))
        self._make_room(0)

    def _bound(self, key: str) -> bytes:
        """What goes under the digest beside the tensors: whose state it is."""
        return f"{self._fingerprint}\n{key}\n".encode()

    def _name(self, key: str) -> str:
        return f"{self._prefix}-{hashlib.sha256(key.encode()).hexdigest()}{_SUFFIX}"


def _private(path: Path) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)


def _encoded(state: PageState) -> bytes:
    about = (state.delta, state.dropped_lines)
    tensors = {"ids": torch.tensor(state.ids), "about": torch.tensor(about)}
    for at, (keys, values) in enumerate(state.kv):
        tensors[f"{at}.keys"] = keys.cpu().contiguous()
        tensors[f"{at}.values"] = values.cpu().contiguous()
    data: bytes = save(tensors)
    return data


def _digest(bound: bytes, data: bytes | memoryview) -> bytes:
    digest = hashlib.sha256(bound)
    digest.update(data)
    return digest.digest()


def _decoded(data: bytes, bound: bytes) -> PageState:
    """Raises ValueError for one that is not as it was written, or was written for another page."""
    payload = memoryview(data)[_DIGEST:]
    if _digest(bound, payload) != data[:_DIGEST]:
        raise ValueError("a page state is damaged")
    tensors = load(bytes(payload))
    layers = (len(tensors) - 2) // 2
    kv = tuple((tensors[f"{at}.keys"], tensors[f"{at}.values"]) for at in range(layers))
    delta, dropped_lines = tensors["about"].tolist()
    return PageState(kv, tuple(tensors["ids"].tolist()), delta, dropped_lines)
