"""The figures of new photographs of known pages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from bench.report import Figure, count, ranked, ratio, share

_ABOUT_KNOWN = ("recall", "compare", "answer")
"""Steps at which it is decided whether a known page may serve."""
SERVED = ("warm", "verified")
"""Modes of an answer over the state of a page that was known before."""
ADDED = ("identify.recall", "identify.register", "identify.prove", "identify.attempt")
"""Stages that a page costs only where captures are recalled."""


@dataclass(frozen=True, slots=True)
class Asking:
    """A question about a further photo of a known page, in both arms."""

    document: str
    mode: str
    """Of the arm that may reuse."""
    reuse_ms: float
    cold_ms: float
    reuse_right: bool
    cold_right: bool
    stages: Mapping[str, float]
    notices: Sequence[str] = ()
    """Kinds of what was said of earlier captures, with the answer that may reuse."""
    reasons: Sequence[str] = ()
    """What was decided on its way, as STEP OUTCOME."""


@dataclass(frozen=True, slots=True)
class Miss:
    """A question about a page that was never seen."""

    document: str
    mode: str
    stages: Mapping[str, float]
    notices: Sequence[str] = ()

    @property
    def over_off(self) -> float:
        """All of its stages over those that it would have had without recall."""
        added = sum(self.stages.get(name, 0.0) for name in ADDED)
        whole = sum(self.stages.values())
        return whole / (whole - added)


def figures_of(askings: Sequence[Asking], misses: Sequence[Miss]) -> dict[str, Figure]:
    """All figures by name; those of warm answers only where there were any, likewise of misses."""
    warm = [one for one in askings if one.mode in SERVED]
    figures = {
        "rephoto.served": share(_by_document(askings, lambda one: float(one.mode in SERVED))),
        "rephoto.verified": share(_by_document(askings, lambda one: float(one.mode == "verified"))),
        "rephoto.right": share(_by_document(askings, lambda one: float(one.reuse_right))),
        "cold.right": share(_by_document(askings, lambda one: float(one.cold_right))),
        **_over_cold("e2e.rephoto_over_cold", askings),
    }
    if warm:
        wrong = _by_document(warm, lambda one: float(not one.reuse_right))
        figures["rephoto.wrong_warm"] = share(wrong)
        figures |= _over_cold("e2e.warm_over_cold", warm)
    read = [one for one in askings if one.mode not in SERVED]
    for why in sorted({_barred(one) for one in read}):
        told = _by_document(askings, partial(_is_barred, why))
        figures[f"rephoto.read.{why}"] = share(told)
    for kind in ("seen_before", "changed"):
        figures[f"notice.{kind}"] = share(_by_document(askings, partial(_noticed, kind)))
    for name in dict.fromkeys(name for one in askings for name in one.stages):
        figures[f"stage.{name}.p50_ms"] = ranked(_times(askings, name), 50, "ms")
    return figures | _missed(misses)


def _missed(misses: Sequence[Miss]) -> dict[str, Figure]:
    if not misses:
        return {}
    over = [[one.over_off] for one in misses]
    asked = [[float("identify.register" in one.stages)] for one in misses]
    figures = {f"miss.unique_over_off.p{rank}": ranked(over, rank, "ratio") for rank in (50, 95)}
    figures["miss.asked"] = share(asked)
    figures["notice.false"] = share([[float(bool(one.notices))] for one in misses])
    # A page that nobody has sent cannot have been answered from memory: one is one too many.
    served = sum(one.mode != "cold" for one in misses)
    figures["miss.wrong"] = count(served, len(misses), "answers")
    return figures


def _barred(one: Asking) -> str:
    """What kept the daemon from answering without reading: the last that was decided about a known page."""
    told = [why for why in one.reasons if why.split(" ")[0] in _ABOUT_KNOWN]
    return told[-1].replace(" ", ".") if told else "untold"


def _is_barred(why: str, one: Asking) -> float:
    return float(one.mode not in SERVED and _barred(one) == why)


def _noticed(kind: str, one: Asking) -> float:
    return float(kind in one.notices)


def _over_cold(key: str, askings: Sequence[Asking]) -> dict[str, Figure]:
    above, below = (
        _by_document(askings, lambda one: one.reuse_ms),
        _by_document(askings, lambda one: one.cold_ms),
    )
    return {f"{key}.p{rank}": ratio(above, below, rank) for rank in (50, 95)}


def _times(askings: Sequence[Asking], stage: str) -> list[list[float]]:
    having = [one for one in askings if stage in one.stages]
    return _by_document(having, lambda one: one.stages[stage])


def _by_document(askings: Sequence[Asking], told: Callable[[Asking], float]) -> list[list[float]]:
    groups: dict[str, list[float]] = defaultdict(list)
    for one in askings:
        groups[one.document].append(told(one))
    return list(groups.values())
