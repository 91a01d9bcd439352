"""Labels with their values, beside, above or across from each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from edge_clm.train.pages.blocks import Block, Frame, Text, lines
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.table import Column, Ruling, table
from edge_clm.train.pages.type import Part, Style, as_parts

Pairing = Literal["inline", "aligned", "spread", "above", "leader", "cells", "right"]


@dataclass(frozen=True, slots=True)
class Pair:
    """A label and what stands beside it; an empty label leaves the value by itself."""

    label: str
    value: Text
    strong: bool = False


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
