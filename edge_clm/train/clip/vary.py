"""Ink as another capture of the same sheet might have left it: moved, turned, fainter, hidden in part."""

from __future__ import annotations

import math
from random import Random

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.page.ink import Ink
from edge_clm.train.pages.draw import weighted

_TURNS = {0: 0.82, 180: 0.12, 90: 0.03, 270: 0.03}
"""Levelling does not tell head from foot, nor always a side from either."""
_HIDDEN = 0.3
"""How often a part of it is in glare or beyond the edge."""


def varied(ink: Ink, side: int, rng: Random) -> Ink:
    """A square picture of that many pixels a side."""
    placed = cv2.warpAffine(
        ink, _way(ink, side, rng), (side, side), flags=cv2.INTER_LINEAR, borderValue=0
    )
    if rng.random() < 0.5:
        placed = cv2.GaussianBlur(placed, (0, 0), rng.uniform(0.2, 0.9))
    light = placed.astype(np.float32) * rng.uniform(0.6, 1.3)
    noise = np.random.default_rng(rng.getrandbits(64)).standard_normal(light.shape, np.float32)
    light += noise * np.float32(rng.uniform(0, 12))
    if rng.random() < _HIDDEN:
        _hide(light, rng)
    return np.asarray(np.clip(light, 0, 255), np.uint8)


def _way(ink: Ink, side: int, rng: Random) -> NDArray[np.float64]:
    """(2, 3): from the ink's pixels to those of the square."""
    height, width = ink.shape
    turn = weighted(rng, _TURNS)
    angle = math.radians(turn + rng.gauss(0, 4))
    scale = side / max(height, width) * rng.uniform(0.82, 1.12)
    spread = np.array([rng.gauss(1, 0.04), rng.gauss(1, 0.04)])
    rotation = np.array(
        [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]], np.float64
    )
    shear = np.array([[1, rng.gauss(0, 0.04)], [0, 1]])
    matrix = scale * rotation @ shear @ np.diag(spread)
    middle = np.array([side / 2 + rng.gauss(0, 0.03 * side) for _ in range(2)])
    return np.column_stack([matrix, middle - matrix @ (width / 2, height / 2)])


def _hide(light: NDArray[np.float32], rng: Random) -> None:
    side = len(light)
    width, height = (round(side * rng.uniform(0.1, 0.4)) for _ in range(2))
    left, top = rng.randrange(side - width), rng.randrange(side - height)
    light[top : top + height, left : left + width] *= rng.uniform(0, 0.5)
