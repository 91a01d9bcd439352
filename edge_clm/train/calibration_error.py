"""How far confidences lie from the share of what is right."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

_BINS = 10


def ece(pairs: Sequence[tuple[float, bool]]) -> float:
    """Expected calibration error of (confidence, right) in ten bins of equal width, 0…1.

    C. Guo et al., On Calibration of Modern Neural Networks, 2017.
    """
    confidence, right = (np.asarray(column, float) for column in zip(*pairs, strict=True))
    bins = np.minimum((confidence * _BINS).astype(int), _BINS - 1)
    gaps = [
        abs(confidence[bins == one].mean() - right[bins == one].mean()) * (bins == one).mean()
        for one in np.unique(bins)
    ]
    return float(sum(gaps))
