"""Points of a page that are found again on another capture of it.

D. Lowe, Distinctive Image Features from Scale-Invariant Keypoints, 2004; compared as R. Arandjelović and
A. Zisserman have it, Three things everyone should know to improve object retrieval, 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
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


def keypoints_of(pixels: Pixels) -> Keypoints:
    """The points of an upright picture, strongest first, at most `MOST`; a blank one has none."""
    small, scale = shrunk(pixels, SIDE)
    grey = cv2.cvtColor(small, cv2.COLOR_RGB2GRAY)
    # Shadow and glare change the light over a page by more than print does.
    even = cv2.createCLAHE(_CLIP, (_TILES, _TILES)).apply(grey)
    found, descriptors = cv2.SIFT.create(MOST, contrastThreshold=_CONTRAST).detectAndCompute(
        even, None
    )
    height, width = pixels.shape[:2]
    if descriptors is None:
        return Keypoints(np.zeros((0, 2), np.float32), np.zeros((0, 128), np.uint8), width, height)
    order = np.argsort([-one.response for one in found], kind="stable")[:MOST]
    # OpenCV counts from the middle of the first pixel.
    points = (np.array([found[at].pt for at in order], np.float32) + 0.5) * np.float32(scale)
    return Keypoints(points, descriptors[order].astype(np.uint8), width, height)


@dataclass(frozen=True, slots=True, eq=False)
class Likeness:
    """How alike the points of two pictures are, each with each."""

    values: NDArray[np.float32]
    """float32, (points of the first, points of the second), 0…1: cosines of rooted descriptors."""

    @classmethod
    def of(cls, one: Keypoints, other: Keypoints) -> Likeness:
        """Compares every point of one picture with every point of another."""
        return cls(_rooted(one.descriptors) @ _rooted(other.descriptors).T)

    def distinct(self) -> tuple[Indices, Indices]:
        """Pairs that are each other's best and much better than the next best; none of too few points."""
        if min(self.values.shape) < 2:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        two = np.argpartition(-self.values, 1, axis=1)[:, :2]
        values = np.take_along_axis(self.values, two, axis=1)
        best = np.where(values[:, 0] >= values[:, 1], two[:, 0], two[:, 1])
        # Of unit vectors, distance² is 2 − 2 × likeness.
        near, next_ = 2 - 2 * values.max(axis=1), 2 - 2 * values.min(axis=1)
        mutual = self.values.argmax(axis=0)[best] == np.arange(len(best))
        kept = np.flatnonzero((near < _RATIO**2 * next_) & mutual)
        return kept, best[kept]

    def near(self, expected: Points, seen: Points, radius: float) -> tuple[Indices, Indices]:
        """Pairs alike enough, each the other's best among those that lie where they are expected.

        `expected`: where each point of the first picture should lie on the second, pixels; `seen`: the
        points of the second; `radius`: pixels.
        """
        if not self.values.size:
            return np.zeros(0, np.int64), np.zeros(0, np.int64)
        squared = (expected**2).sum(axis=1)[:, None] + (seen**2).sum(axis=1)[None]
        squared -= 2 * expected @ seen.T
        within = np.where(squared <= radius**2, self.values, np.float32(0))
        best = within.argmax(axis=1)
        likeness = within[np.arange(len(best)), best]
        mutual = within.argmax(axis=0)[best] == np.arange(len(best))
        kept = np.flatnonzero((likeness >= _ALIKE) & mutual)
        return kept, best[kept]


def _rooted(descriptors: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Square roots of the descriptors' shares: unit vectors."""
    rows = descriptors.astype(np.float32)
    rows /= np.maximum(rows.sum(axis=1, keepdims=True), 1)
    return np.asarray(np.sqrt(rows), np.float32)
