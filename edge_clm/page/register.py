"""Where on a new capture each place of a known page lies."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from edge_clm.page.keypoints import Keypoints, Points, matched
from edge_clm.paper import Quad

_LOOSE = 0.02
"""Share of the capture's longest side by which bent paper may stray from a plane."""
_LEAST = 12
"""Matches without which nothing is registered."""
_NEIGHBOURS = 16
"""Matches around a point that say how the paper is bent there."""
_STRAY = 0.004
"""Share of the capture's longest side by which a match may stray from its neighbours."""
_ROUNDS = 2


@dataclass(frozen=True, slots=True, eq=False)
class Registration:
    """The way from a known page to a new capture of it: a plane, and what its neighbours say of each place."""

    homography: NDArray[np.float64]
    """(3, 3)."""
    points: Points
    """Of the page: those that were found on the capture."""
    residuals: Points
    """How far each lies there from where the plane would have it."""
    side: float
    """Longest side of the capture, pixels."""

    def places(self, points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Where points of the page, (points, 2), lie on the capture."""
        flat = _through(self.homography, points)
        return np.asarray(flat + self._bent(points)[0])

    def place(self, quad: Quad) -> Quad:
        """Where a quad of the page lies on the capture."""
        a, b, c, d = ((float(x), float(y)) for x, y in self.places(np.asarray(quad, np.float64)))
        return a, b, c, d

    def confidence(self, quads: NDArray[np.float64]) -> NDArray[np.float64]:
        """0…1 for each quad, (quads, 4, 2): how closely the matches around it agree on where it lies."""
        middles = quads.mean(axis=1)
        _, spread = self._bent(middles)
        return np.asarray(np.exp(-((spread / (_STRAY * self.side)) ** 2)))

    def _bent(self, points: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """By how much the paper is off the plane at each point, and how far its neighbours disagree.

        A robust affine fit of the residuals of the nearest matches, nearer ones weighing more.
        """
        count = min(_NEIGHBOURS, len(self.points))
        away = np.linalg.norm(points[:, None] - self.points[None].astype(np.float64), axis=2)
        near = np.argpartition(away, count - 1, axis=1)[:, :count]
        shift, spread = np.empty((len(points), 2)), np.empty(len(points))
        for at, indices in enumerate(near):
            shift[at], spread[at] = _fit(
                self.points[indices] - points[at], self.residuals[indices], away[at, indices]
            )
        return shift, spread


def register(page: Keypoints, capture: Keypoints) -> Registration | None:
    """Registers a capture to a known page; None where too little of the page is found on it."""
    known, seen = matched(page, capture)
    if len(known) < _LEAST:
        return None
    side = float(max(capture.width, capture.height))
    cv2.setRNGSeed(1)
    homography, inlying = cv2.findHomography(
        known, seen, cv2.USAC_MAGSAC, _LOOSE * side, maxIters=4000, confidence=0.999
    )
    if homography is None or int(inlying.sum()) < _LEAST:
        return None
    kept = inlying.ravel().astype(bool)
    known, seen = known[kept], seen[kept]
    residuals = (seen - _through(homography, known.astype(np.float64))).astype(np.float32)
    for _ in range(_ROUNDS):
        agreed = _agreeing(known, residuals, _STRAY * side)
        if int(agreed.sum()) < _LEAST:
            return None
        known, residuals = known[agreed], residuals[agreed]
    return Registration(homography, known, residuals, side)


def _agreeing(points: Points, residuals: Points, stray: float) -> NDArray[np.bool_]:
    """Which matches stray from the median of their neighbours by little."""
    count = min(_NEIGHBOURS, len(points) - 1)
    away = np.linalg.norm(points[:, None] - points[None], axis=2)
    np.fill_diagonal(away, np.inf)
    near = np.argpartition(away, count - 1, axis=1)[:, :count]
    usual = np.median(residuals[near], axis=1)
    return np.asarray(np.linalg.norm(residuals - usual, axis=1) <= 2 * stray)


def _fit(
    offsets: NDArray[np.float64], residuals: Points, away: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """The residual at offset 0 by an affine fit, and the median distance of the matches from it."""
    reach = max(float(np.median(away)), 1.0)
    weight = np.exp(-((away / (1.5 * reach)) ** 2))
    rows = np.concatenate([np.ones((len(offsets), 1)), offsets / reach], axis=1)
    # A little stiffness: matches that lie on one line say nothing across it.
    stiff = np.diag([0.0, 0.3, 0.3])
    left = residuals.astype(np.float64)
    solved = np.median(left, axis=0)[None].repeat(3, 0) * [[1], [0], [0]]
    for _ in range(_ROUNDS + 1):
        off = np.linalg.norm(left - rows @ solved, axis=1)
        robust = weight / (1 + (off / max(float(np.median(off)), 0.5)) ** 2)
        squared = rows.T * robust
        solved = np.linalg.solve(
            squared @ rows + stiff * robust.sum() + 1e-9 * np.eye(3), squared @ left
        )
    off = np.linalg.norm(left - rows @ solved, axis=1)
    return np.asarray(solved[0]), float(np.median(off))


def _through(homography: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
    full = np.concatenate([points, np.ones((len(points), 1))], axis=1) @ homography.T
    return np.asarray(full[:, :2] / full[:, 2:])
