"""How many captures of pages that were not learnt from find their sheet again."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from edge_clm.page.clip import Clip
from edge_clm.page.geometry import turned
from edge_clm.train.clip.gallery import Plan, shown

LEAST_OF = 2
"""Percentile of the cosines of captures of one sheet that `least` is."""


def check(clip: Clip, plan: Plan, count: int, directory: Path) -> dict[str, float]:
    """Shares of captures that come nearest to another capture of their sheet, look-alikes among the others.

    `upright` as they were captured, `turned` with the page on its side, `family` where a look-alike
    counts as right. `least` is the cosine that nearly all captures have with another of their sheet,
    `above` the share of other families' sheets, as seen by a capture, that have it too.
    """
    sheets = [(number, sheet) for number in range(count) for sheet in range(plan.sheets)]
    known = np.stack([clip.embed(shown(directory, *one, 0)) for one in sheets])
    told: dict[str, list[float]] = {"upright": [], "turned": [], "family": []}
    same, others = list[float](), list[np.ndarray[tuple[int], np.dtype[np.float32]]]()
    for at, one in enumerate(sheets):
        for view in range(1, plan.views):
            pixels = shown(directory, *one, view)
            likeness = known @ clip.embed(pixels)
            nearest = int(likeness.argmax())
            same.append(float(likeness[at]))
            others.append(likeness[[number != one[0] for number, _ in sheets]])
            sideways = int((known @ clip.embed(turned(pixels, 90))).argmax())
            told["upright"].append(nearest == at)
            told["turned"].append(sideways == at)
            told["family"].append(sheets[nearest][0] == one[0])
    least = float(np.percentile(same, LEAST_OF))
    shares = {name: float(np.mean(right)) for name, right in told.items()}
    above = float(np.mean(np.concatenate(others) >= least))
    return shares | {"sheets": len(sheets), "least": least, "above": above}
