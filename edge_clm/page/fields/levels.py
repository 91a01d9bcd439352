"""How high each line stands on the flattened page: what the slopes of the lines leave, rows take out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Indices = NDArray[np.intp]

# A page of print has some thousands of pairs; of more only the nearest count.
_MOST_PAIRS = 40_000
# Widths, in heights of a line, of the windows in which lines count as one row, from rough to fine.
_WINDOWS = (0.8, 0.6, 0.45, 0.35, 0.3, 0.25)
_FINEST = _WINDOWS[-1]
# Lines further apart than so many heights at the start are never taken for one row.
_REACH = 4.0
# What each of `_terms` costs.
_STIFF = np.diag((1e-3, 1e-3, 1e-3, 1e-2, 1e-2, 1e-2))
# How much a line's own slope counts against lines that stand beside it.
_OWN = 0.3
# By how many heights a page's edge may stand too high or too low at the start.
_LIFTS = (0.0, -1.5, 1.5)
# A line whose end lies lower by so many heights stands tilted, whatever OCR makes of its box.
_TOLD = 0.5
# What a bend against the lines' own slopes costs the count of lines that meet.
_COST = 1.0


def aligned(level: Array, across: Array, fall: Array, wide: Array, high: Array) -> Array:
    """The levels with lines that stand beside each other brought to one height.

    A page is bent smoothly, so lines that nearly stand on one level are likelier one row than not:
    the smooth bend that makes most of them so is found by least squares, in ever narrower windows.
    Long lines keep their own slope. As a whole column may seem to stand one row too high, several
    bends are tried as a start, and the one under which most lines meet is kept.

    `level` and `across` are the places of the lines' middles, `fall` by how much each one's end lies
    lower than its start, `wide` and `high` their sizes; all are float64, (lines,), in pixels, as is
    the result.
    """
    size = max(float(np.ptp(across)), float(np.ptp(level)), 1.0)
    v, u, w = level / size, (across - across.mean()) / size, wide / size
    h = np.minimum(high, 1.5 * np.median(high)) / size
    first, second = _pairs(v, u, w, h)
    if not len(first):
        return level
    page = _Page(u, v, w, h, fall / size, first, second)
    bends = [page.bend(start) for start in page.starts()]
    best = max(bends, key=page.meeting)
    moved: Array = (v + page.terms @ best) * size
    return moved


class _Page:
    """The lines of a page and the pairs of them that may stand in one row."""

    def __init__(
        self, u: Array, v: Array, w: Array, h: Array, fall: Array, first: Indices, second: Indices
    ) -> None:
        self.terms = _terms(u, v)
        self._u, self._first, self._second = u, first, second
        self._fall, self._typical = fall, float(np.median(h))
        self._slopes = _terms(u + w / 2, v) - _terms(u - w / 2, v)
        self._trust = w / (w + 8 * self._typical)
        self._apart, self._change = v[first] - v[second], self.terms[first] - self.terms[second]
        self._height = np.minimum(h[first], h[second])

    def starts(self) -> list[Array]:
        """Bends to start from: the page's sides lifted, or its middle."""
        edge = max(float(np.abs(self._u).max()), 1e-6)
        lift = self._typical * np.asarray(_LIFTS)
        return [
            np.array([side / edge, 0, middle / edge**2, 0, 0, 0])
            for side in lift
            for middle in lift
        ]

    def bend(self, start: Array) -> Array:
        """The bend that least squares come to from this start."""
        bend = start
        for window in _WINDOWS:
            weight = self._weights(bend, window) / self._height**2
            weighted = self._change * weight[:, None]
            trust = _OWN * self._trust / (1 + (self._falls(bend) / _TOLD) ** 2) / self._typical**2
            own = self._slopes * trust[:, None]
            left = weighted.T @ self._change + own.T @ self._slopes + _STIFF
            bend = np.linalg.solve(left, -weighted.T @ self._apart - own.T @ self._fall)
        return bend

    def meeting(self, bend: Array) -> float:
        """About how many lines meet others, less those that the bend tilts."""
        tilted = self._trust * np.minimum((self._falls(bend) / _TOLD) ** 2, 1)
        return float(self._weights(bend, _FINEST).sum() - _COST * tilted.sum())

    def _falls(self, bend: Array) -> Array:
        """By how many heights each line's end lies lower than its start."""
        falls: Array = (self._fall + self._slopes @ bend) / self._typical
        return falls

    def _weights(self, bend: Array, window: float) -> Array:
        """How much each pair counts: near ones most, and each line about once."""
        apart = (self._apart + self._change @ bend) / self._height
        weight = np.exp(-((apart / window) ** 2))
        weight[np.abs(apart) > 1.5 * window + 0.2] = 0
        lines = len(self._u)
        partners = np.bincount(self._first, weight, lines)
        partners += np.bincount(self._second, weight, lines)
        counts = np.maximum(partners, 1.0)
        shared: Array = weight / np.sqrt(counts[self._first] * counts[self._second])
        return shared


def _pairs(v: Array, u: Array, w: Array, h: Array) -> tuple[Indices, Indices]:
    """Pairs of lines that stand beside each other and on nearly the same level."""
    beside = np.abs(u[:, None] - u) > (w[:, None] + w) / 2
    near = np.abs(v[:, None] - v) < _REACH * np.minimum(h[:, None], h)
    first, second = np.nonzero(np.triu(beside & near, 1))
    if len(first) > _MOST_PAIRS:
        nearest = np.argsort(np.abs(u[first] - u[second]), kind="stable")[:_MOST_PAIRS]
        first, second = first[nearest], second[nearest]
    return first, second


def _terms(u: Array, v: Array) -> Array:
    """What bends the rows: everything up to the third degree that changes along them."""
    return np.stack([u, u * v, u**2, u**2 * v, u * v**2, u**3], axis=1)
