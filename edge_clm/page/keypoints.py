"""Points of a page that are found again on another capture of it.

D. Lowe, Distinctive Image Features from Scale-Invariant Keypoints, 2004; compared as R. Arandjelović and
A. Zisserman have it, Three things everyone should know to improve object retrieval, 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
import torch
from numpy.typing import NDArray

from edge_clm.page.geometry import shrunk
from edge_clm.types import Pixels

SIDE = 1400
"""Pixels of the longest side of the picture that points are looked for on."""
MOST = 4000
"""Points of one picture."""
_TILES = 8
_CLIP = 2.0
_CONTRAST = 0.02
_RATIO = 0.85
"""How much nearer the nearest descriptor must be than the next one."""
_ALIKE = 0.8
"""Likeness from which on points are one that lie where they are expected."""

_CANDIDATES = 32

Indices = NDArray[np.int64]
Points = NDArray[np.float32]
"""float32, (points, 2): (x, y) in pixels of the upright picture, its first pixel spanning 0…1."""


@dataclass(frozen=True, slots=True, eq=False)
class Keypoints:
    """What is kept of a picture to register others to it."""

    points: Points
    descriptors: NDArray[np.uint8]
    """uint8, (points, 128)."""
    width: int
    """Of the picture, pixels."""
    height: int

    @property
    def nbytes(self) -> int:
        """Bytes of points and descriptors."""
        return self.points.nbytes + self.descriptors.nbytes


def keypoints_of(pixels: Pixels) -> Keypoints:
    """The points of an upright picture, strongest first, at most `MOST`; a blank one has none."""
    points, descriptors = strongest(pixels, SIDE, MOST)
    height, width = pixels.shape[:2]
    return Keypoints(points, descriptors, width, height)


def strongest(pixels: Pixels, side: int, most: int) -> tuple[Points, NDArray[np.uint8]]:
    """The strongest points of a picture, at most `most`, and their descriptors, uint8, (points, 128).

    Looked for on the picture made smaller, to `side` pixels of its longest side.
    """
    small, scale = shrunk(pixels, side)
    grey = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    # Shadow and glare change the light over a page by more than print does.
    even = cv2.createCLAHE(_CLIP, (_TILES, _TILES)).apply(grey)
    found, descriptors = cv2.SIFT.create(most, contrastThreshold=_CONTRAST).detectAndCompute(
        even, None
    )
    if descriptors is None:
        return np.zeros((0, 2), np.float32), np.zeros((0, 128), np.uint8)
    order = np.argsort([-one.response for one in found], kind="stable")[:most]
    # OpenCV counts from the middle of the first pixel.
    points = (np.array([found[at].pt for at in order], np.float32) + 0.5) * np.float32(scale)
    return points, descriptors[order].astype(np.uint8)


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """What each point of a picture may be on another: the most alike points there, best first."""

    values: NDArray[np.float32]
    """float32, (points of the first, candidates), 0…1: cosines of rooted descriptors."""
    candidates: Indices
    """int64, of that shape: which points of the second."""

    @classmethod
    def of(cls, one: Keypoints, other: Keypoints) -> Likeness:
        """Compares every point of one picture with every point of another."""
        values = _rooted(one.descriptors) @ _rooted(other.descriptors).T
        count = min(_CANDIDATES, values.shape[1])
        if count < 2 or not len(values):
            return cls(np.zeros((0, 2), np.float32), np.zeros((0, 2), np.int64))
        # Ten times as fast as NumPy's partition, and half of what registering took.
        best = torch.from_numpy(values).topk(count, dim=1)
        return cls(best.values.numpy(), best.indices.numpy())

    def distinct(self) -> tuple[Indices, Indices]:
        """Pairs that are much more alike than the next best, each point in one of them."""
        # Of unit vectors, distance² is 2 − 2 × likeness.
        near, next_ = (2 - 2 * self.values[:, at] for at in (0, 1))
        return self._single(near < _RATIO**2 * next_, np.zeros(len(near), np.int64))

    def near(self, expected: Points, seen: Points, radius: float) -> tuple[Indices, Indices]:
        """Pairs that are alike enough and lie where they are expected, each point in one of them.

        `expected`: where each point of the first picture should lie on the second, pixels; `seen`: the
        points of the second; `radius`: pixels.
        """
        away = np.linalg.norm(seen[self.candidates] - expected[:, None], axis=2)
        fits = (away <= radius) & (self.values >= _ALIKE)
        return self._single(fits.any(axis=1), fits.argmax(axis=1))

    def _single(self, kept: NDArray[np.bool_], choice: Indices) -> tuple[Indices, Indices]:
        """The pairs of kept points with their choice; of those with one choice the most alike."""
        ones = np.flatnonzero(kept)
        others = self.candidates[ones, choice[ones]]
        order = np.argsort(-self.values[ones, choice[ones]], kind="stable")
        _, first = np.unique(others[order], return_index=True)
        return ones[order[first]], others[order[first]]


def _rooted(descriptors: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Square roots of the descriptors' shares: unit vectors."""
    rows = descriptors.astype(np.float32)
    rows /= np.maximum(rows.sum(axis=1, keepdims=True), 1)
    return np.asarray(np.sqrt(rows), np.float32)
