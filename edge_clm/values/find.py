"""Every typed value in a text."""

from __future__ import annotations

import re
from itertools import chain

from edge_clm.values.dates import find_days
from edge_clm.values.habits import Habits
from edge_clm.values.identifiers import find_identifiers
from edge_clm.values.level import level
from edge_clm.values.money import find_money
from edge_clm.values.quantity import find_quantities, read_quantity
from edge_clm.values.value import Found, Quantity, Value

_NUMBER = re.compile(r"(?<![\w.,/-])(?:[-−+]\d+|[-−+]?\d+[.,]\d+)(?![\w/-]|[.,]\d)")


def find_values(text: str, habits: Habits, *, money: bool = True) -> list[Found[Value]]:
    """Dates, amounts, quantities and identifiers, from left to right; none overlaps another.

    A number with a sign or a decimal mark is a quantity without a unit, and bare digits are an
    identifier. Without `money` there are no amounts: on a lab report INR is no currency.

    What a text leaves open is read as its document has the habit of writing it. Where two kinds claim the same characters, the one that takes more of them has it, and of equals
    the one named first.
    """
    kinds = (
        find_days(text, habits.order),
        find_money(text, habits.currency, habits.decimal) if money else [],
        find_quantities(text, habits.decimal),
        _find_numbers(text, habits.decimal),
        find_identifiers(text),
    )
    found: list[Found[Value]] = list(chain.from_iterable(kinds))
    free = [True] * len(text)
    kept = []
    for one in sorted(found, key=lambda one: one.start - one.end):
        if all(free[one.start : one.end]):
            free[one.start : one.end] = [False] * (one.end - one.start)
            kept.append(one)
    return sorted(kept, key=lambda one: one.start)


def _find_numbers(text: str, decimal: str) -> list[Found[Quantity]]:
    numbers = ((match, read_quantity(match[0], decimal)) for match in _NUMBER.finditer(level(text)))
    return [Found(number, *match.span()) for match, number in numbers if number]
