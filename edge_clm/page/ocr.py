"""Reading a page with PaddleOCR: the `TextReader` behind the daemon."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

from edge_clm.config import Ocr
from edge_clm.page.detect import Detector
from edge_clm.page.geometry import along_text, as_quad, crop, turned
from edge_clm.page.order import reading_order
from edge_clm.page.orient import Orienter
from edge_clm.page.recognise import Recogniser
from edge_clm.page.runtime import threads_of
from edge_clm.paper import Line, PageText
from edge_clm.types import Pixels, Reading
from edge_clm.weights import fingerprint, locate

# Counted up whenever this package reads the same pixels with the same weights differently.
_REVISION = 1
_PACKAGES = ("paddleocr", "paddlex", "cv2", "numpy")


class PaddleReader:
    """OCR with PP-OCR models through PaddleOCR. Not thread-safe: one call at a time.

    PaddleOCR's modules are driven one by one and not through its pipeline, which turns pages over on
    the word of its classifier, hides the recogniser's probabilities and pads every crop to 320
    pixels. Each model is in memory once.
    """

    def __init__(self, config: Ocr, models: Path) -> None:
        """Loads the models; raises ModelMissing, ModelDamaged or ConfigInvalid."""
        names = [config.detector, config.recogniser, *filter(None, [config.orienter])]
        places = [locate(models, name) for name in names]
        engine, threads = config.engine, threads_of(config.threads)
        self._detector = Detector(places[0], engine, threads, config.side)
        self._recogniser = Recogniser(places[1], engine, threads)
        self._orienter = (
            Orienter(places[2], engine, threads, self._detector, self._recogniser)
            if config.orienter
            else None
        )
        self.fingerprint = _fingerprint(config, places)
        self.alphabet: Sequence[str] = self._recogniser.alphabet

    def read(self, pixels: Pixels) -> PageText:
        """Finds and reads every line of a page; a page without text has no lines."""
        if self._orienter:
            turn, quads = self._orienter.upright(pixels)
        else:
            turn, quads = 0, along_text(self._detector.find(pixels))
        upright = turned(pixels, turn)
        ordered = [as_quad(quads[index]) for index in reading_order(quads)]
        lines: list[Line | None] = [None] * len(ordered)
        for index, reading in self._recogniser.read([crop(upright, quad) for quad in ordered]):
            if reading.text.strip():
                lines[index] = Line(reading.text.strip(), ordered[index], reading.confidence)
        height, width = upright.shape[:2]
        return PageText(tuple(line for line in lines if line), turn, width, height)

    def recognise(self, crops: Sequence[Pixels]) -> list[Reading]:
        """Reads given crops, one line of text each, in order; see `geometry.crop`."""
        readings = dict(self._recogniser.read(crops))
        return [readings[index] for index in range(len(crops))]


def _fingerprint(config: Ocr, places: list[Path]) -> str:
    shape = {
        "revision": _REVISION,
        "weights": [fingerprint(place) for place in places],
        "engine": config.engine,
        "side": config.side,
        "packages": {name: import_module(name).__version__ for name in (*_PACKAGES, config.engine)},
    }
    return hashlib.sha256(json.dumps(shape, sort_keys=True).encode()).hexdigest()
