"""When two typed values are the same."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.values.equal import equal
from edge_clm.values.value import Day, Money, Quantity, Text, Truth, Value

DAYS = st.dates(date(1970, 1, 1), date(2069, 12, 31))
NUMBERS = st.decimals(allow_nan=False, allow_infinity=False, places=2)
VALUES: st.SearchStrategy[Value] = st.one_of(
    st.builds(Money, NUMBERS, st.sampled_from(["", "USD", "MYR"])),
    st.lists(DAYS, min_size=1, max_size=2, unique=True).map(lambda days: Day(tuple(days))),
    st.builds(Quantity, NUMBERS, st.sampled_from(["", "mg", "g", "%"]), st.sampled_from(["", "<"])),
    st.builds(Text, st.text(max_size=20)),
    st.builds(Truth, st.booleans()),
)
SEPTEMBER, JUNE = date(1999, 9, 6), date(1999, 6, 9)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Money(Decimal(9), "MYR"), Money(Decimal("9.00"), "MYR")),
        (Money(Decimal("9.00"), "MYR"), Money(Decimal("9.00"))),
        (Day((SEPTEMBER,)), Day((SEPTEMBER,))),
        (Day((SEPTEMBER, JUNE)), Day((JUNE,))),
        (Day((SEPTEMBER, JUNE)), Day((SEPTEMBER, JUNE))),
        (Quantity(Decimal("4.2"), "mmol/L"), Quantity(Decimal("4.20"), "mmol/l")),
        (Quantity(Decimal(98), "%"), Quantity(Decimal(98))),
        (Text("INV-0042"), Text("inv 0042")),
        (Text("Reyes PLC"), Text("REYES")),
        (Text("7-Eleven Sdn Bhd"), Text("7 Eleven")),
        (Text("..."), Text("...")),
        (Truth(True), Truth(True)),
    ],
)
def test_equal(a: Value, b: Value) -> None:
    """Values that mean the same are equal either way round; what is not told is no difference."""
    assert equal(a, b)
    assert equal(b, a)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        (Money(Decimal(9), "MYR"), Money(Decimal(9), "USD")),
        (Money(Decimal(9)), Money(Decimal(-9))),
        (Money(Decimal(9)), Money(Decimal(90))),
        (Money(Decimal(9)), Quantity(Decimal(9))),
        (Day((SEPTEMBER,)), Day((JUNE,))),
        (Day((SEPTEMBER, JUNE)), Day((JUNE, SEPTEMBER))),
        (Day((SEPTEMBER, JUNE)), Day((SEPTEMBER, date(1999, 1, 1)))),
        (Quantity(Decimal(5), "mg"), Quantity(Decimal(5), "g")),
        (Quantity(Decimal(5), "mg", "<"), Quantity(Decimal(5), "mg")),
        (Text("INV-0042"), Text("INV-0043")),
        (Text("INV-0042"), Text("INV-00421")),
        (Text("4711 AG"), Text("4711")),
        (Text("Reyes"), Text("Reyes and Sons")),
        (Text("..."), Text("---")),
        (Text("9.00"), Money(Decimal("9.00"))),
        (Truth(True), Truth(False)),
    ],
)
def test_not_equal(a: Value, b: Value) -> None:
    """Values that differ in kind, digit, sign, unit or word are not equal, either way round."""
    assert not equal(a, b)
    assert not equal(b, a)


@given(VALUES, VALUES)
def test_laws(a: Value, b: Value) -> None:
    """Every value equals itself, and equality has no direction."""
    assert equal(a, a)
    assert equal(a, b) == equal(b, a)


@given(st.text("0123456789ABCX-/ ", min_size=1, max_size=20), st.integers(0, 19), st.integers(1, 9))
def test_another_digit_is_never_equal(text: str, place: int, step: int) -> None:
    """A text with one digit changed is another text."""
    places = [at for at, char in enumerate(text) if char.isdigit()]
    if places:
        at = places[place % len(places)]
        changed = text[:at] + str((int(text[at]) + step) % 10) + text[at + 1 :]
        assert not equal(Text(text), Text(changed))
