"""A generated page and everything that is true of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from edge_clm.paper import Line, PageKind, PageText, Quad
from edge_clm.values.value import Value

Split = Literal["train", "test"]
Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


@dataclass(frozen=True, slots=True)
class Truth:
    """What a field says."""

    text: str
    """As printed; lines are joined by a space."""
    value: Value
    boxes: tuple[Quad, ...]
    """One for each printed line of it, in pixels of the page."""


@dataclass(frozen=True, slots=True)
class Word:
    """A printed word; words of one line of print, as an OCR would find it, share `line`."""

    text: str
    quad: Quad
    line: int


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that only pixels tell: it is never among the words."""

    sort: str
    """stamp, strike, correction, signature, tick, blank or colour."""
    text: str
    """What a stamp or a hand says, the label of a box that is ticked (or blank), or a colour's name."""
    colour: str
    quad: Quad
    about: str = ""
    """The field that is struck out, corrected or coloured; empty for marks of the whole page."""


@dataclass(frozen=True, slots=True)
class GeneratedTable:
    """Rows of named cells; a cell that is not printed is missing."""

    name: str
    rows: tuple[Mapping[str, Truth], ...]


@dataclass(frozen=True, slots=True)
class GeneratedPage:
    """A rendered page with its ground truth."""

    kind: PageKind
    language: str
    """ISO 639-1."""
    image: NDArray[np.uint8]
    """(height, width, 3), RGB."""
    fields: Mapping[str, Truth]
    words: tuple[Word, ...]
    """In reading order."""
    tables: tuple[GeneratedTable, ...]
    marks: tuple[Mark, ...]
    layout: str
    """The choices that make the layout; equal for pages that are laid out alike."""
    fonts: tuple[str, ...]
    """Families on the page."""
    wordings: tuple[str, ...]
    """The label paraphrases on the page, as `language.concept.paraphrase`."""
    date_order: Literal["dmy", "mdy", "ymd"]
    """How the page's all-numeric dates run."""
    decimal: str
    """The page's decimal mark."""

    def text(self) -> PageText:
        """The words as a perfect OCR would return them: one line for each line of print."""
        groups: dict[int, list[Word]] = {}
        for word in self.words:
            groups.setdefault(word.line, []).append(word)
        lines = tuple(
            Line(" ".join(w.text for w in group), box(*around([w.quad for w in group])), 1.0)
            for group in groups.values()
        )
        height, width = self.image.shape[:2]
        return PageText(lines, 0, width, height)


def box(left: float, top: float, right: float, bottom: float) -> Quad:
    """The upright quad of a box."""
    return (left, top), (right, top), (right, bottom), (left, bottom)


def around(quads: Sequence[Quad]) -> Box:
    """The smallest box that holds them all."""
    xs = [x for quad in quads for x, _ in quad]
    ys = [y for quad in quads for _, y in quad]
    return min(xs), min(ys), max(xs), max(ys)
