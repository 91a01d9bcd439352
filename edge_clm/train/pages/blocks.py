"""What pages are composed of: lines, pairs of label and value, tables, boxes and columns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.type import Align, Colour, Part, Style, as_parts, wrapped

Text = str | list[Part]


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
