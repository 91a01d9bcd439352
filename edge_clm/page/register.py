"""Where on a new capture each place of a known page lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import Ribbon
from edge_clm.page.keypoints import Keypoints, Likeness, Points
from edge_clm.page.landmarks import NO_LANDMARKS, Landmarks
from edge_clm.paper import Quad

_LOOSE = 0.03
"""Share of the capture's longest side by which bent paper may stray from a plane."""
_LEAST = 12
"""Matches without which nothing is registered."""
_NEIGHBOURS = 16
"""Matches around a point that say how the paper is bent there."""
_STRAY = 0.004
"""Share of the capture's longest side by which a match may stray from its neighbours."""
_ROUNDS = 2
_EXACT = {"algorithm": 4, "leaf_max_size": 10}
"""FLANN's single KD-tree: of its indices the one that finds the very nearest."""
_NODES = 28
"""Of a grid over the page, across and down."""
_BENDING = 0.6
"""By how much residuals may differ, per pixel that their points lie apart."""
_HALF = 0.5
_SURE, _ROUGH = 8.0, 2.0
"""What a landmark counts for against a match: at first, and where matches are many around it.

It is no chance likeness, but boxes of words lie some pixels off.
"""
_LOOKS = ((0.02, _SURE), (0.02, _SURE), (0.02, _SURE), (0.02, _ROUGH), (0.008, _ROUGH))
"""Rounds in which points are looked for again: within which share of the capture's longest side, and what
landmarks count for among those that are found."""
_STRAIGHT = 3.0
"""Times its height that a line is taken for straight."""
_MOST_BENDS = 24


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """The way from a known page to a new capture of it: a plane, and what its neighbours say of each place."""

    homography: NDArray[np.float64]
    """(3, 3)."""
    points: Points
    """Of the page: those that were found on the capture."""
    residuals: Points
    """How far each lies there from where the plane would have it."""
    weights: NDArray[np.float32]
    """What each counts for."""
    side: float
    """Longest side of the capture, pixels."""

    def places(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where points of the page, (points, 2), lie on the capture, or beside it by no more than its longest side.

        A page that is not the one may be laid over a capture in any way, some of it infinitely far off.
        """
        with np.errstate(all="ignore"):
            placed = _through(self.homography, points) + self._bent(points)
        return np.clip(np.nan_to_num(placed, nan=-self.side), -self.side, 2 * self.side)

    def roughly(self, page: Keypoints) -> Points:
        """Where the points of the page lie on the capture: between the places of a coarse grid."""
        size = np.array([page.width, page.height])
        at = (page.points / size * (_NODES - 1)).astype(np.float32)
        placed = self._grid(page.width, page.height)
        found = cv2.remap(placed, at[:, None, 0], at[:, None, 1], cv2.INTER_LINEAR)
        return np.asarray(found[:, 0], np.float32)

    def over(self, width: int, height: int, scale: float) -> Points:
        """(height, width, 2): the pixel of the capture to be seen at each of a page that is shown smaller.

        `scale`: how many pixels of the page one of these is.
        """
        placed = self._grid(width * scale, height * scale)
        across, down = (
            (np.arange(count, dtype=np.float32) + 0.5) / count * (_NODES - 1)
            for count in (width, height)
        )
        at = np.meshgrid(across, down)
        return np.asarray(cv2.remap(placed, at[0], at[1], cv2.INTER_LINEAR) - 0.5, np.float32)

    def _grid(self, width: float, height: float) -> Points:
        across, down = (np.linspace(0, end, _NODES) for end in (width, height))
        nodes = np.stack(np.meshgrid(across, down), axis=2)
        return self.places(nodes.reshape(-1, 2)).reshape(nodes.shape).astype(np.float32)

    def ribbon(self, quad: Quad) -> Ribbon:
        """Where a line of the page lies on the capture, bent as the paper is there."""
        a, b, c, d = np.asarray(quad, np.float64)
        long = float(np.linalg.norm(b - a)) / max(float(np.linalg.norm(d - a)), 1.0)
        along = np.linspace(0, 1, 2 + min(int(long / _STRAIGHT), _MOST_BENDS))[:, None]
        edges = np.stack([a + along * (b - a), d + along * (c - d)], axis=1)
        return np.asarray(self.places(edges.reshape(-1, 2)).reshape(edges.shape), np.float32)

    def _bent(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """By how much the paper is off the plane at each point.

        A robust affine fit of the residuals of the nearest matches, nearer ones weighing more.
        """
        near, away = _nearest(self.points, points, min(_NEIGHBOURS, len(self.points)))
        residuals = self.residuals[near].astype(np.float64)
        counting = self.weights[near].astype(np.float64)
        return _fit(self.points[near] - points[:, None], residuals, away, counting)


def register(
    page: Keypoints, capture: Keypoints, landmarks: Landmarks = NO_LANDMARKS
) -> Registration | None:
    """Registers a capture to a known page; None where too little of the page is found on it.

    A plane first, then what strays from it as its neighbours do; then every point is looked for again
    where they expect it, which finds several times as many and goes on, round by round, into parts that
    are bent away from the rest. Landmarks lead the way where nothing else is found.
    """
    side = float(max(capture.width, capture.height))
    likeness = Likeness.of(page, capture)
    known, seen = likeness.distinct()
    if len(known) < _LEAST:
        return None
    points, found = page.points[known], capture.points[seen]
    cv2.setRNGSeed(1)
    homography, inlying = cv2.findHomography(
        points, found, cv2.USAC_MAGSAC, _LOOSE * side, maxIters=4000, confidence=0.999
    )
    if homography is None or int(inlying.sum()) < _LEAST:
        return None
    registration = _agreed(homography, (points, found), landmarks, side, _SURE)
    for reach, weight in _LOOKS:
        if registration is None:
            return None
        expected = registration.roughly(page)
        known, seen = likeness.near(expected, capture.points, reach * side)
        matched = page.points[known], capture.points[seen]
        registration = _agreed(homography, matched, landmarks, side, weight)
    return registration


def _agreed(
    homography: NDArray[np.float64],
    matched: tuple[Points, Points],
    landmarks: Landmarks,
    side: float,
    weight: float,
) -> Registration | None:
    """The matches that stray from the plane as those around them do; None where they are too few.

    Landmarks ask one another alone: where paper bends most, nothing else may have been found rightly.
    """
    looked, sure = (
        _kept(known, _strays(homography, known, seen), side)
        for known, seen in (matched, (landmarks.known, landmarks.seen))
    )
    points, residuals = (np.concatenate(pair) for pair in zip(looked, sure, strict=True))
    weights = np.repeat(np.array([1.0, weight], np.float32), [len(looked[0]), len(sure[0])])
    if len(points) < _LEAST:
        return None
    return Registration(homography, points, residuals, weights, side)


def _strays(homography: NDArray[np.float64], points: Points, found: Points) -> Points:
    return np.asarray(found - _through(homography, points.astype(np.float64)), np.float32)


def _kept(points: Points, residuals: Points, side: float) -> tuple[Points, Points]:
    for _ in range(_ROUNDS):
        if len(points) < _LEAST:
            return points[:0], residuals[:0]
        kept = _agreeing(points, residuals, _STRAY * side)
        points, residuals = points[kept], residuals[kept]
    return points, residuals


def _agreeing(points: Points, residuals: Points, stray: float) -> NDArray[np.bool_]:
    """Which matches at least half of their nearest neighbours agree with.

    Neighbours may differ by a share of how far apart they lie: paper bends, and does not tear.
    """
    count = min(_NEIGHBOURS, len(points) - 1)
    near, away = _nearest(points, points, count + 1)
    apart = np.linalg.norm(residuals[near] - residuals[:, None], axis=2)
    agreeing = apart <= stray + _BENDING * away
    # Each point is among its own neighbours, and agrees with itself.
    return np.asarray(agreeing.sum(axis=1) - 1 >= _HALF * count)


def _nearest(
    points: Points, places: NDArray[np.floating[Any]], count: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The `count` points nearest to each place, nearest first, and how far away: (places, count) each."""
    tree = cv2.flann.Index(np.ascontiguousarray(points), _EXACT)
    near, squared = tree.knnSearch(np.asarray(places, np.float32), count)
    return near.astype(np.int64), np.sqrt(squared.astype(np.float64))


def _fit(
    offsets: NDArray[np.float64],
    residuals: NDArray[np.float64],
    away: NDArray[np.float64],
    counting: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The residual at offset 0 by an affine fit.

    `offsets`, `residuals`: (points, neighbours, 2); `away`, `counting`: (points, neighbours).
    """
    reach = np.maximum(np.median(away, axis=1), 1.0)[:, None]
    weight = counting * np.exp(-((away / (1.5 * reach)) ** 2))
    rows = np.concatenate([np.ones((*away.shape, 1)), offsets / reach[..., None]], axis=2)
    # A little stiffness: matches that lie on one line say nothing across it.
    stiff = np.diag([0.0, 0.3, 0.3])
    solved = np.zeros((len(away), 3, 2))
    solved[:, 0] = np.median(residuals, axis=1)
    for _ in range(_ROUNDS + 1):
        off = np.linalg.norm(residuals - rows @ solved, axis=2)
        usual = np.maximum(np.median(off, axis=1, keepdims=True), 0.5)
        robust = weight / (1 + (off / usual) ** 2)
        squared = rows.transpose(0, 2, 1) * robust[:, None]
        held = stiff * robust.sum(axis=1)[:, None, None] + 1e-9 * np.eye(3)
        solved = np.linalg.solve(squared @ rows + held, squared @ residuals)
    return np.asarray(solved[:, 0])


def _through(homography: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    full = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ homography.T
    return np.asarray(full[:, :2] / full[:, 2:])
