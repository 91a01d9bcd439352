"""The judge and simpler ways to tell a page again, on the same trials."""

from __future__ import annotations

from collections.abc import Sequence

from bench.report import Figure, count, share
from bench.twins.figures import IsSame
from bench.twins.rivals import UP
from bench.twins.trials import CONTROL, Trial


def contest_figures(trials: Sequence[Trial], same: IsSame) -> dict[str, Figure]:
    """`rival.NAME.*`: how often controls are served, and answers of twins that would be wrong.

    Each rival at the threshold at which the one share exceeds the other by most; `.served_at_none_wrong` at the
    loosest one that lets no twin pass. The judge stands beside them.
    """
    tried = [one for one in trials if one.rivals]
    good = [one for one in tried if one.kind == CONTROL]
    bad = [one for one in tried if not one.truthful]
    if not good or not bad:
        return {}
    figures = _at("judge", [same(one) for one in good], [same(one) for one in bad], "")
    for name in UP:
        mine, others = ([_likeness(one, name) for one in some] for some in (good, bad))
        best = max(
            sorted(set(mine + others), reverse=True), key=lambda bar: _gain(mine, others, bar)
        )
        note = f"threshold {abs(best):.3g}"
        figures |= _at(name, [x >= best for x in mine], [x >= best for x in others], note)
        strict = [float(value > max(others)) for value in mine]
        figures[f"rival.{name}.served_at_none_wrong"] = share([strict])
    return figures


def _at(name: str, good: Sequence[bool], bad: Sequence[bool], note: str) -> dict[str, Figure]:
    served = sum(good) / len(good)
    return {
        f"rival.{name}.served": count(served, len(good), "share", note),
        f"rival.{name}.wrong": count(sum(bad), len(bad), "count", note),
    }


def _likeness(one: Trial, name: str) -> float:
    """What a rival has for the same page: more is more alike."""
    return one.rivals[name] if UP[name] else -one.rivals[name]


def _gain(good: Sequence[float], bad: Sequence[float], bar: float) -> float:
    return sum(x >= bar for x in good) / len(good) - sum(x >= bar for x in bad) / len(bad)
