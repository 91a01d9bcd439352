"""How high each line stands on the flattened page: what the slopes of the lines leave, rows take out."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Widths, in heights of a line, of the windows in which lines count as one row, from rough to fine.
_WINDOWS = (0.8, 0.6, 0.45, 0.35, 0.3, 0.25)
# Lines further apart than so many heights at the start are never taken for one row.
_REACH = 3.0
# What each of `_terms` costs.
_STIFF = np.diag((1e-3, 1e-3, 1e-3, 1e-2, 1e-2, 1e-2))
# How much a line's own slope counts against lines that stand beside it.
_OWN = 0.3


def aligned(level: Array, across: Array, wide: Array, high: Array) -> Array:
    """The levels with lines that stand beside each other brought to one height.

    A page is bent smoothly, so lines that nearly stand on one level are likelier one row than not:
    the smooth bend that makes most of them so is found by least squares, in ever narrower windows.
    Long lines keep their own slope, so that a row does not slip onto the next.

    `level` and `across` are the places of the lines' middles, `wide` and `high` their sizes; all are
    float64, (lines,), in pixels, as is the result.
    """
    size = max(float(np.ptp(across)), float(np.ptp(level)), 1.0)
    v, u, w = level / size, across / size, wide / size
    h = np.minimum(high, 1.5 * np.median(high)) / size
    first, second = _pairs(v, u, w, h)
    if not len(first):
        return level
    terms = _terms(u, v)
    slopes = _terms(u + w / 2, v) - _terms(u - w / 2, v)
    typical = float(np.median(h))
    trust = _OWN * w / (w + 8 * typical) / typical**2
    own = (slopes * trust[:, None]).T @ slopes + _STIFF
    apart, change = v[first] - v[second], terms[first] - terms[second]
    height = np.minimum(h[first], h[second])
    bend: Array = np.zeros(terms.shape[1])
    for window in _WINDOWS:
        weight = _weights((apart + change @ bend) / height, window)
        weight = weight * _crowding(weight, first, second, len(u)) / height**2
        weighted = change * weight[:, None]
        bend = np.linalg.solve(weighted.T @ change + own, -weighted.T @ apart)
    moved: Array = (v + terms @ bend) * size
    return moved


def _pairs(v: Array, u: Array, w: Array, h: Array) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Pairs of lines that stand beside each other and on nearly the same level."""
    beside = np.abs(u[:, None] - u) > (w[:, None] + w) / 2
    near = np.abs(v[:, None] - v) < _REACH * np.minimum(h[:, None], h)
    first, second = np.nonzero(np.triu(beside & near, 1))
    return first, second


def _terms(u: Array, v: Array) -> Array:
    """What bends the rows: everything up to the third degree that changes along them."""
    return np.stack([u, u * v, u**2, u**2 * v, u * v**2, u**3], axis=1)


def _weights(apart: Array, window: float) -> Array:
    weight: Array = np.exp(-((apart / window) ** 2))
    weight[np.abs(apart) > 1.5 * window + 0.2] = 0
    return weight


def _crowding(
    weight: Array, first: NDArray[np.intp], second: NDArray[np.intp], lines: int
) -> Array:
    """Lets each line count about once, however many stand in its row."""
    partners = np.bincount(first, weight, lines) + np.bincount(second, weight, lines)
    counts = np.maximum(partners, 1.0)
    share: Array = 1 / np.sqrt(counts[first] * counts[second])
    return share
