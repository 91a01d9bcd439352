"""Printed forms and readings of dates, amounts, identifiers and names."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench import normalise

DAYS = st.dates(date(1970, 1, 1), date(2069, 12, 31))
CENTS = st.integers(0, 10**12).map(lambda cents: Decimal(cents).scaleb(-2))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("24 October, 2007", {date(2007, 10, 24)}),
        ("October 24th, 2007", {date(2007, 10, 24)}),
        ("2016-07-21 00:00:00", {date(2016, 7, 21)}),
        ("21 MAR 2018 17:59", {date(2018, 3, 21)}),
        ("2018-03-21T17:59:00Z", {date(2018, 3, 21)}),
        ("14.03.18", {date(2018, 3, 14)}),
        ("28 MAR 18", {date(2018, 3, 28)}),
        ("02/26/2011", {date(2011, 2, 26)}),
        ("12/02/2018", {date(2018, 2, 12), date(2018, 12, 2)}),
        ("1/5/99", {date(1999, 5, 1), date(1999, 1, 5)}),
        ("31/02/2018", set()),
        ("9.00", set()),
        ("", set()),
        ("15/30694700000/99", set()),
        ("15/5/30694700000", set()),
    ],
)
def test_date_readings(text: str, expected: set[date]) -> None:
    """A date has the readings that the calendar and its writing allow, and no other."""
    assert normalise.date_readings(text) == expected


@given(DAYS)
def test_date_with_named_month_has_one_reading(day: date) -> None:
    """Whoever names the month, in either order, leaves no doubt."""
    written = day.strftime("%d %B, %Y"), day.strftime("%b %d, %Y"), day.isoformat()
    assert all(normalise.date_readings(text) == {day} for text in written)


@given(DAYS)
def test_date_in_numbers_keeps_its_meaning_among_its_readings(day: date) -> None:
    """Numbers alone may be read two ways, one of which is right, and two ways only below 13."""
    for pattern in ("%d/%m/%Y", "%m-%d-%y"):
        readings = normalise.date_readings(day.strftime(pattern))
        assert day in readings
        assert len(readings) == (1 if day.day > 12 or day.day == day.month else 2)


@given(DAYS, st.sampled_from(["/", "-", ".", " "]))
def test_date_form_ignores_separators_and_zeros(day: date, separator: str) -> None:
    """The printed form of a date knows the order of its parts and nothing of its separators."""
    padded = separator.join((f"{day.day:02}", f"{day.month:02}", f"{day.year}"))
    assert normalise.date_form(padded) == f"{day.day}-{day.month}-{day.year}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RM 9.00", {"9"}),
        ("$ 1,234.50", {"1234.50"}),
        ("1.234,50 EUR", {"1234.50"}),
        ("1 234,50", {"1234.50"}),
        ("1'234.50", {"1234.50"}),
        ("12,34,567.00", {"1234567"}),
        ("1,234", {"1234", "1.234"}),
        ("0.234", {"0.234"}),
        ("(5.00)", {"-5"}),
        ("-$5.00", {"-5"}),
        ("5.00-", {"-5"}),
        ("１２.５０", {"12.50"}),
        ("1,23,4.5", set()),
        ("none", set()),
    ],
)
def test_amount_readings(text: str, expected: set[str]) -> None:
    """An amount is read with either separator where grouping allows it, and signs count."""
    assert normalise.amount_readings(text) == {Decimal(one) for one in expected}


@given(CENTS)
def test_amount_with_cents_has_one_reading(amount: Decimal) -> None:
    """An amount with cents is the same in English and in continental writing, with any currency."""
    english = f"{amount:,.2f}"
    continental = english.translate(str.maketrans(",.", ".,"))
    for text in (english, continental, f"RM{english}", f"{continental} €"):
        assert normalise.amount_readings(text) == {amount}


@given(CENTS, CENTS)
def test_different_amounts_never_agree(one: Decimal, other: Decimal) -> None:
    """Two amounts of unlike value share neither form nor reading: 9.00 is not 900."""
    if one != other:
        left, right = f"{one:.2f}", f"{other:.2f}"
        assert normalise.amount_form(left) != normalise.amount_form(right)
        assert not normalise.amount_readings(left) & normalise.amount_readings(right)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("99 SPEED MART S/B", "99 Speed Mart Sdn. Bhd."),
        ("MR. D.I.Y. (M) SDN BHD", "Mr DIY (M)"),
        ("Leach Inc", "leach, inc."),
        ("Clark PLC", "Clark"),
        ("Muster GmbH & Co. KG", "Muster GmbH &"),
        ("Nando's", "NANDOS"),
        ("Acme L.L.C.", "Acme"),
    ],
)
def test_name_form_drops_legal_form_and_punctuation(one: str, other: str) -> None:
    """Names that differ in case, punctuation and legal form are one."""
    assert normalise.name_form(one) == normalise.name_form(other) != ""


def test_name_form_keeps_what_stands_inside() -> None:
    """A word that is a legal form elsewhere stays inside a name, and a name never vanishes."""
    assert normalise.name_form("Co Inc Trading Ltd") == "coinctrading"
    assert normalise.name_form("Ltd") == "ltd"


@given(st.text(max_size=30), st.text(max_size=30))
def test_similarity_is_a_similarity(left: str, right: str) -> None:
    """It is symmetric, in 0…1 without values between 0 and one half, and 1 for equal strings only."""
    found = normalise.similarity(left, right)
    assert found == normalise.similarity(right, left)
    assert found == 0 or 0.5 <= found <= 1
    assert (found == 1) == (left == right)


def test_edit_distance() -> None:
    """Insertions, deletions and substitutions cost one each."""
    assert normalise.edit_distance("kitten", "sitting") == 3
    assert normalise.edit_distance("", "abc") == 3
    assert normalise.edit_distance("flaw", "lawn") == 2


@given(st.text(max_size=60))
def test_nothing_breaks_the_parsers(text: str) -> None:
    """Any text has forms and readings, if none, and forms are stable under repetition."""
    normalise.date_readings(text)
    normalise.amount_readings(text)
    assert normalise.words_form(normalise.words_form(text)) == normalise.words_form(text)
    assert normalise.identifier_form(normalise.identifier_form(text)) == normalise.identifier_form(
        text
    )
