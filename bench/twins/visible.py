"""Whether an eye could see on a capture what was edited."""

from __future__ import annotations

import cv2
import numpy as np

from edge_clm.paper import Quad
from edge_clm.train.pages.page import around
from edge_clm.types import Pixels

_SHARE = 0.25
"""Of the contrast of the print around it, what an edit must change."""
_LEAST = 6.0
"""Levels of 255 that it must change at least: less is grain."""
_AROUND = 40
"""Pixels around an edit that tell the contrast of the print there."""
_BESIDE = 0.4
"""Heights of a value's place around it in which an edit of it may be seen, and those of its neighbours not."""


def part(capture: Pixels, place: Quad) -> Pixels:
    """The part of a capture where an edit of a value shows; empty where the value lies beside it."""
    left, top, right, bottom = around([place])
    reach = _BESIDE * min(bottom - top, right - left)
    rows = slice(max(0, round(top - reach)), max(0, round(bottom + reach)))
    columns = slice(max(0, round(left - reach)), max(0, round(right + reach)))
    return capture[rows, columns]


def visible(before: Pixels, after: Pixels) -> bool:
    """Whether two captures of one photograph differ as plainly as print differs from paper there.

    In glare, in the dark or out of focus an edit may leave nothing to be seen; then nobody could tell.
    """
    if not before.size:
        return False
    change = cv2.blur(np.abs(after.astype(np.float32) - before).max(axis=2), (3, 3))
    most = float(change.max())
    rows, columns = np.nonzero(change >= 0.5 * most)
    top, left = max(0, int(rows.min()) - _AROUND), max(0, int(columns.min()) - _AROUND)
    about = slice(top, int(rows.max()) + _AROUND), slice(left, int(columns.max()) + _AROUND)
    grey = cv2.blur(cv2.cvtColor(before[about], cv2.COLOR_RGB2GRAY), (3, 3))
    low, high = np.percentile(grey, (1, 99))
    return most >= max(_LEAST, _SHARE * float(high - low))
