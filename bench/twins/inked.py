"""Ink over a page: a stamp, a value struck out, one corrected by hand."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from bench.twins.edits import Spot, Twin, Value
from bench.twins.strips import Strip, put_back
from edge_clm.page.geometry import crop
from edge_clm.paper import Quad
from edge_clm.train.pages.fonts import families
from edge_clm.train.pages.inks import INKS
from edge_clm.train.pages.page import around
from edge_clm.train.pages.type import Style
from edge_clm.types import Pixels

WORDS = ("PAID", "VOID", "CANCELLED", "COPY")
_PENS = ("red", "blue", "black")
_SIZE = (0.045, 0.09)
"""Height of a stamp's letters as a share of the picture's width."""
_OVER = 1.6
"""Times a line's height that is free above it for what is written by hand."""
_OVERSHOT, _SHORTEST = 0.1, 1.2
"""Heights of a line that a stroke of the pen reaches beyond a value, and that it measures at least.

Nobody strikes out a single digit with a dash that is lost in it.
"""
_BROAD = 0.8
"""Heights of a line that a letter by hand takes along it."""


def stamped(picture: Pixels, strips: Sequence[Strip], rng: Random) -> Twin:
    """The picture with a stamp somewhere among its print."""
    word, colour = rng.choice(WORDS), rng.choice(list(INKS))
    height, width = picture.shape[:2]
    style = Style(
        rng.choice(families("test", "sans")), round(width * rng.uniform(*_SIZE)), bold=True
    )
    tile = _tile(word, style, rng)
    wide, high = tile.shape[1], tile.shape[0]
    left, top, right, bottom = around([strip.place for strip in strips])
    middle = (
        left + rng.uniform(0.2, 0.8) * (right - left),
        top + rng.uniform(0.1, 0.9) * (bottom - top),
    )
    way = cv2.getRotationMatrix2D((wide / 2, high / 2), rng.uniform(-30, 30), 1.0)
    way[:, 2] += (middle[0] - wide / 2, middle[1] - high / 2)
    # No print of a photo is sharper than the photo.
    mask = cv2.GaussianBlur(cv2.warpAffine(tile, way, (width, height)), (0, 0), width / 2000)
    return Twin("stamp", "elsewhere", "", word, _dyed(picture, mask, INKS[colour]))


def struck(picture: Pixels, value: Value, rng: Random) -> Twin:
    """The picture with a line of the pen through a value, in one of its places."""
    spot = rng.choice(value.spots)
    twin = _line_through(picture, spot, len(value.text), INKS[rng.choice(_PENS)], rng)
    return Twin("strike", value.field, value.text, "", twin)


def corrected(picture: Pixels, value: Value, rng: Random) -> Twin | None:
    """The picture with a value struck out and another written over it by hand; None where no digit is in it."""
    places = [at for at, char in enumerate(value.text) if char.isdigit()]
    if not places:
        return None
    ink, at, spot = INKS[rng.choice(_PENS)], rng.choice(places), rng.choice(value.spots)
    other = rng.choice([digit for digit in "123456789" if digit != value.text[at]])
    text = value.text[:at] + other + value.text[at + 1 :]
    struck_out = _line_through(picture, spot, len(text), ink, rng)
    above = _above(struck_out, spot, len(text))
    style = Style(rng.choice(families("test", "hand")), round(above.pixels.shape[0] * 0.75))
    mask = Image.new("L", above.pixels.shape[1::-1], 0)
    ImageDraw.Draw(mask).text((4, 0), text, fill=rng.randint(190, 255), font=style.font(text))
    written = _dyed(above.pixels, np.asarray(mask), ink)
    return Twin("correction", value.field, value.text, text, put_back(struck_out, above, written))


def _tile(word: str, style: Style, rng: Random) -> NDArray[np.uint8]:
    """The stamp's mask: a word in a frame."""
    font = style.font(word)
    left, top, right, bottom = font.getbbox(word)
    pad = style.size * 0.35
    tile = Image.new("L", (round(right - left + 2 * pad), round(bottom - top + 2 * pad)), 0)
    pen, ink = ImageDraw.Draw(tile), rng.randint(150, 235)
    frame = (2, 2, tile.width - 3, tile.height - 3)
    pen.rounded_rectangle(frame, radius=pad, outline=ink, width=max(style.size // 12, 2))
    pen.text((pad - left, pad - top), word, fill=ink, font=font)
    return np.asarray(tile)


def _line_through(
    picture: Pixels, spot: Spot, letters: int, ink: tuple[int, int, int], rng: Random
) -> Pixels:
    strip = spot.strip
    high = strip.pixels.shape[0]
    first, last = strip.glyphs[spot.first], strip.glyphs[spot.first + letters - 1]
    mask = Image.new("L", (strip.pixels.shape[1], high), 0)
    tilt = rng.uniform(-0.12, 0.12) * high
    over = max(_OVERSHOT * high, (_SHORTEST * high - (last.right - first.left)) / 2)
    ends = (first.left - over, high * 0.52 + tilt, last.right + over, high * 0.52 - tilt)
    ImageDraw.Draw(mask).line(ends, fill=235, width=max(3, round(high / 10)))
    return put_back(picture, strip, _dyed(strip.pixels, np.asarray(mask), ink))


def _above(picture: Pixels, spot: Spot, letters: int) -> Strip:
    """What lies above a value, straightened."""
    strip = spot.strip
    left, (high, wide) = strip.glyphs[spot.first].left, strip.pixels.shape[:2]
    right = max(wide, left + round(_BROAD * letters * high))
    place: Quad = (
        *(strip.at(left, -_OVER * high), strip.at(right, -_OVER * high)),
        *(strip.at(right, 0), strip.at(left, 0)),
    )
    return Strip("", place, crop(picture, place), ())


def _dyed(picture: Pixels, mask: NDArray[np.uint8], ink: tuple[int, int, int]) -> Pixels:
    """The picture with ink on it where a mask says so: it darkens what is there, as ink does."""
    share = (mask.astype(np.float32) / 255)[..., None]
    light = np.asarray(ink, np.float32) / 255
    return np.asarray(np.rint(picture * (1 - share + share * light)), np.uint8)
