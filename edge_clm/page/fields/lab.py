"""Laboratory reports: the patient, the times, and a table of analytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from edge_clm.page.fields.guesses import Guess, candidate_of, decide
from edge_clm.page.fields.lab_check import doubted, out_of_range
from edge_clm.page.fields.lab_rows import Result, results_of
from edge_clm.page.fields.labels import labels_of
from edge_clm.page.fields.layout import Layout, Span
from edge_clm.page.fields.letterhead import houses
from edge_clm.page.fields.medical import patient_fields, sex_of
from edge_clm.paper import Field, Table
from edge_clm.values.habits import Habits
from edge_clm.values.quantity import read_quantity
from edge_clm.values.value import Quantity, Text, Value

__all__ = ["out_of_range", "read_lab"]

_PARTS = ("value", "unit", "range", "flag")
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
    rows = doubted([tuple(_cells(layout, result)) for result in results], sex_of(fields))
    return tuple(fields), (Table("analytes", rows),) if rows else ()


def _cells(layout: Layout, result: Result) -> Iterator[Field]:
    yield _cell(layout, "analyte", result, result.name, Text(_said(result.name)))
    for part in _PARTS:
        spans = result.parts.get(part)
        if spans:
            value = _value(result) if part == "value" else Text(_said(spans))
            yield _cell(layout, part, result, spans, value)


def _cell(
    layout: Layout, name: str, result: Result, spans: tuple[Span, ...], value: Value
) -> Field:
    best = candidate_of(Guess(spans, value, result.strength), layout)
    return Field(name, best, look_again=best.confidence < _LEGIBLE)


def _value(result: Result) -> Value:
    """The number with the unit that is printed for it anywhere in the row, or what is said in words."""
    said = _said(result.parts["value"])
    unit = _said(result.parts.get("unit", ())).strip("()[]")
    found = read_quantity(said)
    if not isinstance(found, Quantity):
        return Text(said)
    return replace(found, unit=found.unit or unit)


def _said(spans: Sequence[Span]) -> str:
    return " ".join(span.text for span in spans)
