"""Readings weighed against each other, whether of several places or of several pages."""

from __future__ import annotations

import pytest

from edge_clm.page.fields.readings import chosen, grouped, together
from edge_clm.paper import Candidate
from edge_clm.values.value import Text


def candidate(raw: str, confidence: float = 0.9) -> Candidate:
    return Candidate(raw, Text(raw), (), confidence)


def test_readings_of_one_value_are_one() -> None:
    """What means the same stands together, the strongest in front."""
    readings = [candidate("Screw", 0.5), candidate("Nut", 0.8), candidate("SCREW", 0.9)]
    groups = grouped(readings, lambda it: it.confidence)
    assert [[it.raw for it in group] for group in groups] == [["SCREW", "Screw"], ["Nut"]]


def test_places_that_agree_make_surer() -> None:
    """Each further place takes some of the doubt away, and never all."""
    assert together(0.8, []) == pytest.approx(0.8)
    assert 0.8 < together(0.8, [0.5]) < together(0.8, [0.5, 0.5]) < 1.0


@pytest.mark.parametrize(
    ("second", "told", "ambiguous"), [(0.85, True, True), (0.6, True, False), (0.1, False, False)]
)
def test_second_reading(second: float, told: bool, ambiguous: bool) -> None:
    """One about as strong leaves no answer, a weaker one is told, a very weak one is not."""
    field = chosen("total", [(second, candidate("b")), (0.9, candidate("a"))])
    assert field.best.raw == "a"
    assert bool(field.alternatives) == told
    assert (field.ambiguous, field.look_again) == (ambiguous, ambiguous)


def test_unsure_or_unread() -> None:
    """A best reading of little confidence, or of no value, asks for a look."""
    assert chosen("total", [(0.9, candidate("a", 0.3))]).look_again
    assert chosen("total", [(0.9, Candidate("a", None, (), 0.9))]).look_again
