"""Figures of many clients, from times that are known."""

from __future__ import annotations

from collections import Counter

import pytest

from bench.failure import BenchError
from bench.load import KNOWN, Served, _requests, figures_of


def test_half_of_what_is_asked_was_asked_before() -> None:
    """The other half is new, each question about a page once; the same seed asks the same."""
    requests = _requests(["a", "b"], 200, 7)
    new = [one for one in requests if one.question not in KNOWN]
    assert len(requests) == 200
    assert len(new) == len(set(new)) == 100
    assert requests == _requests(["a", "b"], 200, 7)
    assert {one.handle for one in requests} == {"a", "b"}


def test_there_are_only_so_many_new_questions() -> None:
    """A bench that would have to ask one twice says so."""
    with pytest.raises(BenchError, match="at most"):
        _requests(["a"], 1000, 0)


def test_rates_and_waits_are_ratios_of_the_arms() -> None:
    """Four answers in two seconds against two in four: four times as many a second."""
    on = Served(((10.0, 10.0), (30.0, 30.0)), 2.0, Counter(replay=3, warm=1))
    off = Served(((100.0,), (300.0,)), 4.0, Counter(cold=2))
    figures = figures_of(5, on, off)
    assert figures["load.5.rps_over_off"].value == 4
    assert figures["load.5.p50_over_off"].value == pytest.approx(0.1)
    assert (figures["load.5.replay"].value, figures["load.5.warm"].value) == (0.75, 0.25)
