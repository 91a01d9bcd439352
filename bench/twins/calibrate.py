"""The thresholds of the rule, from trials on generated pages that nobody is judged by.

A bar is put where the tail of what must not pass it comes down to a stated rate: beyond a high quantile
the excess is taken to fall off exponentially (J. Pickands, Statistical inference using extreme order
statistics, 1975; of its family the member without an end and without a heavy tail).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray

from bench.failure import BenchError
from bench.twins.curve import NATS, loosened, same_under
from bench.twins.figures import twinned
from bench.twins.trials import CONTROL, WHOLE_PAGE, Page, Trial
from edge_clm.page.rule import Signals, Thresholds

BOUND = 0.001
"""Rate at which a twin of either sort, by print or by the pen, may pass."""
_TAIL = 0.1
"""Share of what must not pass that tells how its tail falls off."""
_LOST = 0.01
"""Share of controls that bars may cost which no twin depends on."""
_SPARE = 1.0
"""Nats by which bars stay away from every trial that they were put by: a tail is only supposed."""
_MARKS = tuple(step / 4 for step in range(-20, 17))
"""Bars on the log odds of a mark that are tried."""
_SIGNS = tuple(step / 20 for step in range(2, 11))
"""Bars on the ink of a sign that are tried."""
_SIGN_SPARE = 0.1
"""By how much more ink a twin may have and still count as one that no bar on signs stops."""
_FEW = 30
"""Trials of a kind without which no bar is put."""
_MARKED = ("strike", "correction")
_SIGNED = ("sign_added",)
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
    """Of the bars that hold the stated rate those by which most controls are served.

    A looser bar on marks or on signs needs a stricter one on ratios: which twins pass the one decides where the other
    is put. Where few stamps were tried, the bar on marks far from any value is the usual one, and where few signs
    that on signs. Raises BenchError where other trials are too few.
    """
    trials = [one for page in pages for one in page.trials if one.signals["names"]]
    controls = [one for one in trials if one.kind == CONTROL and one.asked != WHOLE_PAGE]
    found = [one for one in controls if one.signals["matches"]]
    stamps = _signal(trials, "far", lambda one: one.kind in _STAMPED and one.asked == WHOLE_PAGE)
    twins = [_twins(trials, kinds) for kinds in (_PRINTED, _MARKED)]
    if min(map(len, twins)) < _FEW:
        raise BenchError(f"{min(map(len, twins))} twins of a sort tell no bar; try more pages")
    signs = _SIGNS if len(_twins(trials, _SIGNED)) >= _FEW else (usual.sign,)
    far = -bar([-x for x in stamps]) if len(stamps) >= _FEW else usual.far
    least, others = _quantile(found, "words"), _quantile(found, "others")
    bars = [
        (near, sign, max(_ratio_bar(near, _told(sort, sign), len(sort)) for sort in twins))
        for near in _MARKS
        for sign in signs
    ]

    def put(near: float, sign: float, ratio: float) -> Thresholds:
        # That a page was found at all is enough: what must be proven is proven by the other signals.
        return Thresholds(1, ratio, min(others, -ratio), ratio, least, near, sign, far)

    def served(thresholds: Thresholds) -> int:
        return sum(map(same_under(thresholds), controls))

    return max((put(*one) for one in bars), key=served)


_Told = NDArray[np.float64]
"""For each trial the least ratio of what must be proven and the log odds of a mark: (trials, 2)."""


def _twins(trials: Sequence[Trial], kinds: Sequence[str]) -> list[Signals]:
    return [Signals(**one.signals) for one in trials if not one.truthful and one.kind in kinds]


def _told(twins: Sequence[Signals], sign: float) -> _Told:
    """Of those twins that a bar on signs may not stop."""
    passing = (one for one in twins if one.sign <= sign + _SIGN_SPARE)
    told = [(min(one.naming, one.evidence), one.near) for one in passing]
    return np.array(told, np.float64).reshape(-1, 2)


def _ratio_bar(near: float, told: _Told, count: int) -> float:
    """The ratio below which those twins must be that pass a bar on marks; what a rival beats is never proven.

    `count`: of all twins of the sort.
    """
    ratios, marks = told[:, 0], told[:, 1]
    passing, almost = ratios[marks <= near], ratios[marks <= near + _SPARE]
    bars = [0.0, *almost, *(passing + _SPARE)]
    if len(passing) >= _FEW:
        bars.append(bar(passing.tolist(), min(_TAIL, BOUND * count / len(passing))))
    return float(max(bars))


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
