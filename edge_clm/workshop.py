"""The engine's process: everything that touches pixels or weights.

Started as `python -m edge_clm.workshop FD` by `engine`; it ends when its parent does.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import signal
import socket
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from edge_clm import __version__, ground, pointing, worker
from edge_clm.comparing import Comparing, extraction_of, names
from edge_clm.config import Config
from edge_clm.errors import ConfigInvalid, EdgeClmError
from edge_clm.features import Features
from edge_clm.heap import Heap, map_large_blocks
from edge_clm.link import ModelInfo, Ready
from edge_clm.media.fingerprint import fingerprint as media_fingerprint
from edge_clm.model.disk import DiskStates
from edge_clm.model.faults import judged
from edge_clm.model.vlm import QwenModel
from edge_clm.page.fields.extract import extract
from edge_clm.page.reader import open_reader
from edge_clm.page.sibling import differences
from edge_clm.paper import Difference, Extraction, Named, PageText, Quad
from edge_clm.pictures import Pictures
from edge_clm.respondent import Respondent
from edge_clm.types import (
    File,
    Judged,
    Known,
    Seen,
    Step,
    Stop,
    Task,
)

_LARGE = 4 * 1024 * 1024
"""Bytes from which on memory is given back the moment it is free."""
_NICENESS = 5
_PR_SET_PDEATHSIG = 1
_LANES = {
    **dict.fromkeys(("decode", "read", "embed", "prepare", "judge"), "pixels"),
    **dict.fromkeys(("extract", "names", "differ"), "rules"),
    "answer": "model",
}


class Workshop:
    """The methods that the daemon calls; each takes `stop` last."""

    def __init__(self, config: Config) -> None:
        """Loads OCR and model; raises ModelMissing, ModelDamaged or ConfigInvalid."""
        # Left alone, glibc soon takes pictures and activations out of its heap, between what stays.
        map_large_blocks(_LARGE)
        models = Path(config.model.models)
        self._pictures = Pictures(config)
        self._reader = open_reader(config.ocr, models)
        self._model = QwenModel.load(config.model)
        self._respondent = Respondent(self._model, self._pictures)
        recalls = bool(config.recall.model)
        self._comparing = Comparing(config, self._pictures, self._reader) if recalls else None
        self._heap = Heap()
        states, budget = Path(config.memory.directory) / "states", config.model.state_disk_bytes
        self._model.keep_on(DiskStates(states, budget, self.ready().fingerprint))

    def ready(self) -> Ready:
        """What the daemon must know of this engine."""
        reader, model = self._reader.fingerprint, self._model.fingerprint
        shaped_by = [
            "edge_clm",
            __version__,
            f"grounding {ground.RULES}",
            f"pointing {pointing.RULES}",
            media_fingerprint(),
            reader,
            model,
        ]
        if self._comparing:
            shaped_by.append(self._comparing.fingerprint)
        return Ready(
            fingerprint=hashlib.sha256("\n".join(shaped_by).encode()).hexdigest(),
            ocr_fingerprint=hashlib.sha256(f"{media_fingerprint()}\n{reader}".encode()).hexdigest(),
            models=(
                ModelInfo("vision_language", self._model.name, model, self._model.device),
                ModelInfo("ocr", "PP-OCR", reader, "cpu"),
                *self._recalling(),
            ),
            embedder=self._comparing.embedder if self._comparing else None,
        )

    def _recalling(self) -> Sequence[ModelInfo]:
        if self._comparing is None:
            return ()
        made_by = self._comparing.embedder.fingerprint
        return (ModelInfo("embedder", self._comparing.name, made_by, "cpu"),)

    def warm_up(self) -> None:
        """Answers a question about a small page, end to end."""
        canvas = Image.new("RGB", (320, 120), "white")
        ImageDraw.Draw(canvas).text((20, 40), "TOTAL 42.17", fill="black", font_size=32)
        pixels = np.asarray(canvas)
        self._respondent.warm_up(pixels, self._reader.read(pixels))

    def decode(self, file: File, page: int, stop: Stop) -> Seen:
        """Checks and unpacks one page."""
        canonical = self._pictures.of(file, page)
        height, width, _ = canonical.pixels.shape
        return Seen(
            canonical.sha256,
            width,
            height,
            canonical.page,
            canonical.pages,
            canonical.media_type,
        )

    def read(self, file: File, page: int, stop: Stop) -> PageText:
        """Reads the text of one page."""
        text = self._reader.read(self._pictures.of(file, page).pixels)
        self._heap.give_back()
        return text

    def embed(self, file: File, page: int, stop: Stop) -> Features:
        """What a page looks like."""
        return self._compares().embed(file, page)

    def names(self, text: PageText, stop: Stop) -> Named:
        """What tells a page from all others."""
        return Named(names(text), extraction_of(1, text).kind)

    def differ(self, before: PageText, now: PageText, stop: Stop) -> tuple[Difference, ...]:
        """What reads otherwise on a page than on one of the same names."""
        return differences((before, extraction_of(1, before)), (now, extraction_of(1, now)))

    def prepare(self, known: Known, stop: Stop) -> None:
        """Makes ready what captures of a known page will be compared with."""
        self._compares().prepare(known)
        self._heap.give_back()

    def judge(
        self,
        known: Known,
        file: File,
        page: int,
        evidence: Sequence[Quad] | None,
        text: PageText | None,
        stop: Stop,
    ) -> Judged:
        """Whether a capture shows a known page, and on it what boxes of that page show."""
        judged = self._compares().judge(known, file, page, evidence, text)
        self._heap.give_back()
        return judged

    def _compares(self) -> Comparing:
        if self._comparing is None:
            raise ConfigInvalid("captures are not recalled: recall.model is empty")
        return self._comparing

    def extract(self, pages: Sequence[tuple[int, PageText]], stop: Stop) -> Extraction:
        """What stands on numbered pages of one document."""
        return extract(pages)

    def answer(self, task: Task, stop: Stop) -> Iterator[Step]:
        """Answers a question over the page state, made first where it is missing."""
        yield from self._respondent.answer(task, stop)
        self._heap.give_back()


def _report(name: str, error: BaseException) -> None:
    """Logs a fault by kind and place; its text may hold content and is left out."""
    line = {
        "event": "engine_fault",
        "level": "error",
        "id": name,
        "error": type(error).__name__,
        "frames": worker.frames(error),
    }
    print(json.dumps(line), file=sys.stderr, flush=True)


def _denied(error: Exception) -> ConfigInvalid | None:
    """What this process may not read is for whoever runs the daemon to put right."""
    if not isinstance(error, PermissionError):
        return None
    return ConfigInvalid(f"{error.filename} cannot be read: {error.strerror}")


def main() -> None:
    """Runs the engine's process on the socket whose file descriptor is the only argument."""
    sock = socket.socket(fileno=int(sys.argv[1]))
    os.nice(_NICENESS)  # the event loop comes first
    # While it loads it does not listen, and must not outlive a parent that is killed meanwhile.
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    for number in (signal.SIGINT, signal.SIGTERM):  # the daemon decides when the engine ends
        signal.signal(number, signal.SIG_IGN)
    if (message := worker.receive(sock)) is None:
        return
    try:
        workshop = Workshop(Config.model_validate_json(message[1]))
        workshop.warm_up()
    except Exception as error:
        told = judged(error) or _denied(error) or error
        if not isinstance(told, EdgeClmError):
            _report("start", error)
            sys.exit(1)
        sock.sendall(worker.pack((worker.FAIL, 0, told)))
        sys.exit(told.exit_code)
    worker.Host(sock, workshop, _LANES, _report, judged).run(workshop.ready())


if __name__ == "__main__":
    main()
