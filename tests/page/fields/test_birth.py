"""Days of birth lie before the report."""

from __future__ import annotations

from datetime import date

import pytest

from edge_clm.page.fields.birth import born_before
from edge_clm.page.fields.lab import read_lab
from edge_clm.page.fields.layout import layout_of
from edge_clm.paper import Candidate, Field
from edge_clm.values.dates import read_day
from edge_clm.values.habits import Habits
from edge_clm.values.value import Day
from tests.page.fields.pages import page

TODAY = date(2026, 3, 1)


def made(name: str, raw: str) -> Field:
    return Field(name, Candidate(raw, read_day(raw, "dmy"), (), 0.9))


@pytest.mark.parametrize(
    ("born", "collected", "day", "look"),
    [
        ("03/12/45", "", date(1945, 12, 3), False),
        ("03/12/45", "12/03/2024", date(1945, 12, 3), False),
        ("03/12/24", "", date(2024, 12, 3), False),
        ("03/12/24", "12/03/2024", date(1924, 12, 3), False),
        ("03/12/72", "12/03/2024", date(1972, 12, 3), False),
        ("03/12/2045", "12/03/2024", date(2045, 12, 3), True),
        ("03/12/1945", "12/03/2024", date(1945, 12, 3), False),
        ("12/03/2024", "12/03/2024", date(2024, 3, 12), False),
    ],
)
def test_birth_before_the_report(born: str, collected: str, day: date, look: bool) -> None:
    """A short year is of the last century where it would be later; a whole one asks for a look."""
    fields = [made("birth_date", born), *([made("collected", collected)] if collected else [])]
    field = born_before(fields, TODAY)[0]
    assert (field.best.value, field.look_again) == (Day((day,)), look)
    assert field.best.raw == born


def test_each_reading_is_moved_by_itself() -> None:
    """Of a day that can be read in two ways only the reading that is too late is moved."""
    two = Field("birth_date", Candidate("03/12/24", read_day("03/12/24"), (), 0.9))
    field, _ = born_before([two, made("reported", "01/06/2024")], TODAY)
    assert field.best.value == Day((date(1924, 12, 3), date(2024, 3, 12)))


def test_a_leap_day_that_was_none_asks_for_a_look() -> None:
    """1900 had no 29th of February."""
    field, _ = born_before([made("birth_date", "29/02/00"), made("reported", "01/06/99")], TODAY)
    assert field.look_again


def test_a_report_of_an_old_patient() -> None:
    """A short year on a report is read by the day of the sample."""
    text = page("Patient: Ada Quist", "DOB: 03/12/45", "Collected: 25/03/2024")
    fields, _ = read_lab(layout_of(text, 1), Habits(order="dmy"))
    found = {field.name: field.best.value for field in fields}
    assert found["birth_date"] == Day((date(1945, 12, 3),))
