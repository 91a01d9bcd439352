"""Whether an eye could see on a capture what was edited."""

from __future__ import annotations

import cv2
import numpy as np

from edge_clm.types import Pixels

_SHARE = 0.25
"""Of the contrast of the print around it, what an edit must change."""
_LEAST = 6.0
"""Levels of 255 that it must change at least: less is grain."""
_AROUND = 40
"""Pixels around an edit that tell the contrast of the print there."""


def visible(before: Pixels, after: Pixels) -> bool:
    """Whether two captures of one photograph differ as plainly as print differs from paper there.

    In glare, in the dark or out of focus an edit may leave nothing to be seen; then nobody could tell.
    """
    change = cv2.blur(np.abs(after.astype(np.float32) - before).max(axis=2), (3, 3))
    most = float(change.max())
    rows, columns = np.nonzero(change >= 0.5 * most)
    top, left = max(0, int(rows.min()) - _AROUND), max(0, int(columns.min()) - _AROUND)
    part = slice(top, int(rows.max()) + _AROUND), slice(left, int(columns.max()) + _AROUND)
    grey = cv2.blur(cv2.cvtColor(before[part], cv2.COLOR_RGB2GRAY), (3, 3))
    low, high = np.percentile(grey, (1, 99))
    return most >= max(_LEAST, _SHARE * float(high - low))
