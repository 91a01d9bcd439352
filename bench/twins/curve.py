"""Thresholds made looser or stricter together, to see what reuse costs in wrong answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace

from bench.failure import BenchError
from bench.report import Figure, count
from bench.twins.figures import IsSame, Legible, reuse_figures, twinned
from bench.twins.trials import Page, Trial
from edge_clm.page.rule import Signals, Thresholds, rule
from edge_clm.types import Verdict

NATS = (-8.0, -4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0, 8.0)
"""By how much the thresholds on ratios are moved; more is looser."""


def same_under(thresholds: Thresholds) -> IsSame:
    """Whether the rule takes a trial's capture for the same page."""

    def same(trial: Trial) -> bool:
        return rule(Signals(**trial.signals), thresholds).verdict is Verdict.SAME

    return same


def curve_figures(
    pages: Sequence[Page], thresholds: Thresholds, legible: Legible
) -> dict[str, Figure]:
    """`curve.NATS.*`: wrong answers of live twins, and reuse on real photos where pairs were tried."""
    trials = [one for page in pages for one in page.trials]
    figures = {}
    for nats in NATS:
        same = same_under(loosened(thresholds, nats))
        found = twinned(trials, same)
        figures[f"curve.{nats:+g}.wrong"] = count(len(found.wrong), len(found.live))
        reuse = reuse_figures(pages, same, legible)
        if reuse:
            figures[f"curve.{nats:+g}.reuse"] = reuse["reuse.real_photos"]
    return figures


def loosened(thresholds: Thresholds, nats: float) -> Thresholds:
    """The thresholds with every bar on a ratio or on log odds moved by so many nats."""
    return replace(
        thresholds,
        naming=thresholds.naming - nats,
        conflict=thresholds.conflict - nats,
        evidence=thresholds.evidence - nats,
        near=thresholds.near + nats,
        far=thresholds.far + nats,
    )


def with_settings(thresholds: Thresholds, settings: Sequence[str]) -> Thresholds:
    """The thresholds with some of them set, as NAME=NUMBER; raises BenchError for what is none."""
    kinds = {field.name: type(getattr(thresholds, field.name)) for field in fields(thresholds)}
    for setting in settings:
        name, _, number = setting.partition("=")
        if name not in kinds:
            raise BenchError(f"no threshold {name!r}; there are {', '.join(kinds)}")
        try:
            thresholds = replace(thresholds, **{name: kinds[name](number)})
        except ValueError as error:
            raise BenchError(f"{setting!r} is no number") from error
    return thresholds
