"""What stands against an embedding: vectors made of a picture's pixels by rule or by their variance."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.types import Pixels

Vector = NDArray[np.float32]
_SIDE = 64
_LOW = 16


def hashed(pixels: Pixels) -> Vector:
    """The 256-bit perceptual hash: which low frequencies are above their median.

    As ±1/16, (256,): a product of two is 1 less a 128th of the bits that differ.
    """
    low = cv2.dct(_small(pixels))[:_LOW, :_LOW].ravel()
    return np.asarray(np.where(low > np.median(low), 1, -1) / _LOW, np.float32)


class Principal:
    """Pixels of a picture of 64 × 64 along the directions in which those of other pictures vary most."""

    def __init__(self, pictures: Sequence[Pixels], most: int) -> None:
        """Learns at most `most` directions from pictures, fewer where there are fewer pictures."""
        rows = np.stack([_small(picture).ravel() for picture in pictures])
        self._mean = rows.mean(axis=0)
        self._directions = np.linalg.svd(rows - self._mean, full_matrices=False)[2][:most]

    def vector(self, pixels: Pixels) -> Vector:
        """(directions,), of length 1."""
        found = self._directions @ (_small(pixels).ravel() - self._mean)
        return np.asarray(found / max(float(np.linalg.norm(found)), 1e-12), np.float32)


def _small(pixels: Pixels) -> Vector:
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY)
    small = cv2.resize(grey, (_SIDE, _SIDE), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.float32)
