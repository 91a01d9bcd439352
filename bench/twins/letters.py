"""One letter of a line exchanged for another of the same page, taken away or added."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.twins.strips import Glyph, Strip, ink
from edge_clm.types import Pixels

_ALIKE = 0.12
"""Share by which heights of lines may differ for their letters to be exchanged."""
_WIDER = 1.35
"""Times the width of the letter that goes which the one that comes may have."""


def donor(strip: Strip, char: str, others: Iterable[Strip]) -> Pixels | None:
    """A letter for a line: of the line that is nearest on the page among those of its height; None without one."""
    high = _height(strip)
    alike = [
        (other, glyph)
        for other in others
        for glyph in other.glyphs
        if glyph.char == char and abs(_height(other) / high - 1) <= _ALIKE
    ]
    if not alike:
        return None
    nearest, glyph = min(alike, key=lambda it: abs(_top(it[0]) - _top(strip)))
    return nearest.cell(glyph)


def changed(strip: Strip, at: int, letter: Pixels) -> Pixels | None:
    """The strip with another letter in the place of its letter `at`; None where it is too wide for it."""
    glyph = strip.glyphs[at]
    high = strip.pixels.shape[0]
    wide = max(1, round(letter.shape[1] * high / letter.shape[0]))
    if wide > _WIDER * (glyph.right - glyph.left) + 2:
        return None
    middle = (glyph.left + glyph.right) // 2
    return _inked(lost(strip, at), letter, middle - wide // 2, wide)


def lost(strip: Strip, at: int) -> Pixels:
    """The strip with paper in the place of its letter `at`."""
    glyph = strip.glyphs[at]
    high, wide = strip.pixels.shape[:2]
    mask = np.zeros((high, wide), np.uint8)
    before = strip.glyphs[at - 1].right if at else 0
    after = strip.glyphs[at + 1].left if at + 1 < len(strip.glyphs) else wide
    left, right = max(glyph.left - 3, before), min(glyph.right + 3, after)
    dark = ink(strip.pixels)[:, left:right].astype(np.uint8)
    mask[:, left:right] = cv2.dilate(dark, np.ones((5, 5), np.uint8))
    return np.asarray(cv2.inpaint(strip.pixels, mask, 3, cv2.INPAINT_TELEA), np.uint8)


def added(strip: Strip, after: int, letter: Pixels) -> Pixels | None:
    """The strip with a letter behind its letter `after`; None where there is no room."""
    high = strip.pixels.shape[0]
    wide = max(1, round(letter.shape[1] * high / letter.shape[0]))
    start = strip.glyphs[after].right + max(2, round(0.06 * high))
    last = after + 1 == len(strip.glyphs)
    end = strip.pixels.shape[1] if last else strip.glyphs[after + 1].left
    if start + wide > end - (0 if last else 2):
        return None
    return _inked(strip.pixels, letter, start, wide)


def readable(strips: Sequence[Strip]) -> set[str]:
    """The letters that some line has."""
    return {glyph.char for strip in strips for glyph in strip.glyphs}


def widths(strip: Strip) -> list[int]:
    """How wide the ink of each letter is, pixels."""
    return [glyph.right - glyph.left for glyph in strip.glyphs]


def _inked(paper: Pixels, letter: Pixels, left: int, wide: int) -> Pixels:
    """Paper with a letter's ink on it from a column on."""
    high = paper.shape[0]
    light = cv2.resize(_light(letter), (wide, high), interpolation=cv2.INTER_AREA)
    start, end = max(0, left), min(paper.shape[1], left + wide)
    result = paper.copy()
    place = paper[:, start:end].astype(np.float32) * light[:, start - left : end - left]
    result[:, start:end] = np.clip(np.rint(place), 0, 255).astype(np.uint8)
    return result


def _light(letter: Pixels) -> NDArray[np.float32]:
    """How much of the paper's light each pixel leaves, by channel: 1 where there is no ink."""
    paper = np.percentile(letter.reshape(-1, 3), 90, axis=0).astype(np.float32)
    return np.asarray(np.minimum(letter / np.maximum(paper, 1), 1.0), np.float32)


def _top(strip: Strip) -> float:
    return strip.place[0][1]


def _height(strip: Strip) -> float:
    a, _, _, d = strip.place
    return float(np.hypot(d[0] - a[0], d[1] - a[1]))


def digits(strip: Strip) -> list[int]:
    """Which letters of a strip are digits."""
    return [at for at, glyph in enumerate(strip.glyphs) if _is_digit(glyph)]


def _is_digit(glyph: Glyph) -> bool:
    return glyph.char.isascii() and glyph.char.isdigit()
