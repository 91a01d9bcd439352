"""What pages are composed of: lines, pairs of label and value, tables, boxes and columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from edge_clm.train.pages.canvas import Align, Canvas, Colour, Part, Style, as_parts, wrapped

Text = str | list[Part]
Pairing = Literal["inline", "aligned", "spread", "above", "leader", "cells", "right"]
Lattice = Literal["bare", "header", "rows", "grid", "zebra", "box"]


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a block goes: as wide as this, as high as it needs."""

    x: float
    y: float
    width: float

    @property
    def right(self) -> float:
        """Its right edge."""
        return self.x + self.width

    def at(self, align: Align) -> float:
        """Where text that is aligned so has its anchor."""
        return {"left": self.x, "right": self.right, "centre": self.x + self.width / 2}[align]

    def below(self, y: float) -> Frame:
        """The same frame from another height on."""
        return replace(self, y=y)


Block = Callable[[Canvas, Frame], float]
"""Draws itself into a frame and returns where it ends."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A label and what stands beside it; an empty label leaves the value by itself."""

    label: str
    value: Text
    strong: bool = False


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


def lines(
    texts: Sequence[Text], style: Style, align: Align = "left", leading: float = 1.0
) -> Block:
    """Lines of text, wrapped where they are too long."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        y = frame.y
        for text in texts:
            for line in wrapped(text, frame.width, style):
                canvas.write(frame.at(align), y, line, style, align)
                y += style.leading * leading
        return y

    return draw


def one_line(text: Text, style: Style, align: Align = "left", least: float = 0.62) -> Block:
    """A line that is set smaller where it is too long, and wrapped where that is not enough."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        wide = style.width("".join(part.text for part in as_parts(text)))
        own = style.but(max(frame.width / wide * 0.97, least)) if wide > frame.width else style
        return lines([text], own, align)(canvas, frame)

    return draw


def wrapped_line(text: Text, style: Style, align: Align = "left") -> Block:
    """A line that keeps its size."""
    return lines([text], style, align)


def stack(blocks: Sequence[Block], gap: float) -> Block:
    """Blocks below each other."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        y = frame.y
        for block in blocks:
            end = block(canvas, frame.below(y))
            y = end + gap if end > y else y
        return y - gap if y > frame.y else y

    return draw


def columns(blocks: Sequence[tuple[float, Block]], gap: float) -> Block:
    """Blocks beside each other, each with its share of the width."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        whole = sum(share for share, _ in blocks)
        room = frame.width - gap * (len(blocks) - 1)
        x, bottom = frame.x, frame.y
        for share, block in blocks:
            width = room * share / whole
            bottom = max(bottom, block(canvas, Frame(x, frame.y, width)))
            x += width + gap
        return bottom

    return draw


def boxed(block: Block, pad: float, outline: Colour | None, fill: Colour | None = None) -> Block:
    """A block in a box."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        inner = Frame(frame.x + pad, frame.y + pad, frame.width - 2 * pad)
        # The filling must lie below the print, whose height is known only afterwards: tried first.
        end = block(Canvas(canvas.width), inner) + pad
        canvas.frame((frame.x, frame.y, frame.right, end), outline, fill)
        block(canvas, inner)
        return end

    return draw


def apart(block: Block, space: float) -> Block:
    """A block with empty space over it."""
    return lambda canvas, frame: block(canvas, frame.below(frame.y + space))


def ruled(colour: Colour, thick: int = 1, below: float = 6) -> Block:
    """A horizontal line over the whole width."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        canvas.rule(frame.x, frame.y, frame.right, colour, thick)
        return frame.y + thick + below

    return draw


def titled(heading: Text, block: Block, style: Style) -> Block:
    """A block under a heading."""

    def draw(canvas: Canvas, frame: Frame) -> float:
        canvas.write(frame.x, frame.y, heading, style)
        return block(canvas, frame.below(frame.y + style.leading * 1.08))

    return draw


def pairs(
    items: Sequence[Pair],
    style: Style,
    pairing: Pairing,
    mark: str,
    heavy: bool,
    leading: float = 1.05,
) -> Block:
    """Labels with their values; `mark` stands between them, `heavy` sets the labels bold."""
    label = style.but(bold=True) if heavy else style

    def draw(canvas: Canvas, frame: Frame) -> float:
        if pairing == "cells":
            return _cells(canvas, frame, items, style, label)
        wide = max((label.width(item.label + mark) for item in items), default=0)
        y = frame.y
        for item in items:
            own = style.but(bold=True) if item.strong else style
            named = label.but(bold=True) if item.strong else label
            y = _pair(canvas, frame.below(y), item, (named, own), (pairing, mark, wide))
            y += style.leading * (leading - 1)
        return y

    return draw


def _pair(
    canvas: Canvas,
    frame: Frame,
    item: Pair,
    styles: tuple[Style, Style],
    how: tuple[Pairing, str, float],
) -> float:
    (label, style), (pairing, mark, wide) = styles, how
    value = as_parts(item.value)
    if not item.label or pairing == "inline":
        between = [Part(f"{item.label}{mark}")] if item.label else []
        return lines([between + value], style)(canvas, frame)
    if pairing == "above":
        canvas.write(frame.x, frame.y, item.label, label.but(0.85))
        return lines([value], style)(canvas, frame.below(frame.y + label.leading * 0.9))
    if pairing in ("spread", "leader", "right"):
        return _spread(canvas, frame, (item.label + mark.rstrip(), value), styles, (pairing, wide))
    canvas.write(frame.x, frame.y, item.label + mark.rstrip(), label)
    gap = max(style.size * 0.8, style.width("  "))
    x = frame.x + min(wide + gap, frame.width * 0.62)
    inner = Frame(x, frame.y, max(frame.right - x, frame.width * 0.38))
    return max(lines([value], style)(canvas, inner), frame.y + label.leading)


def _spread(
    canvas: Canvas,
    frame: Frame,
    texts: tuple[str, list[Part]],
    styles: tuple[Style, Style],
    how: tuple[Pairing, float],
) -> float:
    """A value at the right edge; its label left, or right-aligned in a column of its own."""
    (label, style), (said, value), (pairing, _) = styles, texts, how
    worth = style.width("".join(part.text for part in value))
    room = frame.width - worth - style.size
    if label.width(said) > room:
        label = label.but(max(room / label.width(said), 0.75))
    y = frame.y
    if label.width(said) > room:
        # Still too long to stand beside its value: that goes below.
        y = lines([said], label)(canvas, frame)
    elif pairing == "right":
        edge = frame.right - max(worth, frame.width * 0.38) - style.size
        canvas.write(max(edge, frame.x + label.width(said)), y, said, label, "right")
    else:
        used = canvas.write(frame.x, y, said, label)
        if pairing == "leader":
            _dots(canvas, frame, used, worth, style)
    canvas.write(frame.right, y, value, style, "right")
    return y + style.leading


def _dots(canvas: Canvas, frame: Frame, used: float, worth: float, style: Style) -> None:
    first, last = frame.x + used + style.size * 0.5, frame.right - worth - style.size * 0.5
    step, y = max(int(style.size * 0.4), 4), frame.y + style.size * 0.95

    for at in range(int(first), int(last), step):
        canvas.frame((at, y, at + 1, y + 1), fill=style.colour)


def _cells(
    canvas: Canvas, frame: Frame, items: Sequence[Pair], style: Style, label: Style
) -> float:
    """Labels in one row and their values in the row below, in a grid."""
    head = [Column(item.label, max(len(item.label), 9)) for item in items]
    ruling = Ruling("grid", (90, 90, 90), None, label.colour, 0.25)
    return table(head, [[item.value for item in items]], style, ruling)(canvas, frame)


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
