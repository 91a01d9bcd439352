"""Whole lines of print: two of them exchanged, or one printed once more where there was none."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import cv2
import numpy as np

from bench.twins.edits import Twin
from bench.twins.letters import cleared, inked
from bench.twins.strips import Strip, contrast, ink, put_back
from edge_clm.page.geometry import crop
from edge_clm.paper import Quad
from edge_clm.types import Pixels

_ALIKE = 0.15
"""Share by which lines may differ in height to be exchanged."""
_NEAR = 8
"""Heights of a line within which another may be exchanged with it: farther off the light is another."""
_BARE = 0.2
"""Share of a line's contrast that a place may have where nothing is printed."""


def swapped(picture: Pixels, strips: Sequence[Strip], rng: Random) -> Twin | None:
    """Two lines that begin on one edge, exchanged; None where no two do."""
    alone = [strip for strip in strips if _alone(strip)]
    pairs = [
        (one, other)
        for at, one in enumerate(alone)
        for other in alone[at + 1 :]
        if one.text != other.text and _comparable(one, other)
    ]
    if not pairs:
        return None
    one, other = rng.choice(pairs)
    twin = put_back(picture, one, _printed(other, one))
    twin = put_back(twin, other, _printed(one, other))
    return Twin("swapped", "elsewhere", one.text, other.text, twin)


def repeated(picture: Pixels, strips: Sequence[Strip], rng: Random) -> Twin | None:
    """A line printed once more, one line further down, where there is room; None where there is none."""
    for strip in rng.sample(list(strips), len(strips)):
        place = _below(strip)
        height, width = picture.shape[:2]
        if not (_alone(strip) and all(0 <= x < width and 0 <= y < height for x, y in place)):
            continue
        high, wide = strip.pixels.shape[:2]
        there = cv2.resize(crop(picture, place), (wide, high), interpolation=cv2.INTER_CUBIC)
        bare = Strip("", place, np.asarray(there, np.uint8), ())
        if contrast(bare.pixels) < _BARE * contrast(strip.pixels):
            printed = inked(bare.pixels, strip.light, 0, wide)
            twin = put_back(picture, bare, printed)
            return Twin("line_added", "elsewhere", "", strip.text, twin)
    return None


def _alone(strip: Strip) -> bool:
    """Whether nothing is printed beside a line."""
    columns = np.asarray(ink(strip.pixels).any(axis=0))
    first, last = strip.glyphs[0].left, strip.glyphs[-1].right
    return len(strip.glyphs) >= 3 and not (columns[:first].any() or columns[last:].any())


def _comparable(one: Strip, other: Strip) -> bool:
    heights = [strip.place[3][1] - strip.place[0][1] for strip in (one, other)]
    widths = [strip.place[1][0] - strip.place[0][0] for strip in (one, other)]
    across, down = (abs(one.place[0][at] - other.place[0][at]) for at in (0, 1))
    same_height = abs(heights[0] / heights[1] - 1) < _ALIKE
    near = across < heights[0] / 2 and down < _NEAR * heights[0]
    return same_height and near and 0.8 < widths[0] / widths[1] < 1.25


def _printed(strip: Strip, place: Strip) -> Pixels:
    """A line's print on another's paper, from the same edge on."""
    high, wide = place.pixels.shape[:2]
    paper = cleared(place, 0, wide)
    natural = round(strip.light.shape[1] * high / strip.light.shape[0])
    return inked(paper, strip.light, 0, min(natural, wide))


def _below(strip: Strip) -> Quad:
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = strip.place
    down, right = (1.25 * (dx - ax), 1.25 * (dy - ay)), (1.25 * (cx - bx), 1.25 * (cy - by))
    return (
        (ax + down[0], ay + down[1]),
        (bx + right[0], by + right[1]),
        (cx + right[0], cy + right[1]),
        (dx + down[0], dy + down[1]),
    )
