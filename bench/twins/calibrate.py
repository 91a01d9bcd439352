"""The thresholds of the rule, from trials on generated pages that nobody is judged by.

A bar is put where the tail of what must not pass it comes down to a stated rate: beyond a high quantile
the excess is taken to fall off exponentially (J. Pickands, Statistical inference using extreme order
statistics, 1975; of its family the member without an end and without a heavy tail).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np

from bench.failure import BenchError
from bench.twins.curve import NATS, loosened, same_under
from bench.twins.figures import twinned
from bench.twins.trials import CONTROL, WHOLE_PAGE, Page, Trial
from edge_clm.page.rule import Signals, Thresholds

BOUND = 0.001
"""Rate at which a twin may pass one bar."""
_TAIL = 0.1
"""Share of what must not pass that tells how its tail falls off."""
_LOST = 0.01
"""Share of controls that bars may cost which no twin depends on."""
_SPARE = 1.0
"""Nats by which the bar on marks stays away from every trial that it was put by: a tail is only supposed."""
_FEW = 30
"""Trials of a kind without which no bar is put."""
_MARKED = ("strike", "correction")
_STAMPED = ("stamp", "line_added")
_PRINTED = (
    "digit",
    "letter",
    "unit",
    "flag",
    "digit_lost",
    "digit_added",
    "point_lost",
    "sign_lost",
    "sign_added",
)


def calibrated(pages: Sequence[Page], usual: Thresholds) -> Thresholds:
    """The strictest bars that the stated rate needs; raises BenchError where trials are too few.

    Where no stamp was tried, the bar on marks far from any value is the usual one.
    """
    trials = [one for page in pages for one in page.trials if one.signals["names"]]
    controls = [one for one in trials if one.kind == CONTROL and one.asked != WHOLE_PAGE]
    printed = _signal(trials, "evidence", lambda one: one.kind in _PRINTED)
    # What is less likely than a rival is never proven, whatever twins there were.
    ratio = max(bar(printed), 0.0)
    near = _near_bar([Signals(**one.signals) for one in trials if one.kind in _MARKED], ratio)
    stamps = _signal(trials, "far", lambda one: one.kind in _STAMPED and one.asked == WHOLE_PAGE)
    found = [one for one in controls if one.signals["matches"]]
    return Thresholds(
        # That it was found at all: what must be proven is proven by the other signals.
        matches=1,
        naming=ratio,
        conflict=min(_quantile(found, "others"), -ratio),
        evidence=ratio,
        words=_quantile(found, "words"),
        near=near,
        far=-bar([-x for x in stamps]) if stamps else usual.far,
    )


def _near_bar(marked: Sequence[Signals], ratio: float) -> float:
    """The bar on the log odds of a mark, for values whose print is read through it.

    Most marks make print unsure, and are refused for that; the rate is that of all of them.
    """
    read = [-one.near for one in marked if min(one.naming, one.evidence) >= ratio]
    tail = -bar(read, BOUND * len(marked) / max(len(read), 1))
    return min(tail, -max(read) - _SPARE)


def bar(values: Sequence[float], bound: float = BOUND) -> float:
    """Where as few of such values lie above as `bound` says; raises BenchError for too few of them."""
    if len(values) < _FEW:
        raise BenchError(f"{len(values)} trials of a kind tell no bar; try more pages")
    start = float(np.quantile(values, 1 - _TAIL))
    beyond = [value - start for value in values if value > start]
    excess = float(np.mean(beyond)) if beyond else 0.0
    return start + excess * float(np.log(_TAIL / bound))


def kept(pages: Sequence[Page], thresholds: Thresholds, command: str) -> dict[str, object]:
    """What is written into models/: the thresholds, where they come from, and what looser ones would do."""
    trials = [one for page in pages for one in page.trials]
    controls = [one for one in trials if one.kind == CONTROL and one.asked != WHOLE_PAGE]
    curve = []
    for nats in NATS:
        same = same_under(loosened(thresholds, nats))
        found = twinned(trials, same)
        served = float(np.mean([same(one) for one in controls]))
        curve.append(
            {
                "nats": nats,
                "wrong": len(found.wrong),
                "live": len(found.live),
                "served": round(served, 4),
            }
        )
    return {
        "thresholds": {name: round(value, 4) for name, value in asdict(thresholds).items()},
        "bound": BOUND,
        "pages": len(pages),
        "trials": len(trials),
        "command": command,
        "curve": curve,
    }


def _signal(trials: Sequence[Trial], name: str, wanted: Callable[[Trial], bool]) -> list[float]:
    """A signal of those trials for which the known answer is wrong."""
    return [float(one.signals[name]) for one in trials if not one.truthful and wanted(one)]


def _quantile(trials: Sequence[Trial], name: str) -> float:
    return float(np.quantile([one.signals[name] for one in trials], _LOST))
