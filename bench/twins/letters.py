"""One letter of a line exchanged for another of the same page, taken away or added."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from bench.twins.shapes import ALIKE, likeness
from bench.twins.strips import Strip, ink
from edge_clm.types import Pixels

_ALIKE = 0.12
"""Share by which heights of lines may differ for their letters to be exchanged."""
_ASKED = 6
"""How many of the nearest letters of one kind are compared."""
_WIDER = 1.35
"""Times the width of the letter that goes which the one that comes may have."""
_SPACE = 0.06
"""Share of the strip's height between a letter and one that is added."""
_LIKE = 0.5
"""Share of the ink of a letter and of what stands there in the end that both have."""
_GONE = 0.25
"""Share of a letter's contrast that may be left where it was."""
_SEEN = 0.18
"""Share of the ink of two letters that must be the one's or the other's alone."""


Letter = NDArray[np.float32]
"""(height, width, 3): how much of the paper's light it leaves, by channel."""


def donor(strip: Strip, char: str, others: Iterable[Strip]) -> Letter | None:
    """A letter for a line: of the line that is nearest on the page among those of its height; None without one."""
    high = _height(strip)
    alike = [
        (other, glyph)
        for other in others
        if abs(_height(other) / high - 1) <= _ALIKE and other.bright is strip.bright
        for glyph in other.glyphs
        if glyph.char == char and glyph.alone
    ]
    if not alike:
        return None
    alike.sort(key=lambda it: abs(_top(it[0]) - _top(strip)))
    cells = [nearest.cell(glyph) for nearest, glyph in alike[:_ASKED]]
    # One that looks like none of the others was misread, or is badly printed.
    agreed = (
        cell
        for at, cell in enumerate(cells)
        if any(likeness(cell, other) >= ALIKE for other in cells[:at] + cells[at + 1 :])
    )
    return cells[0] if len(cells) == 1 else next(agreed, None)


def changed(strip: Strip, at: int, letter: Letter) -> Pixels | None:
    """The strip with another letter in the place of its letter `at`.

    None where that one touches its neighbours or would not be gone whole, where the other looks like it
    (what was lent may have been misread, and then nothing would change), where the other is too wide for its
    place, and where it would not come out as what it is: in a shadow's edge, say.
    """
    glyph = strip.glyphs[at]
    wide = _wide(strip, letter)
    if wide > _WIDER * glyph.wide + 2:
        return None
    if likeness(strip.cell(glyph), letter) >= ALIKE:
        return None
    middle = (glyph.left + glyph.right) // 2
    paper = erased(strip, at)
    return _standing(paper, letter, middle - wide // 2, wide) if paper is not None else None


def lost(strip: Strip, at: int) -> Pixels:
    """The strip with paper in the place of its letter `at`."""
    glyph, wide = strip.glyphs[at], strip.pixels.shape[1]
    before = strip.glyphs[at - 1].right if at else 0
    after = strip.glyphs[at + 1].left if at + 1 < len(strip.glyphs) else wide
    return cleared(strip, max(glyph.left - 3, before), min(glyph.right + 3, after))


def erased(strip: Strip, at: int) -> Pixels | None:
    """As `lost`; None where the letter is not alone, or where something of it would be left between its neighbours."""
    glyph = strip.glyphs[at]
    if not glyph.alone:
        return None
    result = lost(strip, at)
    return result if strip.remaining(glyph, result) <= _GONE else None


def cleared(strip: Strip, left: int, right: int) -> Pixels:
    """The strip with paper in the place of all print between two columns."""
    mask = np.zeros(strip.pixels.shape[:2], np.uint8)
    dark = ink(strip.pixels)[:, left:right].astype(np.uint8)
    mask[:, left:right] = cv2.dilate(dark, np.ones((5, 5), np.uint8))
    return np.asarray(cv2.inpaint(strip.pixels, mask, 3, cv2.INPAINT_TELEA), np.uint8)


def added(strip: Strip, at: int, letter: Letter) -> Pixels | None:
    """The strip with a letter before its letter `at`, or behind its last one; None where there is no room."""
    high, end = strip.pixels.shape[:2]
    wide, space = _wide(strip, letter), max(2, round(_SPACE * high))
    if at < len(strip.glyphs):
        left = strip.glyphs[at].left - space - wide
    else:
        left = strip.glyphs[-1].right + space
    right = left + wide
    if left < space or right > end - 1:
        return None
    if ink(strip.pixels)[:, left - space // 2 : right + space // 2].any():
        return None
    return _standing(strip.pixels, letter, left, wide)


def inked(paper: Pixels, letter: Letter, left: int, wide: int) -> Pixels:
    """Paper with a letter's ink on it from a column on."""
    high = paper.shape[0]
    light = cv2.resize(letter, (wide, high), interpolation=cv2.INTER_AREA)
    start, end = max(0, left), min(paper.shape[1], left + wide)
    result = paper.copy()
    place = paper[:, start:end].astype(np.float32) * light[:, start - left : end - left]
    result[:, start:end] = np.clip(np.rint(place), 0, 255).astype(np.uint8)
    return result


def _standing(paper: Pixels, letter: Letter, left: int, wide: int) -> Pixels | None:
    """Paper with a letter on it; None where its ink would not be the letter's."""
    result = inked(paper, letter, left, wide)
    strength = np.abs(1 - letter).max(axis=2)
    shape = cv2.resize(strength, (wide, paper.shape[0]), interpolation=cv2.INTER_AREA)
    wanted = shape > 0.5 * shape.max()
    found = ink(result)[:, max(0, left) : left + wide]
    if found.shape != wanted.shape:
        return None
    return result if (wanted & found).sum() >= _LIKE * (wanted | found).sum() else None


def seen(before: Pixels, after: Pixels) -> bool:
    """Whether two pictures of a strip differ in a letter, to the eye."""
    columns = np.flatnonzero((before != after).any(axis=(0, 2)))
    if not len(columns):
        return False
    part = slice(columns[0], columns[-1] + 1)
    one, other = ink(before)[:, part], ink(after)[:, part]
    return bool((one ^ other).sum() > _SEEN * (one | other).sum() > 0)


def readable(strips: Sequence[Strip]) -> set[str]:
    """The letters that some line can lend."""
    return {glyph.char for strip in strips for glyph in strip.glyphs if glyph.alone}


def _wide(strip: Strip, letter: Letter) -> int:
    """Columns that a letter takes in a strip."""
    high, wide = (int(side) for side in letter.shape[:2])
    return int(max(1, round(wide * strip.pixels.shape[0] / high)))


def _top(strip: Strip) -> float:
    return strip.place[0][1]


def _height(strip: Strip) -> float:
    a, _, _, d = strip.place
    return float(np.hypot(d[0] - a[0], d[1] - a[1]))
