"""Numbers as they are written: which digits are thousands and which come behind the decimal mark."""

from __future__ import annotations

import re
from decimal import Decimal

_TIGHT_GROUPS = (
    r"[0-9]{1,3}(?:,[0-9]{3}){1,5}(?![0-9])(?:\.[0-9]{1,4})?"
    r"|[0-9]{1,3}(?:\.[0-9]{3}){1,5}(?![0-9])(?:,[0-9]{1,4})?"
    r"|[0-9]{1,2}(?:,[0-9]{2}){1,5},[0-9]{3}(?![0-9])(?:\.[0-9]{1,4})?"
    r"|[0-9]{1,3}(?:'[0-9]{3}){1,5}(?![0-9])(?:[.,][0-9]{1,4})?"
)
_PLAIN = r"[0-9]{1,15}(?:[.,][0-9]{1,6})?"
SPACED = r"[1-9][0-9]{0,2}(?: [0-9]{3}){1,5}(?![0-9])(?:[.,][0-9]{1,4})?"
"""A number whose thousands are set apart by spaces."""
NUMERAL = f"(?:{_TIGHT_GROUPS}|{SPACED}|{_PLAIN})"
"""Any unsigned number, in levelled text: thousands apart by comma, point, apostrophe, space, or not."""
TIGHT = rf"(?:[1-9][0-9]{{0,2}}(?: [0-9]{{3}}){{1,5}},[0-9]{{2}}(?![0-9])|{_TIGHT_GROUPS}|{_PLAIN})"
"""The same inside a text, where a space mostly parts two numbers: only with a decimal comma behind."""

_GROUPED = re.compile(f"{_TIGHT_GROUPS}|{SPACED}")
_PLAINLY = re.compile(_PLAIN)
_MARK = re.compile(r"[^0-9]")


def numeral_readings(text: str, decimal: str = "") -> tuple[Decimal, ...]:
    """Every number that a levelled, unsigned numeral can mean, likelier first; () when it is none.

    `decimal` is the mark in use, "," or "."; it settles "1,234", which else is 1234 before 1.234.
    """
    if not _GROUPED.fullmatch(text):
        return (Decimal(text.replace(",", ".")),) if _PLAINLY.fullmatch(text) else ()
    marks = _MARK.findall(text)
    *groups, last = _MARK.split(text)
    if not groups[0].strip("0") and len(marks) > 1:
        return ()
    if len(set(marks)) == 2:
        return (Decimal(f"{''.join(groups)}.{last}"),)
    thousands = Decimal("".join([*groups, last]))
    if len(marks) > 1 or marks[0] not in ".,":
        # A number has one decimal mark at most, and it is no space or apostrophe.
        return (thousands,)
    return _one_mark(thousands, Decimal(f"{groups[0]}.{last}"), marks[0], decimal)


def is_grouped(text: str) -> bool:
    """Whether a numeral may have its thousands set apart: 1,234 and 1.234.567, but not 12.50."""
    return bool(_GROUPED.fullmatch(text))


def _one_mark(
    thousands: Decimal, fraction: Decimal, mark: str, decimal: str
) -> tuple[Decimal, ...]:
    if fraction < 1 or decimal == mark:
        return (fraction,)
    return (thousands,) if decimal else (thousands, fraction)
