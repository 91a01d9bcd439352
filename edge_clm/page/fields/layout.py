"""Where the words of a page stand once its tilt and curl are taken out.

    layout = layout_of(text, number)       # one page; number counts from 1
    layout.cells                           # every line of OCR, in reading order: a Cell
    layout.rows                            # visual rows from top to bottom: tuples of Cells, left to right
    layout.row_of(cell)                    # the row it stands in
    layout.right_of(cell)                  # its neighbours to the right in the row, nearest first
    layout.left_of(cell)                   # the same to the left
    layout.below(cell, rows=3)             # cells of the next rows that it covers from above, nearest first
    layout.above(cell, rows=3)             # the same upwards
    cell.whole, cell.part(3, 9)            # a Span: some characters of a cell
    cell.words()                           # its words as Spans
    span.text, span.left, span.right       # what it says, and where: cut in proportion to characters
    layout.evidence(span)                  # its box on the picture, as the contract wants it

`left`, `right`, `level` and `height` are pixels on the flattened page: cells of one row have about the
same `level`, cells of one column about the same `left` (or `right`, or middle). `quad` is the box on
the picture, tilt and all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from edge_clm.page.fields.levels import Array, aligned
from edge_clm.page.order import unbent
from edge_clm.paper import Evidence, PageText, Quad

# How far, in heights, a cell may lie from the one it continues the row of.
_APART = 0.6
# How much of the narrower of two cells must lie under the other for them to share a column.
_COVERED = 0.3
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Cell:
    """One line of OCR on the flattened page."""

    index: int
    """Its place among the lines of the page's text."""
    row: int
    """Its place among the layout's rows."""
    text: str
    quad: Quad
    confidence: float
    left: float
    right: float
    level: float
    """Height of its middle on the flattened page, growing downwards."""
    height: float

    @property
    def whole(self) -> Span:
        """All of it."""
        return Span(self, 0, len(self.text))

    @property
    def middle(self) -> float:
        """Half-way between left and right."""
        return (self.left + self.right) / 2

    def part(self, start: int, end: int) -> Span:
        """The characters from `start` to `end`, without spaces around them."""
        text = self.text[start:end]
        start += len(text) - len(text.lstrip())
        return Span(self, start, start + len(text.strip()))

    def words(self) -> list[Span]:
        """Its words, from left to right."""
        return [Span(self, *match.span()) for match in _WORD.finditer(self.text)]


@dataclass(frozen=True, slots=True)
class Span:
    """Some characters of a cell."""

    cell: Cell
    start: int
    """Index of the first character."""
    end: int
    """Index behind the last one."""

    @property
    def text(self) -> str:
        """What it says."""
        return self.cell.text[self.start : self.end]

    @property
    def left(self) -> float:
        """Where it starts, if all characters were equally wide."""
        return self._at(self.start)

    @property
    def right(self) -> float:
        """Where it ends."""
        return self._at(self.end)

    @property
    def middle(self) -> float:
        """Half-way between left and right."""
        return (self.left + self.right) / 2

    def _at(self, index: int) -> float:
        cell = self.cell
        return cell.left + (cell.right - cell.left) * index / max(len(cell.text), 1)


@dataclass(frozen=True, slots=True)
class Layout:
    """A page's cells and the rows they stand in."""

    number: int
    """Which page of the document, from 1."""
    text: PageText
    cells: tuple[Cell, ...]
    rows: tuple[tuple[Cell, ...], ...]

    def row_of(self, cell: Cell) -> tuple[Cell, ...]:
        """The row that the cell stands in."""
        return self.rows[cell.row]

    def right_of(self, cell: Cell) -> list[Cell]:
        """Neighbours to the right in the row, nearest first."""
        row = self.row_of(cell)
        return list(row[row.index(cell) + 1 :])

    def left_of(self, cell: Cell) -> list[Cell]:
        """Neighbours to the left in the row, nearest first."""
        row = self.row_of(cell)
        return list(reversed(row[: row.index(cell)]))

    def below(self, cell: Cell, rows: int = 3) -> list[Cell]:
        """Cells of the next `rows` rows that stand under the cell, nearest first."""
        return self._covered(cell, self.rows[cell.row + 1 : cell.row + 1 + rows])

    def above(self, cell: Cell, rows: int = 3) -> list[Cell]:
        """Cells of the `rows` rows before that stand over the cell, nearest first."""
        return self._covered(cell, self.rows[max(cell.row - rows, 0) : cell.row][::-1])

    def evidence(self, span: Span) -> Evidence:
        """The span's box on the picture, cut from its line in proportion to characters."""
        line = self.text.lines[span.cell.index]
        return Evidence(span.text, line.part(span.start, span.end), self.number)

    def _covered(self, cell: Cell, rows: Sequence[tuple[Cell, ...]]) -> list[Cell]:
        return [other for row in rows for other in row if shared(cell, other) >= _COVERED]


def layout_of(text: PageText, number: int = 1) -> Layout:
    """Flattens a page and finds its rows; a blank page has none."""
    if not text.lines:
        return Layout(number, text, (), ())
    points = np.asarray([line.quad for line in text.lines], np.float64)
    level, across, fall = unbent(points)
    wide, high = _sides(points)
    level = aligned(level, across, fall, wide, high)
    rows = tuple(
        tuple(_cell(text, int(i), place, (across[i], level[i], wide[i], high[i])) for i in row)
        for place, row in enumerate(_rows(level, across, wide, high))
    )
    return Layout(number, text, tuple(cell for row in rows for cell in row), rows)


def shared(one: Cell | Span, other: Cell | Span) -> float:
    """0…1: how much of the narrower of the two lies over or under the other."""
    overlap = min(one.right, other.right) - max(one.left, other.left)
    return max(overlap, 0.0) / max(min(one.right - one.left, other.right - other.left), 1e-6)


def _cell(text: PageText, index: int, row: int, size: tuple[float, float, float, float]) -> Cell:
    line = text.lines[index]
    across, level, wide, high = map(float, size)
    left, right = across - wide / 2, across + wide / 2
    return Cell(index, row, line.text, line.quad, line.confidence, left, right, level, high)


def _sides(points: Array) -> tuple[Array, Array]:
    """Widths and heights of the lines: float64, (lines,) each, at least one pixel."""
    edges = np.linalg.norm(np.roll(points, -1, axis=1) - points, axis=2)
    longest = np.maximum(np.maximum(edges[:, :2], edges[:, 2:]), 1.0)
    return longest[:, 0], longest[:, 1]


def _rows(level: Array, across: Array, wide: Array, high: Array) -> list[list[int]]:
    """Indices row by row, each from left to right: a cell joins the row whose nearest cell is level.

    What is left of the curl changes slowly along a row, so that a cell is held to its neighbour in
    the row and not to the row's mean. Two cells one over the other are two rows sooner.
    """
    rows: list[list[int]] = []
    for index in (int(i) for i in np.argsort(level, kind="stable")):
        tried = [(_apart(index, row, level, across, wide, high), at) for at, row in _last(rows)]
        apart, at = min(tried, default=(math.inf, 0))
        if apart <= 1:
            rows[at].append(index)
        else:
            rows.append([index])
    rows.sort(key=lambda row: float(np.median(level[row])))
    return [sorted(row, key=lambda i: float(across[i])) for row in rows]


def _last(rows: list[list[int]], count: int = 4) -> list[tuple[int, list[int]]]:
    return list(enumerate(rows))[-count:]


def _apart(
    index: int, row: list[int], level: Array, across: Array, wide: Array, high: Array
) -> float:
    """How far a cell lies from the row's nearest cell, in what is allowed: over 1 it is another row."""
    near = min(row, key=lambda other: abs(float(across[other] - across[index])))
    common = float((wide[index] + wide[near]) / 2 - abs(across[index] - across[near]))
    allowed = _APART * float(min(high[index], high[near]))
    if common > _COVERED * min(wide[index], wide[near]):
        allowed /= 2
    return abs(float(level[index] - level[near])) / allowed
