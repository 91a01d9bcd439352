"""How values are taken from a model's text, and scored."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.score import Kind, score, take

RIGHT = [
    (Kind.AMOUNT, "9.00", "The total is RM 9.00."),
    (Kind.AMOUNT, "RM8.60", "8.60"),
    (Kind.AMOUNT, "$ 1,234.50", "The total is $1,234.50 for 3 items on 24/12/2018."),
    (Kind.AMOUNT, "1234.50", "total: 1 234,50 EUR."),
    (Kind.AMOUNT, "9.00", "Total - 9.00"),
    (Kind.AMOUNT, "9.00", "9.00, that is RM 9.00"),
    (Kind.DATE, "24 October, 2007", "The invoice date is October 24, 2007."),
    (Kind.DATE, "12/02/2018", "The date is 12/02/2018 10:33:00."),
    (Kind.DATE, "2016-07-21 00:00:00", "due on 21 July 2016"),
    (Kind.DATE, "24-MAR-2018", "Saturday, 24-MAR-2018"),
    (Kind.IDENTIFIER, "#415808", "Invoice number 415808, dated 24 October, 2007."),
    (Kind.IDENTIFIER, "INV-0042/A", "The number is INV-0042/A."),
    (Kind.NAME, "Brown-Rivers", "The seller is Brown-Rivers."),
    (Kind.NAME, "99 SPEED MART S/B", "The name of the company is 99 Speed Mart Sdn. Bhd."),
    (Kind.NAME, "Leach Inc", 'Seller: "Leach, Inc."'),
    (Kind.NAME, "Clark PLC", "The invoice was issued by Clark"),
    (Kind.QUANTITY, "4.1 mmol/L", "4.1 mmol/L"),
    (Kind.QUANTITY, "4.1 mmol/L", "4.10"),
    (Kind.QUANTITY, "<0.5 mg/L", "< 0.5 mg/L."),
    (Kind.SIDE, "High", "It is high."),
    (Kind.YES_NO, "Yes", "Yes, high."),
    (Kind.YES_NO, "No", "No."),
    (Kind.SIZE, "4.0 x 3.2 cm", "4.0 × 3.2 cm."),
    (Kind.PASSAGE, "No acute disease.", "No acute disease"),
    (Kind.ADDRESS, "NO.2, JALAN 19/9, 46300 PJ.", "The address is No. 2, Jalan 19/9, 46300 PJ"),
]
WRONG = [
    (Kind.AMOUNT, "9.00", "900"),
    (Kind.AMOUNT, "9.00", "-9.00"),
    (Kind.AMOUNT, "9.00", "It is 9.00 or 10.00."),
    (Kind.AMOUNT, "12", "1 or 2"),
    (Kind.AMOUNT, "9.00", "Not on the page."),
    (Kind.AMOUNT, "9.00", ""),
    (Kind.DATE, "12/02/2018", "2 December 2018"),
    (Kind.DATE, "14-03-18", "14-03-17"),
    (Kind.DATE, "02/26/2011", "Issued on 02/26/2011, due on 03/26/2011"),
    (Kind.IDENTIFIER, "#415808", "415809"),
    (Kind.IDENTIFIER, "#415808", "415808 or 415809"),
    (Kind.NAME, "Brown-Rivers", "Cannot be read."),
    (Kind.QUANTITY, "4.1 mmol/L", "4.1 mg/dL"),
    (Kind.QUANTITY, "4.1 mmol/L", "4.7 mmol/L"),
    (Kind.QUANTITY, "0.5", "<0.5"),
    (Kind.SIDE, "High", "It is low."),
    (Kind.SIDE, "Normal", "abnormal"),
    (Kind.SIDE, "High", "high or low"),
    (Kind.YES_NO, "No", "Not on the page."),
    (Kind.SIZE, "4.0 x 3.2 cm", "4.0 x 3.2 mm"),
    (Kind.NAME, "Brown-Rivers", "Brown-Rivers and Leach Inc"),
]


@pytest.mark.parametrize(("kind", "label", "text"), RIGHT)
def test_right(kind: Kind, label: str, text: str) -> None:
    """A text that states the label's value and no other is right."""
    assert score(kind, label, text).exact


@pytest.mark.parametrize(("kind", "label", "text"), WRONG)
def test_wrong(kind: Kind, label: str, text: str) -> None:
    """A text that states another value, several or none is wrong."""
    assert not score(kind, label, text).exact


@pytest.mark.parametrize(("kind", "label", "text"), RIGHT)
def test_frames_of_the_value_do_not_matter(kind: Kind, label: str, text: str) -> None:
    """The bare label is right as well: nothing is gained or lost by a sentence around it."""
    assert score(kind, label, label).exact


def test_likeness_of_names_only() -> None:
    """Names and addresses have a likeness, 0 when less than half is alike; other kinds have none."""
    near = score(Kind.NAME, "Brown-Rivers", "The seller is Brown-River.")
    assert not near.exact
    assert near.anls == pytest.approx(10 / 11)
    assert score(Kind.NAME, "Brown-Rivers", "Leach Inc").anls == 0
    assert score(Kind.AMOUNT, "9.00", "9.00").anls is None


@given(st.dates(date(1990, 1, 1), date(2069, 12, 31)), st.integers(1, 10**8))
def test_date_and_amount_are_told_apart(day: date, cents: int) -> None:
    """One sentence with a date and an amount gives each to the question that asks for it."""
    amount = f"{cents / 100:,.2f}"
    text = f"On {day:%d/%m/%Y} the total was RM {amount}."
    assert score(Kind.AMOUNT, amount, text).exact
    assert score(Kind.DATE, f"{day:%d/%m/%Y}", text).exact


@given(st.sampled_from(list(Kind)), st.text(max_size=80))
def test_what_is_taken_comes_from_the_text(kind: Kind, text: str) -> None:
    """No text breaks the taking, and what is taken is no longer than what was said."""
    assert len(take(kind, text)) <= 4 * len(text)
