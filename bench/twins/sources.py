"""Pages that are known, and how they are photographed again: real photos, scans and generated pages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from bench.twins.labels import Asked, asked_of_generated, asked_of_invoice, asked_of_receipt
from bench.twins.readings import Readings
from edge_clm.config import Limits
from edge_clm.media.decode import decode
from edge_clm.page.geometry import turned
from edge_clm.paper import PageKind, PageText, Quad
from edge_clm.train.capture import Warp, plan_capture
from edge_clm.train.pages.draw import chance
from edge_clm.train.pages.make import page_of
from edge_clm.types import Pixels

Placed = Callable[[Quad], Quad]
"""From places on a sheet to places on a capture, both as the pixels lie."""


@dataclass(frozen=True, slots=True, eq=False)
class Opened:
    """A source with its pictures."""

    picture: Pixels
    """What is edited: upright."""
    text: PageText
    """The OCR's, of the picture."""
    asked: tuple[Asked, ...]
    anchor: Pixels
    """The capture by which the page is known."""
    placed: Placed | None
    """Where places of the picture lie on the anchor; None where only the OCR can tell."""
    photographed: Callable[[Pixels], Pixels]
    """A capture of the picture, edited or not: always the same photograph."""


@dataclass(frozen=True, slots=True)
class Source(ABC):
    """One page of a set."""

    name: str
    document: str
    """Names the paper; photos of one paper share it."""
    sort: str
    """inv3d, sroie, invoice, receipt, lab_report or radiology_report."""
    seed: int

    @property
    def real(self) -> bool:
        """Whether its captures are real photos."""
        return False

    @abstractmethod
    def opened(self, readings: Readings) -> Opened:
        """Its pictures."""


@dataclass(frozen=True, slots=True)
class Photo(Source):
    """A real photo; the page is known by another photo of the same paper."""

    path: Path
    known_by: Path

    @property
    def real(self) -> bool:
        """A photo is edited in place: its own bend, light and blur stay."""
        return True

    def itself(self) -> Photo:
        """The photo as the anchor of its page."""
        return replace(self, known_by=self.path)

    def opened(self, readings: Readings) -> Opened:
        """Its pictures."""
        pixels = pixels_of(self.path)
        text = readings.read(pixels)
        return Opened(
            turned(pixels, text.turn),
            text,
            asked_of_invoice(self.path.parent),
            pixels_of(self.known_by),
            None,
            lambda picture: turned(picture, 360 - text.turn),
        )


@dataclass(frozen=True, slots=True)
class Scan(Source):
    """A scanned receipt, photographed twice by simulation."""

    path: Path

    def itself(self) -> Scan:
        """A scan is known by a photograph of it as it is."""
        return self

    def opened(self, readings: Readings) -> Opened:
        """Its pictures."""
        pixels = pixels_of(self.path)
        text = readings.read(pixels)
        return _simulated(self, turned(pixels, text.turn), text, asked_of_receipt(self.path))


@dataclass(frozen=True, slots=True)
class Generated(Source):
    """A generated page of the test split, photographed twice by simulation."""

    kind: PageKind
    number: int
    reports: Path
    """Texts of radiology reports."""

    def opened(self, readings: Readings) -> Opened:
        """Its pictures."""
        page = page_of(self.kind, self.number, "test", self.reports, frozenset({"en"}))
        pixels = np.ascontiguousarray(page.image)
        text = readings.read(pixels)
        # Places of the page would lie elsewhere on a picture that was turned, and no page stands on its head.
        asked = asked_of_generated(page) if not text.turn else ()
        return _simulated(self, turned(pixels, text.turn), text, asked)


def pixels_of(path: Path) -> Pixels:
    """A file's canonical pixels."""
    return decode(path.read_bytes(), 1, Limits()).pixels


def _simulated(source: Source, picture: Pixels, text: PageText, asked: tuple[Asked, ...]) -> Opened:
    size = picture.shape[1], picture.shape[0]
    anchor, again = (
        plan_capture(size, chance(source.seed, source.name, which).getrandbits(31))
        for which in ("anchor", "again")
    )
    upright = PageText(text.lines, 0, text.width, text.height, text.flaws)
    return Opened(
        picture,
        upright,
        asked,
        anchor.apply(picture).pixels,
        lambda quad: _carried(anchor.warp, quad),
        lambda edited: again.apply(edited).pixels,
    )


def _carried(warp: Warp, quad: Quad) -> Quad:
    a, b, c, d = ((float(x), float(y)) for x, y in warp.to_capture(np.asarray(quad, np.float64)))
    return a, b, c, d
