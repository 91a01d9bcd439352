"""Every typed value in a text."""

from __future__ import annotations

from itertools import chain

from edge_clm.values.dates import find_days
from edge_clm.values.habits import Habits
from edge_clm.values.identifiers import find_identifiers
from edge_clm.values.money import find_money
from edge_clm.values.quantity import find_quantities
from edge_clm.values.value import Found, Value


def find_values(text: str, habits: Habits) -> list[Found[Value]]:
    """Dates, amounts, quantities and identifiers, from left to right; none overlaps another.

    What a text leaves open is read as its document has the habit of writing it. Where two kinds claim the same characters, the one that takes more of them has it, and of equals
    the one named first.
    """
    kinds = (
        find_days(text, habits.order),
        find_money(text, habits.currency, habits.decimal),
        find_quantities(text, habits.decimal),
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
