"""Days of birth: nobody is born after the report on them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date

from edge_clm.paper import Candidate, Field
from edge_clm.values.level import level
from edge_clm.values.value import Day

# Days by which nobody whom they concern can be unborn.
_KNOWN = ("collected", "received", "reported", "exam_date")
_CENTURY = 100
_WHOLE_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")


def born_before(fields: Sequence[Field], today: date) -> list[Field]:
    """The fields, with no day of birth behind the days of the report or behind `today`.

    A year of two digits that would lie there is one of the century before; of one with four digits
    a second look is asked.
    """
    days = [
        f.best.value.readings for f in fields if f.name in _KNOWN and isinstance(f.best.value, Day)
    ]
    latest = min([today, *(max(readings) for readings in days)])
    return [_before(field, latest) if field.name == "birth_date" else field for field in fields]


def _before(field: Field, latest: date) -> Field:
    best, *others = (_moved(one, latest) for one in (field.best, *field.alternatives))
    late = isinstance(best.value, Day) and max(best.value.readings) > latest
    return replace(
        field, best=best, alternatives=tuple(others), look_again=field.look_again or late
    )


def _moved(candidate: Candidate, latest: date) -> Candidate:
    """The candidate with each day behind the latest one a century earlier, where its year is short."""
    value = candidate.value
    if not isinstance(value, Day) or _WHOLE_YEAR.search(level(candidate.raw)):
        return candidate
    moved = (_century_before(one) if one > latest else one for one in value.readings)
    readings = tuple(dict.fromkeys(one for one in moved if one))
    return replace(candidate, value=Day(readings)) if readings else candidate


def _century_before(day: date) -> date | None:
    """None for the 29th of February of a year that has none a century before."""
    try:
        return day.replace(year=day.year - _CENTURY)
    except ValueError:
        return None
