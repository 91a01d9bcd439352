"""Reading a page with an OCR engine: the `TextReader` behind the daemon."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from edge_clm.config import Ocr
from edge_clm.page.detect import Detector
from edge_clm.page.engine import OcrEngine, Places
from edge_clm.page.flaws import flaws_of
from edge_clm.page.geometry import along_text, as_quad, crop, turned
from edge_clm.page.order import reading_order
from edge_clm.page.orient import Orienter
from edge_clm.page.recognise import Recogniser
from edge_clm.page.spacing import spaced
from edge_clm.paper import Line, PageText
from edge_clm.types import Pixels, Reading
from edge_clm.weights import fingerprint

# Counted up whenever this package reads the same pixels with the same weights differently.
_REVISION = 5


class PageReader:
    """OCR with PP-OCR models on either engine. Not thread-safe: one call at a time.

    The engine finds lines and gives probabilities; which way up the page is, where lines are cut
    out, in which order they stand and what the probabilities spell is decided here, for both alike.
    """

    def __init__(self, config: Ocr, engine: OcrEngine, places: Places) -> None:
        """`places` are the models that `engine` was loaded from."""
        self._detector = Detector(engine, config.side)
        self._recogniser = Recogniser(engine)
        self._orienter = (
            Orienter(engine.classify, self._detector, self._recogniser) if engine.classify else None
        )
        self.fingerprint = _fingerprint(config, engine, places)
        self.alphabet: Sequence[str] = engine.alphabet

    def read(self, pixels: Pixels) -> PageText:
        """Finds and reads every line of a page, and what is wrong with the picture.

        A page without text has no lines.
        """
        if self._orienter:
            turn, quads = self._orienter.upright(pixels)
        else:
            turn, quads = 0, along_text(self._detector.find(pixels))
        upright = turned(pixels, turn)
        ordered = [as_quad(quads[index]) for index in reading_order(quads)]
        found: list[Line | None] = [None] * len(ordered)
        for index, reading in self._recogniser.read([crop(upright, quad) for quad in ordered]):
            if text := spaced(reading.text.strip()):
                found[index] = Line(text, ordered[index], reading.confidence)
        lines = tuple(line for line in found if line)
        height, width = upright.shape[:2]
        return PageText(lines, turn, width, height, flaws_of(upright, lines))

    def recognise(self, crops: Sequence[Pixels]) -> list[Reading]:
        """Reads given crops, one line of text each, in order; see `geometry.crop`."""
        readings = dict(self._recogniser.read(crops))
        return [readings[index] for index in range(len(crops))]


def _fingerprint(config: Ocr, engine: OcrEngine, places: Places) -> str:
    shape = {
        "revision": _REVISION,
        "weights": [fingerprint(place) for place in places.all()],
        "engine": config.engine,
        "side": config.side,
        "packages": dict(engine.packages),
    }
    return hashlib.sha256(json.dumps(shape, sort_keys=True).encode()).hexdigest()
