"""Two captures compared as the daemon would compare them, for whoever wants to see why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from edge_clm.config import Config
from edge_clm.media.decode import decode
from edge_clm.page.anchor import anchor_of
from edge_clm.page.fields.extract import extract
from edge_clm.page.geometry import Ribbon
from edge_clm.page.judge import Comparison, Judge
from edge_clm.page.look import Look
from edge_clm.page.reader import open_reader
from edge_clm.page.rule import Ruling, Signals, Thresholds, rule
from edge_clm.page.thresholds import load_thresholds
from edge_clm.paper import Extraction, Quad
from edge_clm.types import Pixels
from edge_clm.weights import shipped


@dataclass(frozen=True, slots=True)
class Wanted:
    """An answer that the known page has given, and whether the other capture may be given it."""

    name: str
    """Of the field; empty for an answer about the whole page."""
    value: str
    """As it was read on the known page."""
    signals: Signals
    ruling: Ruling


@dataclass(frozen=True, slots=True, eq=False)
class Compared:
    """A known page and a capture, and what became of every line."""

    known: Pixels
    """Upright."""
    capture: Pixels
    wanted: tuple[Wanted, ...]
    lines: tuple[tuple[Quad, Ribbon, float], ...]
    """Where each line lies on the known page and on the capture, and its ratio in nats; none where
    the page was not found."""
    stages: dict[str, float]
    """Milliseconds by stage."""


def compared(
    config: Config, known: bytes, capture: bytes, pages: tuple[int, int], *, read: bool
) -> Compared:
    """Reads one page of a document and looks for it on a page of another.

    `pages` count from 1; `read`: whether the other is read as well, so that its words help to find it. Raises the image errors of `errors`, ModelMissing, ModelDamaged and
    ConfigInvalid.
    """
    thresholds = load_thresholds(shipped("identity"))
    one, other = (
        decode(data, page, config.limits).pixels
        for data, page in zip((known, capture), pages, strict=True)
    )
    reader = open_reader(config.ocr, Path(config.model.models))
    text = reader.read(one)
    extraction = extract([(1, text)])
    anchor = anchor_of(one, text, extraction)
    judge = Judge(reader, Look.load(shipped("look")))
    comparison = judge.compare(anchor, other, reader.read(other) if read else None)
    wanted = tuple(_wanted(extraction, comparison, thresholds))
    return Compared(anchor.picture, other, wanted, comparison.lines(), comparison.stages)


def _wanted(read: Extraction, comparison: Comparison, thresholds: Thresholds) -> Sequence[Wanted]:
    asked = [
        (field.name, field.best.raw, [one.quad for one in field.best.evidence])
        for field in read.fields
        if field.best.evidence
    ]
    told = [(name, raw, comparison.signals(quads)) for name, raw, quads in asked]
    whole = ("", "", comparison.signals(None))
    return [Wanted(*one, rule(one[2], thresholds)) for one in (*told, whole)]
