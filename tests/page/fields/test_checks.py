"""Sums that come out, and those that do not."""

from __future__ import annotations

from decimal import Decimal

import pytest

from edge_clm.page.fields.checks import checks_of, flagged
from edge_clm.paper import Candidate, Check, Field, Table
from edge_clm.values.value import Money, Quantity, Value


def made(name: str, value: Value) -> Field:
    return Field(name, Candidate(str(value), value, (), 0.9))


def money(text: str) -> Money:
    return Money(Decimal(text), "EUR")


def sums(**parts: str) -> list[Field]:
    return [made(name, money(text)) for name, text in parts.items()]


def goods(*rows: tuple[str, str, str]) -> Table:
    return Table(
        "lines",
        tuple(
            (
                made("quantity", Quantity(Decimal(number))),
                made("unit_price", money(price)),
                made("amount", money(amount)),
            )
            for number, price, amount in rows
        ),
    )


def outcome(checks: tuple[Check, ...]) -> dict[str, bool]:
    return {check.name: check.holds for check in checks}


def test_sums_that_hold() -> None:
    """Goods come to the subtotal, with tax to the total, which is paid less the change."""
    fields = sums(subtotal="9.00", tax="0.54", total="9.54", paid="10.00", change="0.46")
    checks = checks_of(fields, [goods(("2", "3.50", "7.00"), ("1", "2.00", "2.00"))])
    assert outcome(checks) == {
        "quantity_price_amount": True,
        "lines_subtotal": True,
        "subtotal_tax_total": True,
        "paid_change_total": True,
    }
    assert all(check.expected == check.found for check in checks)
    assert not any(field.look_again for field in flagged(fields, checks))


def test_total_that_is_wrong() -> None:
    """A total to which its parts do not come asks for a second look, with what was expected."""
    fields = sums(subtotal="9.00", tax="0.54", total="9.94")
    (check,) = checks_of(fields, [])
    assert not check.holds
    assert (check.expected, check.found) == (money("9.54"), money("9.94"))
    assert [field.name for field in flagged(fields, [check]) if field.look_again] == [
        "subtotal",
        "tax",
        "total",
    ]


def test_shipping_discount_and_rounding() -> None:
    """What is added and taken off counts."""
    parts = {"subtotal": "100.00", "discount": "10.00", "tax": "5.43", "shipping": "4.00"}
    checks = checks_of(sums(**parts, rounding="0.02", total="99.45"), [])
    assert outcome(checks) == {"subtotal_tax_total": True}


def test_tax_within_the_subtotal() -> None:
    """A subtotal that holds the tax already comes to the total, which proves no tax."""
    fields = sums(subtotal="9.54", tax="0.54", total="9.54")
    checks = checks_of(fields, [])
    assert outcome(checks) == {"subtotal_total": True}
    assert (checks[0].expected, checks[0].found) == (money("9.54"), money("9.54"))
    assert "tax" not in [field.name for field in flagged(fields, checks) if field.look_again]


def test_misread_tax() -> None:
    """A tax with which nothing comes out fails, though the total is near what the rest comes to."""
    checks = checks_of(sums(subtotal="9.00", tax="54", total="9.54"), [])
    assert outcome(checks) == {"subtotal_tax_total": False}
    assert checks[0].expected == money("63.00")


@pytest.mark.parametrize(
    ("currency", "total", "holds"),
    [
        ("MYR", "9.55", True),
        ("CHF", "9.55", True),
        ("NZD", "9.50", True),
        ("MYR", "9.56", False),
        ("EUR", "9.55", False),
        ("USD", "9.55", False),
        ("", "9.55", False),
    ],
)
def test_coins(currency: str, total: str, holds: bool) -> None:
    """A total rounded to what coins can pay comes out only where cash is rounded so."""
    parts = {"subtotal": "9.00", "tax": "0.53", "total": total}
    fields = [made(name, Money(Decimal(text), currency)) for name, text in parts.items()]
    assert outcome(checks_of(fields, [])) == {"subtotal_tax_total": holds}


def test_row_that_is_wrong() -> None:
    """A row whose price times quantity is not its amount is told."""
    checks = checks_of([], [goods(("2", "3.50", "7.00"), ("3", "2.00", "5.00"))])
    assert [(check.name, check.holds) for check in checks] == [
        ("quantity_price_amount", True),
        ("quantity_price_amount", False),
    ]
    assert checks[1].expected == money("6.00")


def test_parts_that_are_missing() -> None:
    """Where a part is missing nothing is checked."""
    assert checks_of(sums(total="9.54"), []) == ()


def test_goods_below_the_total_prove_nothing_without_a_subtotal() -> None:
    """What the goods lack of a total may be tax that is not printed; goods above it are wrong."""
    rows = [goods(("2", "3.50", "7.00"))]
    name = "lines_total"
    assert name not in outcome(checks_of(sums(total="7.70"), rows))
    assert outcome(checks_of(sums(total="7.00"), rows))[name]
    assert not outcome(checks_of(sums(total="6.00"), rows))[name]
