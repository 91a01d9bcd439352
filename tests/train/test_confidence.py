"""Curves that say what a confidence is worth."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.page.fields.calibration import OTHER, worth
from edge_clm.train.calibration_error import ece
from edge_clm.train.confidence import fit, isotonic, judged
from tests.train.nano.sheets import sheets

PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=200)


@given(PAIRS)
def test_a_curve_never_falls(pairs: list[tuple[float, bool]]) -> None:
    """Whatever was seen, a stronger reading is worth no less, and none is certain."""
    curve = isotonic(pairs)
    assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in itertools.pairwise(curve))
    assert all(0 < height < 1 for _, height in curve)


@given(PAIRS, st.floats(0, 1), st.floats(0, 1))
def test_worth_rises_with_strength(
    pairs: list[tuple[float, bool]], one: float, other: float
) -> None:
    """Between and beyond its points a curve keeps rising."""
    curve = isotonic(pairs)
    assert worth(curve, min(one, other)) <= worth(curve, max(one, other))


def test_overconfidence_is_taken_down() -> None:
    """Readings that call themselves 0.9 and are right half the time are worth a half afterwards."""
    seen = [("total", 0.9, at % 2 == 0) for at in range(400)]
    curve = fit(seen)["total"]
    plain = [(strength, right) for _, strength, right in seen]
    assert ece(plain) == pytest.approx(0.4)
    assert ece([(worth(curve, strength), right) for strength, right in plain]) < 0.02


def test_seldom_fields_share_a_curve() -> None:
    """A field that was hardly ever read takes the curve of the rest."""
    seen = [("total", 0.9, True)] * 100 + [("shipping", 0.5, False)] * 5
    assert set(fit(seen)) == {"total", OTHER}


def test_pages_read_without_fault_are_mostly_right(reports: Path) -> None:
    """What the rules read on perfect text is judged, and most of what they are sure of is right."""
    seen = [one for sheet in sheets(reports, "train", 6) for one in judged(sheet)]
    sure = [right for _, strength, right in seen if strength > 0.8]
    assert len(sure) > 30
    assert sum(sure) / len(sure) > 0.7
