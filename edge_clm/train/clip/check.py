"""How many captures of pages that were not learnt from find their sheet again."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from edge_clm.page.clip import Clip
from edge_clm.page.geometry import turned
from edge_clm.train.clip.gallery import Plan, shown


def check(clip: Clip, plan: Plan, count: int, directory: Path) -> Mapping[str, float]:
    """Shares of captures that come nearest to another capture of their sheet, look-alikes among the others.

    `upright` as they were captured, `turned` with the page on its side, `family` where a look-alike
    counts as right.
    """
    sheets = [(number, sheet) for number in range(count) for sheet in range(plan.sheets)]
    known = np.stack([clip.embed(shown(directory, *one, 0)) for one in sheets])
    told: dict[str, list[float]] = {"upright": [], "turned": [], "family": []}
    for at, one in enumerate(sheets):
        for view in range(1, plan.views):
            pixels = shown(directory, *one, view)
            nearest = int((known @ clip.embed(pixels)).argmax())
            sideways = int((known @ clip.embed(turned(pixels, 90))).argmax())
            told["upright"].append(nearest == at)
            told["turned"].append(sideways == at)
            told["family"].append(sheets[nearest][0] == one[0])
    return {name: float(np.mean(right)) for name, right in told.items()} | {"sheets": len(sheets)}
