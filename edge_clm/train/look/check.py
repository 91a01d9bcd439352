"""How well a look tells pages of the test split with a mark from those without."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from edge_clm.page.look import Look
from edge_clm.train.look.gallery import Plate
from edge_clm.train.look.lesson import lesson
from edge_clm.train.pages.draw import chance

SORTS = ("pen", "hand", "stamp", "print", "lost", "other", "letter", "sign")
"""What changes; see `edge_clm.train.look.changes`."""
_WIDE = 192
_QUIET = 0.01
"""Share of pairs without a mark that may be called marked."""
Scores = Mapping[str, NDArray[np.float64]]
"""Logits by sort of change, "" for none."""


def scores(look: Look, plates: Sequence[Plate], count: int, seed: int) -> Scores:
    """The logits of `count` pairs of each sort of change, and of five times as many without one.

    Pairs whose change cannot be seen plainly anywhere are left out.
    """
    found: dict[str, NDArray[np.float64]] = {}
    for sort in ("", *SORTS):
        logits = _logits(look, plates, sort, (count if sort else 5 * count, seed))
        found[sort] = np.array(list(logits))
    return found


def _logits(
    look: Look, plates: Sequence[Plate], sort: str, drawn: tuple[int, int]
) -> Iterator[float]:
    count, seed = drawn
    for number in range(count):
        rng = chance("look", "check", seed, sort, number)
        one = lesson(plates, _WIDE, rng, "test", sort)
        if not sort or (one.wanted == 1).any():
            yield from look.lines([(one.known, one.seen)])


def threshold(quiet: NDArray[np.float64], share: float = _QUIET) -> float:
    """The logit above which only that share of pairs without a mark lies."""
    return float(np.quantile(quiet, 1 - share))


def auroc(quiet: NDArray[np.float64], marked: NDArray[np.float64]) -> float:
    """How likely a pair with a mark scores above one without; ties count half."""
    above = (marked[:, None] > quiet[None]).mean()
    return float(above + 0.5 * (marked[:, None] == quiet[None]).mean())


def figures(found: Scores) -> dict[str, dict[str, float]]:
    """For each sort of change its AUROC, the share found at one false alarm in a hundred, and how many."""
    limit = threshold(found[""])
    return {
        sort: {
            "auroc": auroc(found[""], found[sort]),
            "found": float((found[sort] > limit).mean()),
            "n": float(len(found[sort])),
        }
        for sort in SORTS
        if len(found[sort])
    }
