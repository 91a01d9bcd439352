"""Yes and no, grounded in what was compared and worked out again."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from operator import eq, ge, gt, le, lt

from edge_clm.occurrences import Occurrences, bare_number, tokens
from edge_clm.paper import Evidence, Extraction, Field, Grounded, Grounding
from edge_clm.values.quantity import same_unit
from edge_clm.values.value import Day, Money, Quantity, Truth, Value

Row = Sequence[Field]
SideOf = Callable[[Row], int | None]
"""Where an analyte's value lies: -1 below its range, 0 within, 1 above; None where it is not told."""

_ASKS = re.compile(
    r"^\W*(?:is|are|was|were|does|do|did|has|have|had|can|could|should|will|would)(?:n['’]t)?\b",
    re.IGNORECASE,
)
_SAYS = re.compile(r"^\W*(yes|no)\b", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|never)\b", re.IGNORECASE)
"""What turns a question round. "Isn't it high?" does not: yes says that it is."""
_MORE = r"(?:more|greater|higher|larger|above|over)"
_LESS = r"(?:less|lower|smaller|below|under)"
_COMPARISONS: tuple[tuple[str, Callable[[Decimal, Decimal], bool]], ...] = (
    (rf"{_MORE} (?:than )?or equal(?: to)?|at least|n(?:o|ot) {_LESS}(?: than)?|or more", ge),
    (rf"{_LESS} (?:than )?or equal(?: to)?|at most|n(?:o|ot) {_MORE}(?: than)?|up to|or less", le),
    (r"(?:more|greater|higher|larger) than|above|over|exceeds?", gt),
    (r"(?:less|lower|smaller) than|below|under", lt),
    (r"equal to|equals?|the same as|exactly", eq),
)
_LIMITS = r"(?:the |its |their )?(?:upper |lower |normal |reference |usual )*(?:range|limits?|values?|normal)"
_RANGES: tuple[tuple[str, tuple[int, ...]], ...] = (
    (rf"(?:{_MORE}|exceeds?)(?: than)? {_LIMITS}", (1,)),
    (rf"{_LESS}(?: than)? {_LIMITS}", (-1,)),
    (rf"(?:out of|outside(?: of)?|beyond) {_LIMITS}|abnormal", (-1, 1)),
    (rf"(?:with)?in {_LIMITS}|normal", (0,)),
    (r"(?:too )?(?:high|elevated|raised|increased)", (1,)),
    (r"(?:too )?(?:low|decreased|reduced)", (-1,)),
)
"""Wordings, and the sides of the range that they mean. Of several in a question the first counts."""
_CELLS = (("range", r"ranges?|limits?|normal"), ("unit", r"units?"), ("flag", r"flags?|flagged"))
_PLAIN_WORDS = (
    "a an the of on in this that it its is are be than as amount sum invoice receipt bill page document report "
    "result value level patient patient's measured printed shown"
)
_PLAIN = frozenset(_PLAIN_WORDS.split())
"""Words of a question that change nothing about what it compares."""


def untold(row: Row) -> None:
    """A `SideOf` that never tells."""


def truth_of(question: str, answer: str) -> bool | None:
    """What a yes or no says; None where the question does not ask for one or the answer gives none."""
    said = _SAYS.match(answer)
    if not said or not _ASKS.match(question):
        return None
    return said.group(1).casefold() == "yes"


def cell_named(question: str, extraction: Extraction) -> Field | None:
    """The cell that a question about an analyte asks for: its value, or its range, unit or flag."""
    row = row_named(question, extraction)
    if row is None:
        return None
    name = next((name for name, words in _CELLS if _has(question, words)), "value")
    return row.get(name)


def ground_truth(
    said: bool,
    question: str,
    page: Occurrences,
    extraction: Extraction,
    asked: str,
    side_of: SideOf,
) -> Grounding:
    """Works out the comparison that the question asks for from values read off the page.

    Grounded only where the operands were found and the answer is what they come to.
    """
    row = row_named(question, extraction)
    worked_out = _in_range(question, row, side_of) or _compared(
        question, page, row.get("value") if row else _field(question, extraction, asked), row
    )
    if worked_out is None:
        return Grounding(Grounded.NO, Truth(said))
    holds, evidence = worked_out
    return Grounding(Grounded.YES if said == holds else Grounded.NO, Truth(said), evidence)


_Worked = tuple[bool, tuple[Evidence, ...]]
Cells = dict[str, Field]
"""A row of a table, by the names of its columns."""


def _in_range(question: str, row: Cells | None, side_of: SideOf) -> _Worked | None:
    """Whether an analyte lies where the question says."""
    found = next(((words, sides) for words, sides in _RANGES if _has(question, words)), None)
    side = side_of(tuple(row.values())) if row and found else None
    if row is None or found is None or side is None:
        return None
    words, sides = found
    rest = without(without(question, words), re.escape(row["analyte"].best.raw))
    if not _is_plain(rest):
        return None
    evidence = row["value"].best.evidence + row["range"].best.evidence
    return (side in sides) != bool(_NOT.search(rest)), evidence


def _compared(
    question: str, page: Occurrences, field: Field | None, row: Cells | None
) -> _Worked | None:
    """Whether a field or an analyte is more, less or as much as the question says."""
    value = None if field is None or field.ambiguous else field.best.value
    if field is None or value is None:
        return None
    name = row["analyte"].best.raw if row else field.name.replace("_", " ")
    asks = without(question, re.escape(name))  # the 12 of "vitamin B12" is no bound
    bounds = [one for one in page.found(asks) if _comparable(value, one.value)]
    found = next(((words, compare) for words, compare in _COMPARISONS if _has(asks, words)), None)
    if len(bounds) != 1 or found is None:
        return None
    words, compare = found
    rest = without(f"{asks[: bounds[0].start]} {asks[bounds[0].end :]}", words)
    pair = _comparable(value, bounds[0].value)
    if pair is None or not _is_plain(rest):
        return None
    return compare(*pair) != bool(_NOT.search(rest)), field.best.evidence


def _is_plain(rest: str) -> bool:
    """Whether what is left of a question changes nothing: twice, per cent or another noun would."""
    bare = _NOT.sub(" ", _ASKS.sub(" ", rest, count=1), count=1)
    return set(tokens(bare)) <= _PLAIN


def without(question: str, words: str) -> str:
    """A question without some words, which are a regular expression, where they stand as whole words."""
    return re.sub(rf"(?<!\w)(?:{words})(?!\w)", " ", question, flags=re.IGNORECASE)


def _comparable(value: Value, bound: Value) -> tuple[Decimal, Decimal] | None:
    """Two values as numbers, where more and less mean anything between them."""
    match value, bound:
        case Day(readings=(day,)), Day(readings=(other,)):
            return Decimal(day.toordinal()), Decimal(other.toordinal())
        case Money(), Money():
            alike = value.currency == bound.currency or not (value.currency and bound.currency)
            return (value.amount, bound.amount) if alike else None
        case Quantity(comparison=""), Quantity(comparison=""):
            alike = not bound.unit or same_unit(value.unit, bound.unit)
            return (value.number, bound.number) if alike else None
        case Quantity(comparison="") | Money(), _:
            number = bare_number(bound)
            mine = value.amount if isinstance(value, Money) else value.number
            return None if number is None else (mine, number)
    return None


def _has(question: str, words: str) -> bool:
    return re.search(rf"\b(?:{words})\b", question, re.IGNORECASE) is not None


def _field(question: str, extraction: Extraction, asked: str) -> Field | None:
    """The field that the question names; the longest name that stands in it, where none is given."""
    words = f" {' '.join(tokens(question))} "
    named = [one for one in extraction.fields if f" {one.name.replace('_', ' ')} " in words]
    given = [one for one in extraction.fields if one.name == asked]
    return max(given or named, key=lambda one: len(one.name), default=None)


def row_named(question: str, extraction: Extraction) -> Cells | None:
    """The analyte that the question names, by the longest name that stands in it; one row alone."""
    words = f" {' '.join(tokens(question))} "
    rows = [
        {cell.name: cell for cell in row}
        for table in extraction.tables
        if table.name == "analytes"
        for row in table.rows
    ]
    names = [(" ".join(tokens(row["analyte"].best.raw)), row) for row in rows if "analyte" in row]
    named = [(name, row) for name, row in names if name and f" {name} " in words]
    longest = max((len(name) for name, _ in named), default=0)
    found = [row for name, row in named if len(name) == longest]
    # Twice the same name is two results, of which the question does not say which one it means.
    return found[0] if len(found) == 1 else None
