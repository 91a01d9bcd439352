"""Marks that the words of a page do not show: ink where the known page has none, and none where it has."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.types import Pixels

HIGH = 32
"""Pixels of a line's height at which two looks of it are laid over each other."""
_SEGMENT = 64
"""Pixels of a line that are laid over each other at once."""
_SLACK = 4
"""Pixels by which a segment may lie off."""
_SOFT = 1.2
"""Pixels of blur that both looks are given, so that one that is less sharp is not missed for that."""
_DARKER = 0.3
"""Of the darkness of print by which ink must stand out."""

Ink = NDArray[np.float32]
"""float32, (height, width), 0 paper … 1 print."""


def marks(known: Pixels, seen: Pixels, line: slice) -> tuple[float, float]:
    """How much ink was added to a stretch of a page and how much was lost, in squares of a line's height.

    `known`, `seen`: the same stretch straightened from two captures, in one size, with `line` the rows
    that hold the print and `HIGH` of them.
    """
    one, other = _ink(known, line), _ink(seen, line)
    added = lost = 0.0
    width = one.shape[1]
    for left in range(0, max(width - _SEGMENT // 2, 1), _SEGMENT):
        right = width if width - left < 1.5 * _SEGMENT else left + _SEGMENT
        there = _laid(one[:, left:right], other, left)
        here = one[:, left:right]
        added += float(_beyond(there, here).sum())
        lost += float(_beyond(here, there).sum())
    return added / HIGH**2, lost / HIGH**2


def _ink(pixels: Pixels, line: slice) -> Ink:
    """How dark each pixel is in its darkest channel, against the paper around it and the print of its line."""
    soft = cv2.GaussianBlur(pixels, (0, 0), _SOFT).astype(np.float32) + 1
    around = cv2.dilate(soft, np.ones((HIGH // 2, HIGH // 2), np.uint8))
    paper = cv2.GaussianBlur(around, (0, 0), HIGH / 3)
    dark = 1 - (soft / paper).min(axis=2)
    print_ = max(float(np.percentile(dark[line], 97)), 0.08)
    return np.asarray(np.clip(dark / print_, 0, 1.5), np.float32)


def _laid(known: Ink, seen: Ink, left: int) -> Ink:
    """The part of a look that lies over a segment of the other, moved to where it fits best."""
    height, width = known.shape
    field = cv2.copyMakeBorder(seen, _SLACK, _SLACK, _SLACK, _SLACK, cv2.BORDER_REPLICATE)
    field = field[:, left : left + width + 2 * _SLACK]
    alike = cv2.matchTemplate(field, known, cv2.TM_CCORR)
    # Ink alone would be drawn to ink: of what lies beside it, as little as may be.
    squares = cv2.matchTemplate(field**2, np.ones_like(known), cv2.TM_CCORR)
    row, column = np.unravel_index(int((2 * alike - squares).argmax()), alike.shape)
    return np.asarray(field[row : row + height, column : column + width])


def _beyond(one: Ink, other: Ink) -> Ink:
    """The ink of one look that is not near ink of the other."""
    near = cv2.dilate(other, np.ones((3, 3), np.uint8))
    return np.asarray(np.maximum(one - near - _DARKER, 0))
