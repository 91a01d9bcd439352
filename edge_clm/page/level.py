"""A sheet's print turned until its lines run from side to side, and cut to what the sheet takes up."""

from __future__ import annotations

import cv2
import numpy as np

from edge_clm.page.ink import Ink

_BINS = 180
"""Of directions, over 90 degrees: which side of a sheet is up is not told by them."""
_SMOOTH = 2.5
"""Standard deviation of what they are smoothed by, bins."""
_REACH = 0.25
"""How far from the middle of the picture edges count: further out is the table. Shares of its sides."""
_STRONGEST = 97
"""Percentile beyond which edges count no more: those of paper are the strongest and not the straightest."""
_LEAST = 0.7
"""Share of the picture's sides that a sheet takes up at least."""
_EVEN = 0.25
_SQUARE = 256
"""Pixels a side, enough to tell lines of print apart."""
_BRIGHT = 95
"""Percentile: a bar or a rule is not to outweigh the print."""
_SIDEWAYS = 0.7
"""Of upright pages one in several hundred is below."""


def levelled(ink: Ink) -> Ink:
    """The print of a picture with its lines level; whether they stand on their head is not told.

    A sheet that lies on its side is turned by a quarter, clockwise; what has no direction stays as it is.
    """
    level = _rolled(ink)
    return np.ascontiguousarray(np.rot90(level, -1)) if _on_its_side(level) else level


def _rolled(ink: Ink) -> Ink:
    """Turned by less than 45 degrees and cut."""
    angle = _tilt(ink)
    height, width = ink.shape
    wide, high = _sheet(width, height, np.radians(angle))
    way = cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0)
    way[:, 2] += ((wide - width) / 2, (high - height) / 2)
    return np.ascontiguousarray(cv2.warpAffine(ink, way, (wide, high)), np.uint8)


def _tilt(ink: Ink) -> float:
    """Degrees, −45…45, by which most edges of the print are off the picture's, clockwise."""
    soft = cv2.GaussianBlur(ink.astype(np.float32), (0, 0), 1.0)
    across, down = cv2.Scharr(soft, cv2.CV_32F, 1, 0), cv2.Scharr(soft, cv2.CV_32F, 0, 1)
    strength = np.hypot(across, down)
    strength = np.minimum(strength, np.percentile(strength, _STRONGEST))
    y, x = ((np.arange(side) + 0.5) / side - 0.5 for side in ink.shape)
    strength *= np.exp(-(x[None] ** 2 + y[:, None] ** 2) / (2 * _REACH**2))
    direction = np.degrees(np.arctan2(down, across)) % 90
    bins = (direction * (_BINS / 90)).astype(np.int64).ravel() % _BINS
    counts = np.bincount(bins, strength.ravel(), _BINS)
    if not counts.any():
        return 0.0
    # Directions run in a ring: 0 and 90 degrees are one.
    smooth = cv2.GaussianBlur(np.tile(counts, 3)[None], (0, 0), _SMOOTH)[0, _BINS : 2 * _BINS]
    angle = (int(smooth.argmax()) + 0.5) * 90 / _BINS
    return angle if angle < 45 else angle - 90


def _on_its_side(ink: Ink) -> bool:
    """Whether print changes much more from left to right than from line to line."""
    square = cv2.resize(ink, (_SQUARE, _SQUARE), interpolation=cv2.INTER_AREA).astype(np.float32)
    middle = square[_SQUARE // 6 : -_SQUARE // 6, _SQUARE // 6 : -_SQUARE // 6]
    middle = np.minimum(middle, np.percentile(middle, _BRIGHT) + 1)
    down, across = (
        sum(float(np.abs(np.diff(strip.mean(axis=1))).sum()) for strip in np.array_split(one, 4, 1))
        for one in (middle, middle.T)
    )
    return down < _SIDEWAYS * across


def _sheet(width: int, height: int, turn: float) -> tuple[int, int]:
    """Width and height of the sheet that the picture is framed around, turned by so many radians.

    A sheet of w × h takes up w·cos + h·sin by w·sin + h·cos; near 45 degrees that tells little of w and h.
    """
    cos, sin = abs(np.cos(turn)), abs(np.sin(turn))
    told = max(cos * cos - sin * sin, _EVEN)
    wide = np.clip((width * cos - height * sin) / told, _LEAST * width, width)
    high = np.clip((height * cos - width * sin) / told, _LEAST * height, height)
    return max(1, round(float(wide))), max(1, round(float(high)))
