"""What counts as a difference between two readings of the same names."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from edge_clm.page.sibling import differences
from edge_clm.paper import (
    Candidate,
    Difference,
    Extraction,
    Field,
    Line,
    PageKind,
    PageText,
)
from edge_clm.values.value import Day, Money, Text, Value

BOX = ((0, 0), (9, 0), (9, 9), (0, 9))


def read(
    *fields: Field, lines: tuple[str, ...] = (), sure: float = 1.0
) -> tuple[PageText, Extraction]:
    """A page with these fields and lines."""
    text = PageText(tuple(Line(line, BOX, sure) for line in lines), 0, 60, 80)
    return text, Extraction(PageKind.INVOICE, "en", fields)


def field(name: str, raw: str, value: Value | None, sure: float = 0.95, **how: bool) -> Field:
    return Field(name, Candidate(raw, value, (), sure), **how)


def money(raw: str, sure: float = 0.95) -> Field:
    return field("total", raw, Money(Decimal(raw.strip("$ ")), "USD"), sure)


def seller(raw: str) -> Field:
    return field("seller", raw, Text(raw))


def test_a_changed_amount_is_told_as_printed() -> None:
    """Before and now; a field that only one of the two has is none that has changed."""
    before, now = read(money("$138.57"), seller("Ann Ltd")), read(money("$148.57"))
    assert differences(before, now) == (Difference("total", "$138.57", "$148.57"),)


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (money("$138.57"), money("138.57")),
        (money("$138.57"), money("$148.57", sure=0.5)),
        (seller("Northwind Trading Ltd"), seller("Northwind Tradlng Ltd.")),
        (
            field("date", "05/04/2026", Day((date(2026, 4, 5), date(2026, 5, 4)))),
            field("date", "5 April 2026", Day((date(2026, 4, 5),))),
        ),
        (field("number", "INV-10428", Text("INV-10428")), field("number", "INV 10428", None)),
        (
            money("$138.57"),
            field("total", "$148.57", Money(Decimal("148.57"), "USD"), ambiguous=True),
        ),
    ],
)
def test_what_is_no_change(before: Field, now: Field) -> None:
    """The same value in other print, a name misread by a letter, and what was not surely read."""
    assert differences(read(before), read(now)) == ()


@pytest.mark.parametrize(
    ("before", "now"),
    [
        (seller("Northwind Trading Ltd"), seller("Bluebird Foods Inc")),
        (
            field("iban", "DE89 3704 0044", Text("DE89 3704 0044")),
            field("iban", "DE89 3704 0045", Text("DE89 3704 0045")),
        ),
    ],
)
def test_another_name_and_one_digit_are_changes(before: Field, now: Field) -> None:
    """Of an account number every digit counts."""
    assert [one.field for one in differences(read(before), read(now))] == [now.name]


def test_a_stamp_is_told() -> None:
    """Alone on its line and surely read; the word in a sentence is no stamp."""
    before = read(lines=("Total 4.20", "To be paid by 4 May"))
    assert differences(before, read(lines=("Total 4.20", "*PAID*"))) == (
        Difference("mark", "", "PAID"),
    )
    assert differences(before, read(lines=("Total 4.20", "PAID"), sure=0.5)) == ()
    assert differences(read(lines=("Paid",)), read(lines=("PAID",))) == ()
