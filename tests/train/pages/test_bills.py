"""Bills add up, whatever the country and the tax."""

from __future__ import annotations

from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.train.pages.amounts import amounts_of
from edge_clm.train.pages.bills import Bills
from edge_clm.train.pages.draw import chance
from edge_clm.train.pages.places import PLACES
from edge_clm.values.money import money_readings

SORTS = ("groceries", "meals", "services", "products")


@given(st.integers(0, 10**6), st.sampled_from(PLACES), st.booleans())
@settings(deadline=None, max_examples=150)
def test_the_parts_make_the_total(seed: int, place, rounds: bool) -> None:  # type: ignore[no-untyped-def]
    """Lines make the goods; goods, discount, charges, tax and rounding make the total."""
    rng = chance("bill", seed)
    amounts = amounts_of(rng, place)
    bill = Bills(rng, place, amounts, "train").bill(SORTS, 22, rounds)
    assert bill.items
    assert sum(item.amount for item in bill.items) == bill.goods
    for item in bill.items:
        exact = item.quantity * item.price * (100 - item.discount) / 100
        assert abs(item.amount - exact) <= Decimal("0.5").scaleb(-place.cents)
    charged = bill.goods - bill.discount + bill.shipping + bill.service
    taxed = charged if bill.inclusive else charged + bill.tax
    assert bill.total == taxed + bill.rounding
    assert bill.net + bill.tax + bill.rounding == bill.total
    assert abs(bill.rounding) <= Decimal("0.03")
    for line in bill.taxes:
        assert abs(line.base * line.rate / 100 - line.tax) <= Decimal("1.1").scaleb(-place.cents)


@given(st.integers(0, 10**6), st.sampled_from(PLACES), st.integers(-(10**8), 10**9))
@settings(deadline=None)
def test_amounts_are_read_back(seed: int, place, cents: int) -> None:  # type: ignore[no-untyped-def]
    """What is printed for an amount, with the currency or without, is read as that amount."""
    amounts = amounts_of(chance("amount", seed), place)
    amount = amounts.cut(Decimal(cents) / 100)
    for text in (amounts.bare(amount), amounts.signed(amount)):
        readings = money_readings(text, place.currency, place.decimal)
        assert any(one.amount == amount for one in readings), text
