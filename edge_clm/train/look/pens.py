"""What people add to a page by hand: strikes, underlines, rings, ticks, dots, scribbles and words."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from edge_clm.train.pages.fonts import Sort, families
from edge_clm.train.pages.page import Box, Split
from edge_clm.train.pages.type import Style

FINE = 3
"""Dots of a mask for one pixel: pens are thinner than pixels are."""
Mask = NDArray[np.float32]
"""float32, (height, width), 0 none … 1 covered with ink."""
_Path = list[tuple[float, float]]
_Pen = Callable[[ImageDraw.ImageDraw, Box, float, Random], None]
_WORDS = ("paid", "ok", "No", "see note", "void", "checked", "JM", "Total", "returned", "x2", "≠")


def penned(shape: tuple[int, int], about: Box, high: float, rng: Random) -> tuple[str, Mask]:
    """What a pen leaves at a word: its sort and its mask, of `shape` (height, width).

    `about`: the word's box, and `high` the height of its line, pixels.
    """
    sort = rng.choices(list(_PENS), [weight for weight, _ in _PENS.values()])[0]
    image = Image.new("L", (shape[1] * FINE, shape[0] * FINE), 0)
    left, top, right, bottom = (FINE * side for side in about)
    _PENS[sort][1](ImageDraw.Draw(image), (left, top, right, bottom), FINE * high, rng)
    return sort, lowered(np.asarray(image), shape)


def written(
    shape: tuple[int, int], about: Box, high: float, rng: Random, split: Split
) -> tuple[str, Mask]:
    """A number or a word written by hand above, below, beside or over a word; as `penned`."""
    size = max(6, round(FINE * high * rng.uniform(0.55, 1.5)))
    sorts: tuple[Sort, ...] = ("hand",) if rng.random() < 0.7 else ("sans", "serif", "display")
    style = Style(rng.choice(families(split, *sorts)), size)
    tile = _uneven(_word(style, rng), rng, size)
    x, y = _beside([FINE * side for side in about], tile.shape, rng)
    return "correction", lowered(_laid(tile, (x, y), shape), shape)


def lowered(mask: NDArray[np.uint8], shape: tuple[int, int]) -> Mask:
    """A mask of dots as one of pixels."""
    small = cv2.resize(mask, shape[::-1], interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32) / np.float32(255)


def _word(style: Style, rng: Random) -> NDArray[np.uint8]:
    digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(1, 5)))
    text = rng.choice(_WORDS) if rng.random() < 0.3 else digits
    if text.isdigit() and len(text) > 2 and rng.random() < 0.7:
        text = f"{text[:-2]}{rng.choice('.,/')}{text[-2:]}"
    left, top, right, bottom = (int(side) for side in style.font(text).getbbox(text))
    pad = style.size // 3
    tile = Image.new("L", (right - left + 2 * pad, bottom - top + 2 * pad), 0)
    ImageDraw.Draw(tile).text((pad - left, pad - top), text, fill=255, font=style.font(text))
    return np.asarray(tile)


def _uneven(tile: NDArray[np.uint8], rng: Random, size: int) -> NDArray[np.uint8]:
    """Bent, slanted and thinner or thicker than the type face has it."""
    side = max(1, round(size * rng.uniform(0.0, 0.05)))
    kernel = np.ones((side, side), np.uint8)
    tile = cv2.dilate(tile, kernel) if rng.random() < 0.7 else cv2.erode(tile, kernel)
    rows, columns = np.indices(tile.shape, np.float32)
    wave, phase = size * rng.uniform(0.5, 2.0), rng.uniform(0, 6.3)
    swing = size * rng.uniform(0, 0.08)
    slant, tilt = rng.uniform(-0.3, 0.5), rng.uniform(-0.25, 0.25)
    middle = columns - tile.shape[1] / 2
    down = rows + swing * np.sin(columns / wave + phase) + tilt * middle
    right = columns + swing * np.sin(rows / wave + phase) + slant * (rows - tile.shape[0] / 2)
    bent = cv2.remap(tile, right.astype(np.float32), down.astype(np.float32), cv2.INTER_LINEAR)
    return np.asarray(bent)


def _beside(about: Sequence[float], tile: tuple[int, ...], rng: Random) -> tuple[int, int]:
    """Where a word's tile has its top left corner."""
    left, top, right, bottom = about
    high, wide = tile[:2]
    x = rng.uniform(left - wide * 0.4, max(right - wide * 0.6, left))
    y = rng.uniform(-0.25, 0.25) * high
    where = rng.random()
    if where < 0.55:
        return round(x), round(top - high + y)
    if where < 0.7:
        return round(x), round((top + bottom - high) / 2 + y)
    if where < 0.85:
        side = right if rng.random() < 0.6 else left - wide
        return round(side), round((top + bottom - high) / 2 + y / 2)
    return round(x), round(bottom + y)


def _laid(
    tile: NDArray[np.uint8], at: tuple[int, int], shape: tuple[int, int]
) -> NDArray[np.uint8]:
    image = Image.new("L", (shape[1] * FINE, shape[0] * FINE), 0)
    image.paste(Image.fromarray(tile), at)
    return np.asarray(image)


def _thick(high: float, rng: Random) -> int:
    """Dots across a pen's line."""
    return max(1, round(high * rng.choice((rng.uniform(0.035, 0.08), rng.uniform(0.06, 0.125)))))


def _strike(pen: ImageDraw.ImageDraw, about: Box, high: float, rng: Random) -> None:
    """One or two lines through a word, or to and fro."""
    left, top, right, bottom = about
    thick = _thick(high, rng)
    middle = top + (bottom - top) * rng.uniform(0.3, 0.7)
    start = left + rng.uniform(-0.4, 0.25) * high
    end = max(right + rng.uniform(-0.4, 0.5) * high, start + 0.6 * high)
    for _ in range(rng.choice((1, 1, 1, 2))):
        tilt = rng.uniform(-0.25, 0.25) * high
        pen.line(_wavy((start, middle + tilt), (end, middle - tilt), high, rng), 255, thick)
        middle += rng.uniform(-0.2, 0.2) * high
    if rng.random() < 0.15:
        count = rng.randint(4, 12)
        steps = [start + (end - start) * at / count for at in range(count + 1)]
        pen.line([(x, top if at % 2 else bottom) for at, x in enumerate(steps)], 255, thick)


def _cross(pen: ImageDraw.ImageDraw, about: Box, high: float, rng: Random) -> None:
    left, top, right, bottom = about
    thick = _thick(high, rng)
    over = rng.uniform(-0.1, 0.3) * high
    a, b = (left, top - over), (right, bottom + over)
    pen.line(_wavy(a, b, high, rng), 255, thick)
    if rng.random() < 0.6:
        pen.line(_wavy((a[0], b[1]), (b[0], a[1]), high, rng), 255, thick)


def _underline(pen: ImageDraw.ImageDraw, about: Box, high: float, rng: Random) -> None:
    left, _, right, bottom = about
    y, tilt = bottom + rng.uniform(0.02, 0.2) * high, rng.uniform(-0.1, 0.1) * high
    pen.line(_wavy((left, y + tilt), (right, y - tilt), high, rng), 255, _thick(high, rng))


def _ring(pen: ImageDraw.ImageDraw, about: Box, high: float, rng: Random) -> None:
    left, top, right, bottom = about
    wide, tall = (right - left) / 2 + 0.3 * high, (bottom - top) / 2 + rng.uniform(0.1, 0.4) * high
    start, turn = rng.uniform(0, 6.3), rng.uniform(5.5, 7.2)
    path = []
    for at in range(60):
        angle = start + turn * at / 59
        grown = 1 + 0.08 * at / 59
        path.append(
            (
                (left + right) / 2 + wide * grown * math.cos(angle),
                (top + bottom) / 2 + tall * grown * math.sin(angle),
            )
        )
    pen.line(path, 255, _thick(high, rng), joint="curve")


def _tick(pen: ImageDraw.ImageDraw, about: Box, high: float, rng: Random) -> None:
    x, y = _near(about, high, rng)
    size = high * rng.uniform(0.4, 1.1)
    thick = _thick(high, rng)
    if rng.random() < 0.6:
        path = [(x, y), (x + size * 0.35, y + size * 0.5), (x + size, y - size * 0.5)]
        pen.line(path, 255, thick, joint="curve")
    else:
        pen.line([(x, y), (x + size * 0.7, y + size * 0.7)], 255, thick)
        pen.line([(x + size * 0.7, y), (x, y + size * 0.7)], 255, thick)


def _dot(pen: ImageDraw.ImageDraw, about: Box, high: float, rng: Random) -> None:
    x, y = _near(about, high, rng)
    radius = high * rng.uniform(0.07, 0.22)
    pen.ellipse((x - radius, y - radius, x + radius, y + radius), 255)


def _scribble(pen: ImageDraw.ImageDraw, about: Box, high: float, rng: Random) -> None:
    """Loops, as in a signature or a word that nobody can read."""
    x, y = _near(about, high, rng)
    wide, tall = high * rng.uniform(1.0, 6.0), high * rng.uniform(0.4, 1.3)
    loops = [(rng.uniform(0.3, 1), rng.uniform(3, 14), rng.uniform(0, 6.3)) for _ in range(4)]
    whole = sum(size for size, _, _ in loops)
    path = []
    for step in range(120):
        at = step / 119
        up = sum(size * math.sin(speed * at * 5 + shift) for size, speed, shift in loops) / whole
        along = at + 0.06 * math.sin(at * 46)
        path.append((x + wide * along, y + tall * up))
    pen.line(path, 255, _thick(high, rng), joint="curve")


def _near(about: Box, high: float, rng: Random) -> tuple[float, float]:
    left, top, right, bottom = about
    reach = 0.8 * high
    return rng.uniform(left - reach, right + reach), rng.uniform(top - reach, bottom + reach / 2)


def _wavy(start: tuple[float, float], end: tuple[float, float], high: float, rng: Random) -> _Path:
    swing = high * rng.choice((0.0, rng.uniform(0, 0.12)))
    turns, phase = rng.uniform(0.5, 5), rng.uniform(0, 6.3)
    bow = high * rng.uniform(-0.15, 0.15)
    path = []
    for step in range(25):
        at = step / 24
        off = swing * math.sin(turns * 6.3 * at + phase) + bow * 4 * at * (1 - at)
        path.append(
            (start[0] + (end[0] - start[0]) * at, start[1] + (end[1] - start[1]) * at + off)
        )
    return path


_PENS: dict[str, tuple[float, _Pen]] = {
    "strike": (7.0, _strike),
    "cross": (1.0, _cross),
    "underline": (0.7, _underline),
    "ring": (0.7, _ring),
    "tick": (1.0, _tick),
    "dot": (0.8, _dot),
    "scribble": (1.0, _scribble),
}
