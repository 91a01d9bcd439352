"""Tables, ruled and coloured in many ways."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from edge_clm.train.pages.blocks import Block, Frame, Text
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.type import Align, Colour, Part, Style, wrapped

Lattice = Literal["bare", "header", "rows", "grid", "zebra", "box"]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, its share of the width, and how it is aligned."""

    heading: str
    share: float
    align: Align = "left"


@dataclass(frozen=True, slots=True)
class Ruling:
    """How a table is ruled and coloured."""

    lattice: Lattice
    line: Colour
    head: Colour | None
    ink: Colour
    """Of the headings."""
    gap: float
    """Between rows, in heights of a line."""
    double: bool = False


def table(
    head: Sequence[Column], rows: Sequence[Sequence[Text]], style: Style, how: Ruling
) -> Block:
    """A table; columns without a heading are drawn all the same, and no heading at all is no row."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        edges = _edges(head, frame)
        pad = style.size * 0.4
        y = frame.y
        if any(column.heading for column in head):
            y = _heading(canvas, frame, head, style, how)
        for at, row in enumerate(rows):
            y = _row(canvas, (edges, frame.below(y), pad), (head, row), (style, how, at))
        if how.lattice in ("grid", "box"):
            canvas.frame((frame.x, frame.y, frame.right, y), how.line)
        if how.lattice == "grid":
            for edge in edges[1:-1]:
                canvas.upright(edge, frame.y, y, how.line)
        if how.lattice in ("header", "zebra"):
            canvas.rule(frame.x, y, frame.right, how.line, 2 if how.double else 1)
        return y + pad

    return draw


def _edges(head: Sequence[Column], frame: Frame) -> list[float]:
    whole = sum(column.share for column in head)
    edges = [frame.x]
    for column in head:
        edges.append(edges[-1] + frame.width * column.share / whole)
    return edges


def _fitted(text: Text, room: float, style: Style) -> tuple[Style, list[list[Part]]]:
    """The lines of a cell, set smaller where a word would stand out of its column."""
    said = wrapped(text, room, style)
    widest = max((style.width("".join(part.text for part in line)) for line in said), default=0.0)
    if widest <= room or style.size < 10:
        return style, said
    smaller = style.but(max(room / widest * 0.98, 0.6))
    return smaller, wrapped(text, room, smaller)


def _heading(
    canvas: Canvas, frame: Frame, head: Sequence[Column], style: Style, how: Ruling
) -> float:
    bold = style.but(bold=True, colour=how.ink)
    edges, pad = _edges(head, frame), style.size * 0.4
    cells = [
        _fitted(column.heading, right - left - 2 * pad, bold)
        for column, left, right in zip(head, edges, edges[1:], strict=False)
    ]
    high = max(len(said) for _, said in cells) * bold.leading + 2 * pad
    if how.head:
        canvas.frame((frame.x, frame.y, frame.right, frame.y + high), fill=how.head)
    for column, left, right, (own, said) in zip(head, edges, edges[1:], cells, strict=False):
        inner = Frame(left + pad, frame.y + pad, right - left - 2 * pad)
        for at, line in enumerate(said):
            place = inner.at(column.align), inner.y + at * bold.leading
            canvas.write(*place, line, own, column.align)
    if how.lattice != "bare":
        canvas.rule(frame.x, frame.y + high, frame.right, how.line, 2 if how.double else 1)
    return frame.y + high


def _row(
    canvas: Canvas,
    place: tuple[list[float], Frame, float],
    what: tuple[Sequence[Column], Sequence[Text]],
    how: tuple[Style, Ruling, int],
) -> float:
    (edges, frame, pad), (head, row), (style, ruling, at) = place, what, how
    space = style.size * ruling.gap / 2
    cells = [
        _fitted(text, right - left - 2 * pad, style)
        for text, left, right in zip(row, edges, edges[1:], strict=False)
    ]
    high = max([1, *(len(said) for _, said in cells)]) * style.leading + 2 * space
    if ruling.lattice == "zebra" and at % 2:
        canvas.frame((frame.x, frame.y, frame.right, frame.y + high), fill=(238, 240, 243))
    for column, left, right, (own, said) in zip(head, edges, edges[1:], cells, strict=False):
        inner = Frame(left + pad, frame.y + space, right - left - 2 * pad)
        for number, line in enumerate(said):
            top = inner.y + number * style.leading
            canvas.write(inner.at(column.align), top, line, own, column.align)
    if ruling.lattice in ("rows", "grid"):
        canvas.rule(frame.x, frame.y + high, frame.right, ruling.line)
    return frame.y + high
