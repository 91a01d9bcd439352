"""Values with their 95 % bounds: shares, percentiles, ratios."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import sqrt

import numpy as np
from numpy.typing import NDArray

Z = 1.959963984540054
ROUNDS = 2000
Values = NDArray[np.float64]
Bounds = tuple[float, float]


def wilson(right: int, trials: int) -> Bounds:
    """95 % bounds of a share, both in 0…1; (0, 1) where nothing was tried."""
    if not trials:
        return 0.0, 1.0
    share = right / trials
    spread = Z * sqrt(share * (1 - share) / trials + Z * Z / (4 * trials * trials))
    middle = share + Z * Z / (2 * trials)
    scale = 1 + Z * Z / trials
    return max(0.0, (middle - spread) / scale), min(1.0, (middle + spread) / scale)


def percentile(values: Sequence[float], rank: float) -> float:
    """The `rank`-th percentile (0…100), by linear interpolation."""
    return float(np.percentile(np.asarray(values, dtype=np.float64), rank))


def bootstrap(groups: Sequence[Sequence[float]], figure: Callable[[Values], float]) -> Bounds:
    """95 % bounds of `figure` over all values, with whole groups drawn anew.

    A group holds what belongs together: the trials on one document.
    """
    arrays = [np.asarray(group, dtype=np.float64) for group in groups]
    draw = np.random.default_rng(0)
    picks = draw.integers(0, len(arrays), size=(ROUNDS, len(arrays)))
    return _bounds([figure(np.concatenate([arrays[at] for at in row])) for row in picks])


def bootstrap_ratio(
    above: Sequence[Sequence[float]], below: Sequence[Sequence[float]], rank: float
) -> Bounds:
    """95 % bounds of percentile over percentile, with pairs of groups drawn anew.

    `above[i]` and `below[i]` are the two arms on document i.
    """
    pairs = [
        (np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64))
        for one, other in zip(above, below, strict=True)
    ]
    draw = np.random.default_rng(0)
    found = []
    for row in draw.integers(0, len(pairs), size=(ROUNDS, len(pairs))):
        upper = np.percentile(np.concatenate([pairs[at][0] for at in row]), rank)
        found.append(
            float(upper / np.percentile(np.concatenate([pairs[at][1] for at in row]), rank))
        )
    return _bounds(found)


def _bounds(found: Sequence[float]) -> Bounds:
    low, high = np.percentile(np.asarray(found), [2.5, 97.5])
    return float(low), float(high)
