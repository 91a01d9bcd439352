"""Bars put by trials."""

from __future__ import annotations

from dataclasses import asdict, replace

import numpy as np
import pytest

from bench.failure import BenchError
from bench.twins.calibrate import bar, calibrated, kept
from bench.twins.curve import same_under
from bench.twins.trials import CONTROL, WHOLE_PAGE, Page, Trial
from edge_clm.page.rule import Signals, Thresholds

USUAL = Thresholds(1, 4, -8, 4, 0.2, 2.5, 0.2, -4.25)


def trial(kind: str, asked: str, signals: Signals, *, truthful: bool) -> Trial:
    edited = asked if kind in ("digit", "strike") else ""
    return Trial("p", "p", "invoice", False, "c", kind, edited, asked, truthful, asdict(signals))


def signals(rng: np.random.Generator, evidence: float, near: float, far: float) -> Signals:
    return Signals(
        matches=int(rng.integers(200, 900)),
        names="number",
        naming=8 + rng.normal(),
        others=8 + rng.normal(),
        evidence=evidence + rng.normal(),
        words=float(rng.uniform(0.7, 1)),
        near=near + rng.normal(),
        sign=0.0,
        far=far + rng.normal(),
        whole=False,
    )


def tried(count: int) -> list[Page]:
    """Controls, and twins by print, by the pen and by a stamp, as many of each."""
    rng = np.random.default_rng(5)
    trials = []
    for _ in range(count):
        trials += [
            trial(CONTROL, "total", signals(rng, 8, -4, -4), truthful=True),
            trial("digit", "total", signals(rng, -6, -2, -4), truthful=False),
            trial("strike", "total", signals(rng, 5, 6, -4), truthful=False),
            trial("stamp", WHOLE_PAGE, signals(rng, 6, -4, 7), truthful=False),
        ]
    return [Page(tuple(trials), (), ())]


def test_bars_part_twins_from_controls() -> None:
    """Bars lie between what twins have and what controls have."""
    found = calibrated(tried(120), USUAL)
    assert 0 <= found.evidence < 8
    assert -4 < found.near < 6
    assert -4 < found.far < 7
    assert found.conflict <= 0 < found.words


def test_no_twin_passes_the_bars_that_it_was_put_by() -> None:
    """However marks and print lie together, and with a nat to spare; controls still do."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        trials = [
            trial(
                kind,
                "total",
                signals(rng, rng.uniform(-6, 9), rng.uniform(-2, 9), -4),
                truthful=False,
            )
            for kind in ("digit", "strike")
            for _ in range(200)
        ]
        controls = [
            trial(CONTROL, "total", signals(rng, 14, -7, -4), truthful=True) for _ in range(50)
        ]
        found = calibrated([Page((*trials, *controls), (), ())], USUAL)
        same = same_under(replace(found, evidence=found.evidence - 0.9, naming=found.naming - 0.9))
        assert not any(map(same, trials))
        assert sum(map(same_under(found), controls)) > 25


def test_a_bar_on_signs_costs_what_those_have_that_it_lets_through() -> None:
    """Signs that the recogniser overlooks are stopped by their ink; where few were tried the usual bar stays."""
    rng = np.random.default_rng(2)
    (page,) = tried(120)
    overlooked = [
        replace(signals(rng, 7, -4, -4), sign=float(rng.uniform(0.4, 0.9))) for _ in range(60)
    ]
    signed = [trial("sign_added", "total", one, truthful=False) for one in overlooked]
    found = calibrated([page, Page(tuple(signed), (), ())], USUAL)
    assert found.sign < min(one.sign for one in overlooked)
    assert found.evidence == calibrated([page], USUAL).evidence
    few = calibrated([page, Page(tuple(signed[:20]), (), ())], USUAL)
    assert few.sign == USUAL.sign


def test_without_stamps_the_bar_on_marks_elsewhere_stays() -> None:
    """The others are put all the same."""
    (page,) = tried(120)
    bare = Page(tuple(one for one in page.trials if one.kind != "stamp"), (), ())
    found = calibrated([bare], USUAL)
    assert found.far == USUAL.far
    assert found.near == calibrated([page], USUAL).near


def test_the_curve_goes_with_the_thresholds() -> None:
    """What is kept says what looser bars would let through and serve."""
    pages = tried(120)
    told = kept(pages, calibrated(pages, USUAL), "command")
    curve = told["curve"]
    assert isinstance(curve, list)
    served = [point["served"] for point in curve]
    assert served == sorted(served)
    at_the_bars = next(point for point in curve if point["nats"] == 0)
    assert at_the_bars["wrong"] == 0


@pytest.mark.parametrize("bound", [0.01, 0.001])
def test_a_bar_holds_for_a_tail_that_falls_off_as_supposed(bound: float) -> None:
    """Of values whose tail is exponential about the stated share lies above the bar."""
    values = np.random.default_rng(3).exponential(size=20_000)
    share = float(
        (np.random.default_rng(4).exponential(size=400_000) > bar(values.tolist(), bound)).mean()
    )
    assert bound / 2 < share < bound * 2


def test_a_few_trials_tell_no_bar() -> None:
    """Ten trials put no bar for one in a thousand."""
    with pytest.raises(BenchError, match="more pages"):
        bar([1.0] * 10)
