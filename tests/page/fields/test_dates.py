"""Dates told apart by their labels."""

from __future__ import annotations

import pytest

from tests.page.fields.pages import page
from tests.page.fields.reading import read, slip


def test_labelled_dates() -> None:
    """The date of an invoice and the one it is due are told apart."""
    fields = read(
        page(
            [(40, "Issue Date:"), (200, "15 Jul, 2007"), (500, "Due Date:"), (650, "13 Oct, 2007")]
        )
    )
    assert fields["date"].best.raw == "15 Jul, 2007"
    assert fields["due_date"].best.raw == "13 Oct, 2007"


def test_label_above_the_date() -> None:
    """A date may stand under its label."""
    fields = read(
        page([(40, "Date of issue"), (400, "Due date")], [(40, "24/10/2007"), (400, "30/11/2007")])
    )
    assert fields["date"].best.raw == "24/10/2007"
    assert fields["due_date"].best.raw == "30/11/2007"


def test_date_without_label() -> None:
    """On a receipt the only date is its date; one with a time is likelier than another."""
    fields = slip(page("CORNER SHOP", "Best before 01/02/2030", "", "25/12/2018 8:13:39 PM"))
    assert fields["date"].best.raw == "25/12/2018"


@pytest.mark.parametrize(
    ("text", "date"),
    [
        ("Date:25/12/2018", "25/12/2018"),
        ("[Sales]2018-01-0522:55:25", "2018-01-05"),
        ("06/03/201820:01", "06/03/2018"),
        ("05 02-18", "05 02-18"),
    ],
)
def test_date_run_into_others(text: str, date: str) -> None:
    """A date is found that OCR has glued to its neighbours or robbed of a stroke."""
    assert slip(page("CORNER SHOP", text))["date"].best.raw == date


def test_two_dates_alike() -> None:
    """Two labelled dates that differ are ambiguous, not a guess."""
    fields = read(page("Invoice date: 01/02/2020", "Invoice date: 03/04/2021"))
    assert fields["date"].ambiguous
    assert fields["date"].look_again


def test_print_date_is_another() -> None:
    """The day of printing is not the document's."""
    fields = read(
        page([(40, "Print Date"), (200, "02/28/20")], [(40, "Invoice Date"), (200, "02/01/20")])
    )
    assert fields["date"].best.raw == "02/01/20"


def test_dates_of_a_schedule_do_not_outvote_the_label() -> None:
    """A date that recurs in a table is not the document's for that."""
    rows = [[(40, "Spot"), (300, "03/09/20"), (500, "$100.00")] for _ in range(6)]
    fields = read(page([(40, "Invoice Date"), (300, "03/29/20")], *rows))
    assert fields["date"].best.raw == "03/29/20"
    assert not fields["date"].ambiguous
