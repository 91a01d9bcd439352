"""Laboratory reports: the patient, the times, and a table of analytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from edge_clm.page.fields.decimals import decimal_of, quantities
from edge_clm.page.fields.guesses import Guess, candidate_of, decide
from edge_clm.page.fields.lab_check import doubted
from edge_clm.page.fields.lab_rows import Result, results_of
from edge_clm.page.fields.labels import labels_of
from edge_clm.page.fields.layout import Layout, Span
from edge_clm.page.fields.letterhead import houses
from edge_clm.page.fields.medical import patient_fields, sex_of
from edge_clm.paper import Field, Table
from edge_clm.values.habits import Habits
from edge_clm.values.value import Text, Value

_PARTS = ("value", "unit", "range", "flag")
_NUMBERS = ("value", "range")
# A cell read worse than this had better be looked at.
_LEGIBLE = 0.7
_TIMES = {"collected": "day", "received": "day", "reported": "day"}


def read_lab(layout: Layout, habits: Habits) -> tuple[tuple[Field, ...], tuple[Table, ...]]:
    """Fields and the table `analytes` of a page of a laboratory report.

    Fields: patient, patient_id, birth_date, sex, age, accession, ordering_physician, collected,
    received, reported (days; the time is in `raw`), laboratory. Cells: analyte, value (a quantity
    with the row's unit, or text such as "Negative"), unit, range, flag.
    """
    labels = labels_of(layout, ("patient", "lab"))
    fields = patient_fields(layout, labels, habits, _TIMES)
    house = decide("laboratory", houses(layout, labels, "laboratory"), layout)
    fields += [house] if house else []
    results = results_of(layout, labels)
    numbers = (_said(result.parts.get(part, ())) for result in results for part in _NUMBERS)
    decimal = decimal_of(layout, habits, numbers)
    cells = [tuple(_cells(layout, result, decimal)) for result in results]
    rows = doubted(cells, sex_of(fields), decimal)
    return tuple(fields), (Table("analytes", rows),) if rows else ()


def _cells(layout: Layout, result: Result, decimal: str) -> Iterator[Field]:
    yield _cell(layout, "analyte", result, result.name, [Text(_said(result.name))])
    for part in _PARTS:
        spans = result.parts.get(part)
        if spans:
            values = _values(result, decimal) if part == "value" else [Text(_said(spans))]
            yield _cell(layout, part, result, spans, values)


def _cell(
    layout: Layout, name: str, result: Result, spans: tuple[Span, ...], values: Sequence[Value]
) -> Field:
    """A cell; of several values it may have none is the answer."""
    best, *others = (candidate_of(Guess(spans, it, result.strength), layout) for it in values)
    doubtful = bool(others)
    return Field(name, best, tuple(others), doubtful, doubtful or best.confidence < _LEGIBLE)


def _values(result: Result, decimal: str) -> Sequence[Value]:
    """The number with the unit that is printed for it anywhere in the row, or what is said in words.

    Two numbers where the decimal mark is not known and "1,234" may be either.
    """
    said = _said(result.parts["value"])
    unit = _said(result.parts.get("unit", ())).strip("()[]")
    read = quantities(said, decimal)
    return [replace(it, unit=it.unit or unit) for it in read] or [Text(said)]


def _said(spans: Sequence[Span]) -> str:
    return " ".join(span.text for span in spans)
