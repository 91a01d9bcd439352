"""When two typed values are the same."""

from __future__ import annotations

from edge_clm.values.identifiers import identifier_form, same_identifier
from edge_clm.values.names import name_form, same_name
from edge_clm.values.units import same_unit
from edge_clm.values.value import Day, Money, Quantity, Text, Truth, Value


def equal(a: Value, b: Value) -> bool:
    """Whether two values are of one kind and mean the same; what one of them leaves open is no difference.

    A date with two readings equals each of them, and another with the same two in the same order, for
    05/06 and 06/05 are two days however they are read. A currency or unit that
    is not told agrees with any. Texts are equal as names, or, with digits in them, as identifiers.
    """
    match a, b:
        case Money(), Money():
            return a.amount == b.amount and _agree(a.currency, b.currency)
        case Day(), Day():
            return _same_day(a, b)
        case Quantity(), Quantity():
            return _same_quantity(a, b)
        case Text(), Text():
            return _same_text(a.text, b.text)
        case Truth(), Truth():
            return a.truth == b.truth
        case _:
            return False


def _agree(a: str, b: str) -> bool:
    return a == b or not a or not b


def _same_day(a: Day, b: Day) -> bool:
    if len(a.readings) > 1 and len(b.readings) > 1:
        return a.readings == b.readings
    return bool(set(a.readings) & set(b.readings))


def _same_quantity(a: Quantity, b: Quantity) -> bool:
    if a.number != b.number or a.comparison != b.comparison:
        return False
    return not a.unit or not b.unit or same_unit(a.unit, b.unit)


def _same_text(a: str, b: str) -> bool:
    """As names where words prevail: a legal form falls off a company, not off a number."""
    if a == b or same_identifier(a, b):
        return True
    return _is_name(a) and _is_name(b) and same_name(a, b)


def _is_name(text: str) -> bool:
    form = name_form(text)
    digits = sum(char.isdigit() for char in form)
    return digits * 2 < len(identifier_form(form))
