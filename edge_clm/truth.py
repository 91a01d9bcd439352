"""Yes and no, grounded in what was compared and checked by arithmetic."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from operator import eq, ge, gt, le, lt

from edge_clm.occurrences import bare_number, tokens
from edge_clm.paper import Evidence, Extraction, Field, Grounded, Grounding, Table
from edge_clm.values.find import find_values
from edge_clm.values.quantity import read_range
from edge_clm.values.value import Day, Quantity, Truth, Value

_ASKS = re.compile(
    r"^\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|should|will|would)(?:n['’]t)?\b",
    re.IGNORECASE,
)
_SAYS = re.compile(r"^\W*(yes|no)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never|no)\b", re.IGNORECASE)
"""What turns a question round. "Isn't it high?" does not: yes says that it is."""
_COMPARISONS: tuple[tuple[str, Callable[[Decimal, Decimal], bool]], ...] = (
    (r"at least|no less than|not less than|or more\b", ge),
    (r"at most|no more than|not more than|up to|or less\b", le),
    (r"more than|greater than|higher than|larger than|above|over|exceeds?|exceed", gt),
    (r"less than|lower than|smaller than|below|under", lt),
    (r"equal to|equals?|the same as|exactly", eq),
)
_OUT = re.compile(r"out(?:side)? (?:of )?(?:the |its )?(?:normal |reference )?range|abnormal", re.I)
_IN = re.compile(
    r"(?:with)?in (?:the |its )?(?:normal |reference )?(?:range|limits)|\bnormal\b", re.I
)
_HIGH = re.compile(r"\b(?:too )?(?:high|elevated|raised|increased)\b", re.IGNORECASE)
_LOW = re.compile(r"\b(?:too )?(?:low|decreased|reduced)\b", re.IGNORECASE)


def truth_of(question: str, answer: str) -> bool | None:
    """What a yes or no says; None where the question does not ask for one or the answer gives none."""
    said = _SAYS.match(answer)
    if not said or not _ASKS.match(question):
        return None
    return said.group(1).casefold() == "yes"


def ground_truth(said: bool, question: str, extraction: Extraction, asked: str) -> Grounding:
    """Works out the comparison that the question asks for from values read off the page.

    Grounded only where the operands were found and the answer is what they come to.
    """
    worked_out = _in_range(question, extraction) or _compared(question, extraction, asked)
    if worked_out is None:
        return Grounding(Grounded.NO, Truth(said))
    holds, evidence = worked_out
    if said == holds:
        return Grounding(Grounded.YES, Truth(said), evidence)
    return Grounding(Grounded.NO, Truth(said), evidence)


_Worked = tuple[bool, tuple[Evidence, ...]]


def _in_range(question: str, extraction: Extraction) -> _Worked | None:
    """Whether an analyte lies in its reference range, as the question has it."""
    row = _row(question, extraction)
    if row is None or "value" not in row or "range" not in row:
        return None
    value, limits = row["value"].best.value, read_range(row["range"].best.raw)
    if not isinstance(value, Quantity) or value.comparison or limits is None:
        return None
    high = limits.high is not None and value.number > limits.high
    low = limits.low is not None and value.number < limits.low
    # "out of range" first: it contains the words of "in range".
    for pattern, holds in (
        (_OUT, high or low),
        (_IN, not high and not low),
        (_HIGH, high),
        (_LOW, low),
    ):
        if pattern.search(question):
            evidence = row["value"].best.evidence + row["range"].best.evidence
            return holds != bool(_NOT.search(question)), evidence
    return None


def _compared(question: str, extraction: Extraction, asked: str) -> _Worked | None:
    """Whether a field or an analyte is more, less or as much as the question says."""
    bounds = [
        number for found in find_values(question) if (number := _number(found.value)) is not None
    ]
    row = _row(question, extraction)
    field = row.get("value") if row else _field(question, extraction, asked)
    if len(bounds) != 1 or field is None or field.ambiguous or field.best.value is None:
        return None
    number = _number(field.best.value)
    if number is None:
        return None
    for words, compare in _COMPARISONS:
        if re.search(rf"\b(?:{words})", question, re.IGNORECASE):
            denied = re.sub(rf"\b(?:{words})", "", question, flags=re.IGNORECASE)
            return compare(number, bounds[0]) != bool(_NOT.search(denied)), field.best.evidence
    return None


def _number(value: Value) -> Decimal | None:
    match value:
        case Quantity(number=number, comparison=""):
            return number
        case Day(readings=(day,)):
            return Decimal(day.toordinal())
    return bare_number(value)


def _field(question: str, extraction: Extraction, asked: str) -> Field | None:
    """The field that the question names; the longest name that stands in it, where none is given."""
    words = f" {' '.join(tokens(question))} "
    named = [one for one in extraction.fields if f" {one.name.replace('_', ' ')} " in words]
    given = [one for one in extraction.fields if one.name == asked]
    return max(given or named, key=lambda one: len(one.name), default=None)


def _row(question: str, extraction: Extraction) -> dict[str, Field] | None:
    """The cells of the analyte that the question names; the longest name that stands in it."""
    words = f" {' '.join(tokens(question))} "
    found: dict[str, Field] | None = None
    longest = 0
    for cells in _rows(extraction.tables):
        name = " ".join(tokens(cells["analyte"].best.raw)) if "analyte" in cells else ""
        if name and f" {name} " in words and len(name) > longest:
            found, longest = cells, len(name)
    return found


def _rows(tables: tuple[Table, ...]) -> list[dict[str, Field]]:
    return [{cell.name: cell for cell in row} for table in tables for row in table.rows]
