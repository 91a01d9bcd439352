"""Figures of twins that were lived through, from outcomes that are known."""

from __future__ import annotations

import pytest

from bench.failure import BenchError
from bench.lived import Lived, figures_of, question_of
from bench.twins.labels import Asked


def lived(kind: str, mode: str, *, field: str = "total", live: bool = True) -> Lived:
    given = mode != "cold" and bool(kind)
    return Lived("page", kind, field, mode, given, live, compared=True, over_off=1.25)


def test_an_answer_of_the_known_page_is_wrong_for_a_twin() -> None:
    """Warm or confirmed; and only where the control was served could it have been."""
    figures = figures_of(
        [
            lived("", "warm"),
            lived("digit", "cold"),
            lived("digit", "verified", field="date"),
            lived("strike", "cold", live=False),
        ]
    )
    assert (figures["lived.wrong"].value, figures["lived.wrong"].n) == (1, 3)
    assert figures["lived.wrong"].note == "2 of them live"
    assert (figures["lived.date.wrong"].value, figures["lived.total.wrong"].value) == (1, 0)
    assert figures["lived.live"].value == pytest.approx(2 / 3)
    assert figures["lived.control"].value == 1
    assert figures["miss.lookalike_over_off.p50"].value == 1.25


@pytest.mark.parametrize(
    ("field", "thing", "question"),
    [
        ("total", "", "What is the total?"),
        ("lines.2.unit_price", "Tea Pot", "What is the unit price of the Tea Pot?"),
        ("lines.2.quantity", "", ""),
        ("lines.2.code", "Tea Pot", ""),
        ("analytes.4", "Potassium", "What is the Potassium?"),
        ("patient", "", ""),
    ],
)
def test_a_value_is_asked_for_by_its_field_or_by_its_thing(
    field: str, thing: str, question: str
) -> None:
    """What has no name on the page is not asked for."""
    assert question_of(Asked(field, (), thing)) == question


def test_nothing_tried_is_no_figure() -> None:
    """A run without a twin says so instead of reporting that none went wrong."""
    with pytest.raises(BenchError, match="no page"):
        figures_of([lived("", "warm")])
