"""Drawn logos and coloured banners."""

from __future__ import annotations

from random import Random

from PIL import ImageDraw

from edge_clm.train.pages.blocks import Block, Frame
from edge_clm.train.pages.canvas import Canvas, Colour, Shape
from edge_clm.train.pages.setting import Setting

WHITE: Colour = (255, 255, 255)


def logo(setting: Setting, size: float) -> Block:
    """A figure without words, seldom missing."""
    shown = setting.odds(0.85)
    shape = setting.rng.choice(("disc", "ring", "bars", "diamond", "tiles", "waves"))

    def draw(canvas: Canvas, frame: Frame) -> float:
        if not shown:
            return frame.y
        side = min(size, frame.width)
        canvas.under(_figure(shape, (frame.x, frame.y, side), setting.accent))
        return frame.y + side

    return draw


def _figure(shape: str, place: tuple[float, float, float], colour: Colour) -> Shape:
    x, y, side = place

    def draw(pen: ImageDraw.ImageDraw) -> None:
        whole = (x, y, x + side, y + side)
        if shape == "disc":
            pen.ellipse(whole, fill=colour)
            pen.ellipse((x + side * 0.3, y + side * 0.3, x + side * 0.7, y + side * 0.7), fill=WHITE)
        elif shape == "ring":
            pen.ellipse(whole, outline=colour, width=max(int(side / 9), 2))
        elif shape == "diamond":
            half = side / 2
            pen.polygon([(x + half, y), (x + side, y + half), (x + half, y + side), (x, y + half)], fill=colour)
        elif shape == "bars":
            for at in range(4):
                left = x + at * side / 4
                pen.rectangle((left, y + side * (3 - at) / 4, left + side / 6, y + side), fill=colour)
        elif shape == "tiles":
            for at in range(4):
                left, top = x + at % 2 * side / 2, y + at // 2 * side / 2
                if at != 1:
                    pen.rectangle((left, top, left + side * 0.45, top + side * 0.45), fill=colour)
        else:
            for at in range(3):
                top = y + at * side / 4
                pen.arc((x, top, x + side, top + side / 2), 180, 360, fill=colour, width=max(int(side / 14), 2))

    return draw


def banner(setting: Setting, word: str, size: float) -> Block:
    """A title in white on a coloured band."""
    family = setting.title(size)

    def draw(canvas: Canvas, frame: Frame) -> float:
        style = family.but(colour=WHITE)
        high = style.leading * 1.3
        canvas.frame((frame.x, frame.y, frame.right, frame.y + high), fill=setting.accent)
        align = "left" if setting.split == "train" else "centre"
        canvas.write(frame.at(align) + style.size * 0.4 * (align == "left"), frame.y + style.size * 0.25, word, style, align)
        return frame.y + high

    return draw if word else lambda _, frame: frame.y


def bars(rng: Random, colour: Colour) -> Block:
    """Something like a bar code."""
    widths = [rng.choice((1, 2, 2, 3, 4)) for _ in range(90)]

    def draw(canvas: Canvas, frame: Frame) -> float:
        high = frame.width * 0.1
        x = frame.x + max((frame.width - sum(widths)) / 2, 0)
        for at, width in enumerate(widths):
            if at % 2 == 0 and x + width < frame.right:
                canvas.frame((x, frame.y, x + width - 1, frame.y + high), fill=colour)
            x += width
        return frame.y + high

    return draw
