"""Drawn logos and coloured banners."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from PIL import ImageDraw

from edge_clm.train.pages.blocks import Block, Frame
from edge_clm.train.pages.canvas import Canvas, Shape
from edge_clm.train.pages.setting import Setting
from edge_clm.train.pages.type import Align, Colour

WHITE: Colour = (255, 255, 255)
Place = tuple[float, float, float]
"""Left, top and side of a square."""


def logo(setting: Setting, size: float) -> Block:
    """A figure without words, seldom missing."""
    shown = setting.odds(0.85)
    shape = setting.rng.choice(list(_FIGURES))

    def draw(canvas: Canvas, frame: Frame) -> float:
        if not shown:
            return frame.y
        side = min(size, frame.width)
        canvas.under(_figure(shape, (frame.x, frame.y, side), setting.accent))
        return frame.y + side

    return draw


def _figure(shape: str, place: Place, colour: Colour) -> Shape:
    return lambda pen: _FIGURES[shape](pen, place, colour)


def _disc(pen: ImageDraw.ImageDraw, place: Place, colour: Colour) -> None:
    x, y, side = place
    pen.ellipse((x, y, x + side, y + side), fill=colour)
    hole = side * 0.3
    pen.ellipse((x + hole, y + hole, x + side - hole, y + side - hole), fill=WHITE)


def _ring(pen: ImageDraw.ImageDraw, place: Place, colour: Colour) -> None:
    x, y, side = place
    pen.ellipse((x, y, x + side, y + side), outline=colour, width=max(int(side / 9), 2))


def _diamond(pen: ImageDraw.ImageDraw, place: Place, colour: Colour) -> None:
    x, y, side = place
    half = side / 2
    corners = [(x + half, y), (x + side, y + half), (x + half, y + side), (x, y + half)]
    pen.polygon(corners, fill=colour)


def _bars(pen: ImageDraw.ImageDraw, place: Place, colour: Colour) -> None:
    x, y, side = place
    for at in range(4):
        left = x + at * side / 4
        pen.rectangle((left, y + side * (3 - at) / 4, left + side / 6, y + side), fill=colour)


def _tiles(pen: ImageDraw.ImageDraw, place: Place, colour: Colour) -> None:
    x, y, side = place
    for at in (0, 2, 3):
        left, top = x + at % 2 * side / 2, y + at // 2 * side / 2
        pen.rectangle((left, top, left + side * 0.45, top + side * 0.45), fill=colour)


def _waves(pen: ImageDraw.ImageDraw, place: Place, colour: Colour) -> None:
    x, y, side = place
    for at in range(3):
        top = y + at * side / 4
        thick = max(int(side / 14), 2)
        pen.arc((x, top, x + side, top + side / 2), 180, 360, fill=colour, width=thick)


_FIGURES: dict[str, Callable[[ImageDraw.ImageDraw, Place, Colour], None]] = {
    "disc": _disc,
    "ring": _ring,
    "bars": _bars,
    "diamond": _diamond,
    "tiles": _tiles,
    "waves": _waves,
}


def banner(setting: Setting, word: str, size: float) -> Block:
    """A title in white on a coloured band."""
    family = setting.title(size)

    def draw(canvas: Canvas, frame: Frame) -> float:
        style = family.but(colour=WHITE)
        high = style.leading * 1.3
        canvas.frame((frame.x, frame.y, frame.right, frame.y + high), fill=setting.accent)
        align: Align = "left" if setting.split == "train" else "centre"
        canvas.write(
            frame.at(align) + style.size * 0.4 * (align == "left"),
            frame.y + style.size * 0.25,
            word,
            style,
            align,
        )
        return frame.y + high

    return draw if word else lambda _, frame: frame.y


def bars(rng: Random, colour: Colour) -> Block:
    """Something like a bar code."""
    widths = [rng.choice((1, 2, 2, 3, 4)) for _ in range(90)]

    def draw(canvas: Canvas, frame: Frame) -> float:
        high = frame.width * 0.1
        x = frame.x + max((frame.width - sum(widths)) / 2, 0)
        for at, width in enumerate(widths):
            if at % 2 == 0 and x + width + 1 < frame.right:
                canvas.frame((x, frame.y, x + width, frame.y + high), fill=colour)
            x += width
        return frame.y + high

    return draw
