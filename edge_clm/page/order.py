"""The order in which a page is read: rows from top to bottom, each from left to right."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import Quads, sides

Array = NDArray[np.float64]

# How far, in heights of the lower line, two lines of one row may be apart.
_APART = 0.5
# What each of `_terms` costs: slope, then bends of the second and the third degree.
_STIFF = (1e-6, 1e-4, 1e-4, 1e-3, 1e-3, 1e-3)


def reading_order(quads: Quads) -> list[int]:
    """Indices of the lines in reading order.

    A photographed page may be tilted by some 25 degrees and curled, so that the right end of a row
    lies lower than the next row's left end. The lines themselves show how the paper runs: a smooth
    height is fitted that is level along each of them, and rows are told apart by it.
    """
    if not len(quads):
        return []
    points = quads.astype(np.float64)
    level, across, _ = unbent(points)
    heights = np.maximum(sides(quads)[:, 1], 1.0)
    rows = _rows(level, heights)
    return [int(index) for row in rows for index in sorted(row, key=lambda item: across[item])]


def unbent(points: Array) -> tuple[Array, Array, Array]:
    """Each line's height on the flattened page, its place along the text, and how it still falls.

    `points` is float64, (lines, 4, 2), at least one line; the results are float64, (lines,), in
    pixels. The last is by how much a line's end lies lower than its start: what the fit has left.
    """
    starts, ends = points[:, [0, 3]].mean(axis=1), points[:, [1, 2]].mean(axis=1)
    centre, reach = points.mean(axis=(0, 1)), max(float(np.ptp(points, axis=(0, 1)).max()), 1.0)
    first, last = (starts - centre) / reach, (ends - centre) / reach
    length = np.linalg.norm(last - first, axis=1)
    change, rise = _terms(last) - _terms(first), last[:, 1] - first[:, 1]
    bend = _fit(change, -rise, length)
    middle = (first + last) / 2
    tilt = np.array([1.0, -bend[0]]) / np.hypot(1.0, bend[0])
    # The height falls off with the slope; this makes it pixels across the text again.
    level = (middle[:, 1] + _terms(middle) @ bend) * tilt[0]
    left = (rise + change @ bend) * tilt[0]
    return level * reach, middle @ tilt * reach, left * reach


def _terms(points: Array) -> Array:
    """What bends the rows: everything up to the third degree that changes along x."""
    x, y = points.T
    return np.stack([x, x * y, x**2, x**2 * y, x * y**2, x**3], axis=1)


def _fit(terms: Array, rises: Array, lengths: Array) -> Array:
    """Least squares over the lines' ends; twice more with less trust in lines that fit badly."""
    # Few lines show little of a bend: they may tilt the page, and barely curl it.
    ridge = np.diag(_STIFF) * max(float(lengths.sum()), 1e-9)
    weights: Array = lengths
    bend: Array = np.zeros(terms.shape[1])
    for _ in range(3):
        weighted = terms * weights[:, None]
        solved = np.linalg.solve(weighted.T @ terms + ridge, weighted.T @ rises)
        bend = np.asarray(solved, np.float64)
        slips = np.abs(terms @ bend - rises) / np.maximum(lengths, 1e-6)
        weights = lengths / (1 + (slips / 0.05) ** 2)
    return bend


def _rows(level: Array, heights: Array) -> list[list[int]]:
    rows: list[list[int]] = []
    for index in (int(value) for value in np.argsort(level, kind="stable")):
        if rows and _same_row(index, rows[-1], level, heights):
            rows[-1].append(index)
        else:
            rows.append([index])
    return rows


def _same_row(index: int, row: list[int], level: Array, heights: Array) -> bool:
    middle = float(np.mean(level[row]))
    height = min(float(heights[index]), float(np.median(heights[row])))
    return bool(level[index] - middle <= _APART * height)
