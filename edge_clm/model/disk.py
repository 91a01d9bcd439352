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
_WAITING = 2
"""States that wait to be written, at most: each is held in memory."""


class DiskStates:
    """Page states of one model in a directory, within a byte budget; the least recently used go first.

    Written in the background, whole or not at all, and readable by the owner alone. A file that is damaged, or
    whose state cannot be read, is removed: the state is then made anew. Files of another model are removed at the
    start.
    """

    def __init__(self, directory: Path, budget: int, fingerprint: str) -> None:
        """`budget`: bytes, 0 to keep nothing; raises OSError where the directory cannot be used."""
        self._directory = directory
        self._budget = budget
        self._prefix = fingerprint[:16]
        self._lock = threading.Lock()
        self._files: OrderedDict[str, int] = OrderedDict()
        self._waiting: queue.Queue[tuple[str, PageState]] = queue.Queue(_WAITING)
        self._writer: threading.Thread | None = None
        self._pause_until = 0.0
        if directory.exists() or budget:
            self._open()

    @property
    def bytes(self) -> int:
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
            state = _decoded((self._directory / name).read_bytes())
            os.utime(self._directory / name)
        except (OSError, ValueError, SafetensorError) as error:
            log.warning("a page state on the disk cannot be read: %s", type(error).__name__)
            self._remove(name)
            return None
        return state

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
                self._write(self._name(key), state)
            except Exception as error:
                # Whatever it is, the states that come later must not wait for ever.
                self._pause_until = time.monotonic() + _PAUSE_S
                log.warning("page states are not kept on the disk: %s", type(error).__name__)
            finally:
                self._waiting.task_done()

    def _write(self, name: str, state: PageState) -> None:
        data = b"" if name in self._files else _encoded(state)
        if not data or len(data) > self._budget:
            return
        self._make_room(len(data))
        if shutil.disk_usage(self._directory).free < _FREE + len(data):
            raise OSError("too little room is left on the disk")
        part = self._directory / (name + _PART)
        try:
            with os.fdopen(_private(part), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            part.rename(self._directory / name)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        with self._lock:
            self._files[name] = len(data)

    def _make_room(self, wanted: int) -> None:
        while self._files and self.bytes + wanted > self._budget:
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
            if path.suffix == _PART or not path.name.startswith(self._prefix):
                path.unlink()
            else:
                told = path.stat()
                found.append((told.st_mtime_ns, path.name, told.st_size))
        self._files.update((name, size) for _, name, size in sorted(found))
        self._make_room(0)

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
    return hashlib.sha256(data).digest() + data


def _decoded(data: bytes) -> PageState:
    """Raises ValueError for one that is not as it was written."""
    digest, payload = data[:_DIGEST], memoryview(data)[_DIGEST:]
    if hashlib.sha256(payload).digest() != digest:
        raise ValueError("a page state is damaged")
    tensors = load(bytes(payload))
    layers = (len(tensors) - 2) // 2
    kv = tuple((tensors[f"{at}.keys"], tensors[f"{at}.values"]) for at in range(layers))
    delta, dropped_lines = tensors["about"].tolist()
    return PageState(kv, tuple(tensors["ids"].tolist()), delta, dropped_lines)
