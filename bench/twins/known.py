"""A page as the judge knows it by its anchor, and what it says of captures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bench.twins.held import held, upright
from bench.twins.labels import Asked
from bench.twins.readings import Readings
from bench.twins.rivals import Glance, glance
from bench.twins.sources import Opened
from bench.twins.trials import WHOLE_PAGE
from edge_clm.config import Ocr
from edge_clm.page.anchor import Anchor, anchor_of
from edge_clm.page.clip import Clip
from edge_clm.page.fields.extract import extract
from edge_clm.page.judge import Comparison, Judge
from edge_clm.page.look import Look
from edge_clm.page.ocr import PageReader
from edge_clm.page.reader import open_reader
from edge_clm.paper import PageText, Quad
from edge_clm.types import Pixels
from edge_clm.weights import shipped


@dataclass(frozen=True, slots=True, eq=False)
class Rig:
    """What it takes to judge pages."""

    reader: PageReader
    readings: Readings
    judge: Judge
    clip: Clip
    reads: bool
    """Whether every capture is read whole before it is compared."""


def open_rig(models: Path, *, reads: bool) -> Rig:
    """A rig of one thread; raises what `open_reader` raises."""
    reader = open_reader(Ocr(threads=1), models)
    judge = Judge(reader, Look.load(shipped("look")))
    return Rig(reader, Readings(reader), judge, Clip.load(models, "docclip"), reads)


@dataclass(frozen=True, slots=True, eq=False)
class Known:
    """A page by its anchor."""

    rig: Rig
    pixels: Pixels
    text: PageText
    anchor: Anchor
    asked: Mapping[str, Asked]
    """What its own text has right, by field."""
    evidence: Mapping[str, tuple[Quad, ...]]
    misread: tuple[str, ...]

    def compare(self, capture: Pixels) -> Comparison:
        """The judge's comparison with a capture."""
        text = self.rig.readings.read(capture) if self.rig.reads else None
        return self.rig.judge.compare(self.anchor, capture, text)

    def signals(self, comparison: Comparison, asked: str) -> dict[str, Any]:
        """What a rule would decide by, of a field or of the whole page."""
        evidence = None if asked == WHOLE_PAGE else self.evidence[asked]
        return asdict(comparison.signals(evidence))

    def glance(self) -> Glance:
        """The anchor as rivals see it."""
        return glance(self.pixels, self.text, self.rig.clip.embed)

    def seen(self, capture: Pixels) -> Glance:
        """A capture as rivals see it."""
        return glance(capture, self.rig.readings.read(capture), self.rig.clip.embed)


def known(rig: Rig, opened: Opened) -> Known:
    """The page of a source."""
    text = rig.readings.read(opened.anchor)
    evidence, misread = {}, []
    for one in opened.asked:
        place = {
            part: upright(opened.placed(part.place), text)
            for part in one.parts
            if opened.placed and part.place
        }
        quads = held(one, text, place)
        if quads is None:
            misread.append(one.field)
        else:
            evidence[one.field] = quads
    return Known(
        rig,
        opened.anchor,
        text,
        anchor_of(opened.anchor, text, extract([(1, text)])),
        {one.field: one for one in opened.asked if one.field in evidence},
        evidence,
        tuple(misread),
    )
