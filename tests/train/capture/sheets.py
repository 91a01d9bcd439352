"""Sheets that are drawn for tests."""

from __future__ import annotations

import numpy as np

from edge_clm.train.capture.grid import Size
from edge_clm.types import Pixels

A4 = (620, 877)


def blank(size: Size = A4) -> Pixels:
    return np.full((size[1], size[0], 3), 255, np.uint8)


def printed(size: Size = A4, seed: int = 0) -> Pixels:
    """Rows of strokes, about as dense as text."""
    chance = np.random.default_rng(seed)
    sheet = blank(size)
    for top in range(30, size[1] - 30, 22):
        left = 30
        while left < size[0] - 40:
            width = int(chance.integers(2, 9))
            sheet[top : top + int(chance.integers(5, 12)), left : left + width] = 20
            left += width + int(chance.integers(2, 12))
    return sheet
