"""Sums that a document should fulfil."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product

from edge_clm.paper import Check, Field, Table
from edge_clm.values.value import Money, Quantity, Value

_CENT = Decimal("0.01")
# What cash is rounded to where there are no smaller coins; other totals must come out to the cent.
_COINS = {
    **dict.fromkeys(("AUD", "BND", "CAD", "CHF", "MYR", "SGD"), Decimal("0.05")),
    "NZD": Decimal("0.10"),
}
Row = Sequence[Field]
_CHECKED = {
    "lines_subtotal": ("subtotal",),
    "lines_total": ("total",),
    "subtotal_tax_total": ("subtotal", "tax", "total"),
    "subtotal_total": ("subtotal", "total"),
    "paid_change_total": ("paid", "change", "total"),
}


def checks_of(fields: Sequence[Field], tables: Sequence[Table]) -> tuple[Check, ...]:
    """Every sum whose parts are all there, whether it comes out or not."""
    amounts = {f.name: f.best.value.amount for f in fields if isinstance(f.best.value, Money)}
    rows = [row for table in tables if table.name == "lines" for row in table.rows]
    every = (f.best.value for group in (fields, *rows) for f in group)
    currency = next((v.currency for v in every if isinstance(v, Money) and v.currency), "")
    found = (*_of_lines(rows, amounts), *_of_total(amounts, currency), *_of_cash(amounts))
    return tuple(
        Check(name, holds, Money(expected, currency), Money(printed, currency))
        for name, holds, expected, printed in found
    )


def flagged(fields: Sequence[Field], checks: Sequence[Check]) -> tuple[Field, ...]:
    """The fields, with a second look asked for where a sum of theirs does not come out."""
    failed = {n for check in checks if not check.holds for n in _CHECKED.get(check.name, ())}
    proven = {n for check in checks if check.holds for n in _CHECKED.get(check.name, ())}
    doubtful = failed - proven
    return tuple(replace(f, look_again=True) if f.name in doubtful else f for f in fields)


_Sum = tuple[str, bool, Decimal, Decimal]


def _of_lines(rows: Sequence[Row], amounts: dict[str, Decimal]) -> Iterator[_Sum]:
    for row in rows:
        cells = {field.name: field.best.value for field in row}
        number, price, amount = map(cells.get, ("quantity", "unit_price", "amount"))
        if isinstance(number, Quantity) and isinstance(price, Money) and isinstance(amount, Money):
            expected = (number.number * price.amount).quantize(_CENT)
            near = abs(expected - amount.amount) <= _CENT
            yield "quantity_price_amount", near, expected, amount.amount
    printed = [_amount(row) for row in rows]
    known = [amount for amount in printed if amount is not None]
    sums = [name for name in ("subtotal", "total") if name in amounts]
    if known and len(known) == len(printed) and sums:
        whole = sum(known, Decimal(0))
        # Prices may hold the tax already: then the goods come to the total.
        name = min(sums, key=lambda it: abs(amounts[it] - whole))
        apart = amounts[name] - whole
        # Where no subtotal is printed, the rest of a total may be a tax that is not printed either.
        if sums != ["total"] or apart <= _CENT:
            yield f"lines_{name}", abs(apart) <= _CENT, whole, amounts[name]


def _amount(row: Row) -> Decimal | None:
    values: list[Value | None] = [field.best.value for field in row if field.name == "amount"]
    return values[0].amount if values and isinstance(values[0], Money) else None


def _of_total(amounts: dict[str, Decimal], currency: str) -> Iterator[_Sum]:
    """Subtotal, tax and what else is added or taken off come to the total.

    A subtotal that comes to it without the tax holds the tax already: that says nothing about the
    tax itself and is a check of its own name.
    """
    if not {"subtotal", "total"} <= amounts.keys() or not {"tax", "discount"} & amounts.keys():
        return
    total, tax = amounts["total"], amounts.get("tax", Decimal(0))
    coin = _COINS.get(currency, Decimal(0)) if "rounding" not in amounts else Decimal(0)
    near = coin / 2 if coin and total % coin == 0 else _CENT
    bare = list(_wholes(amounts))
    best, within = (min((w + t for w in bare), key=lambda it: abs(it - total)) for t in (tax, 0))
    if tax and abs(best - total) > near >= abs(within - total):
        yield "subtotal_total", True, within, total
        return
    holds = abs(best - total) <= near
    yield "subtotal_tax_total", holds, best if holds else bare[0] + tax, total


def _wholes(amounts: dict[str, Decimal]) -> Iterator[Decimal]:
    """What a sale may come to before tax, all parts first; some papers print parts that are within."""
    zero = Decimal(0)
    added = [amounts.get(n, zero) for n in ("shipping", "service_charge", "rounding")]
    discount = abs(amounts.get("discount", zero))
    options = product(*((part, zero) if part else (zero,) for part in added), (discount, zero))
    return (amounts["subtotal"] + sum(parts[:-1], zero) - parts[-1] for parts in options)


def _of_cash(amounts: dict[str, Decimal]) -> Iterator[_Sum]:
    """What was paid less the change; some slips print either with a minus, as what is taken off."""
    if {"paid", "change", "total"} <= amounts.keys():
        paid, change, total = (amounts[name] for name in ("paid", "change", "total"))
        expected = total if abs(paid) - abs(change) == total else paid - change
        yield "paid_change_total", expected == total, expected, total
