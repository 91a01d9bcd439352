"""Whether something grows: a slope over time that single odd samples do not move, with its interval."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bench.bounds import ROUNDS, Bounds, Values

STRETCHES = 45
"""Stretches that a run is cut into; each counts with its median, so that no unpacked photo is a trend."""
FEWEST = 4
_BLOCK = 5
"""Neighbouring stretches that are drawn together: what one holds, the next mostly holds too."""
_HOUR_S = 3600.0


@dataclass(frozen=True, slots=True)
class Trend:
    """A line through samples."""

    per_hour: float
    low: float
    high: float
    """95 % bounds of `per_hour`."""
    median: float
    """Of the samples."""
    stretches: int
    hours: float
    """From the first stretch to the last."""

    @property
    def growth(self) -> float:
        """What the line gains from its start to its end."""
        return self.per_hour * self.hours


def trend(times_s: Sequence[float], samples: Sequence[float]) -> Trend | None:
    """The trend of samples taken at rising times; None where there are too few.

    The slope is Theil and Sen's over the medians of equal stretches; the bounds come from drawing
    blocks of neighbouring residuals anew, since what is sampled has a memory.
    """
    at, level = _stretches(np.asarray(times_s, np.float64), np.asarray(samples, np.float64))
    if len(at) < FEWEST:
        return None
    slope = _theil_sen(at, level)
    low, high = _bounds(at, level, slope)
    scale = _HOUR_S
    hours = float(at[-1] - at[0]) / _HOUR_S
    middle = float(np.median(level))
    return Trend(slope * scale, low * scale, high * scale, middle, len(at), hours)


def _stretches(times: Values, samples: Values) -> tuple[Values, Values]:
    count = min(STRETCHES, len(times))
    cut = (
        [part for part in np.array_split(np.arange(len(times)), count) if len(part)]
        if count
        else []
    )
    at = [np.mean(times[part]) for part in cut]
    return np.asarray(at), np.asarray([np.median(samples[part]) for part in cut])


def _theil_sen(at: Values, level: Values) -> float:
    one, other = np.triu_indices(len(at), 1)
    return float(np.median((level[other] - level[one]) / (at[other] - at[one])))


def _bounds(at: Values, level: Values, slope: float) -> Bounds:
    line = slope * at
    residuals = level - line
    draw = np.random.default_rng(0)
    blocks = -(-len(at) // _BLOCK)
    starts = draw.integers(0, len(at), size=(ROUNDS, blocks))
    found = []
    for row in starts:
        picked = (row[:, None] + np.arange(_BLOCK)).ravel()[: len(at)] % len(at)
        found.append(_theil_sen(at, line + residuals[picked]))
    low, high = np.percentile(found, [2.5, 97.5])
    return float(low), float(high)
