"""From signals to a verdict."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.page.rule import Signals, Thresholds, rule
from edge_clm.types import Verdict

BARS = Thresholds(40, 2.0, -4.0, 2.0, 0.5, 3.0, 0.2, 1.0)
GOOD = Signals(500, "number", 8.0, 7.0, 6.0, 0.9, -2.0, 0.05, -2.0, whole=False)


def test_all_that_is_needed_makes_it_the_same() -> None:
    """A page of which everything agrees is the same, for no reason that would have to be told."""
    told = rule(GOOD, BARS)
    assert (told.verdict, told.reasons) == (Verdict.SAME, ())


@pytest.mark.parametrize(
    ("change", "verdict"),
    [
        ({"matches": 10}, Verdict.UNSURE),
        ({"names": ""}, Verdict.UNSURE),
        ({"naming": 1.0}, Verdict.UNSURE),
        ({"naming": -9.0}, Verdict.DIFFERENT),
        ({"others": -9.0}, Verdict.DIFFERENT),
        ({"evidence": 0.5}, Verdict.UNSURE),
        ({"evidence": -5.0}, Verdict.DIFFERENT),
        ({"words": 0.2}, Verdict.UNSURE),
        ({"near": 3.5}, Verdict.UNSURE),
        ({"near": 2.5}, Verdict.SAME),
        ({"sign": 0.4}, Verdict.UNSURE),
        ({"far": 3.0, "whole": True}, Verdict.UNSURE),
        ({"far": 3.0}, Verdict.SAME),
        ({"whole": True}, Verdict.SAME),
    ],
)
def test_one_signal_decides(change: dict[str, float | str | bool], verdict: Verdict) -> None:
    """Any one that is missing makes it unsure, one that says something else makes it different."""
    told = rule(replace(GOOD, **change), BARS)
    assert told.verdict is verdict
    assert bool(told.reasons) is (verdict is not Verdict.SAME)


@given(
    values=st.tuples(*[st.floats(-20, 20) for _ in range(7)]),
    matches=st.integers(0, 100),
    nats=st.floats(0, 10),
)
def test_stricter_bars_never_let_more_pass(
    values: tuple[float, ...], matches: int, nats: float
) -> None:
    """What is the same under strict bars is the same under looser ones."""
    naming, others, evidence, words, near, sign, far = values
    signals = Signals(
        matches, "number", naming, others, evidence, words, near, sign, far, whole=True
    )
    looser = Thresholds(
        matches=BARS.matches - int(nats),
        naming=BARS.naming - nats,
        conflict=BARS.conflict - nats,
        evidence=BARS.evidence - nats,
        words=BARS.words - nats,
        near=BARS.near + nats,
        sign=BARS.sign + nats,
        far=BARS.far + nats,
    )
    if rule(signals, BARS).verdict is Verdict.SAME:
        assert rule(signals, looser).verdict is Verdict.SAME
