"""What can be asked of a page whose values are known, and how these are printed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.documents import INV3D_TAGS, SROIE_KEYS, UNREADABLE_TOTAL
from bench.failure import BenchError
from edge_clm.paper import Quad
from edge_clm.train.pages.page import GeneratedPage, Truth

_LINE_TAGS = {"total": "amount", "quantity": "quantity", "unit_price": "unit_price"}
_OTHER_TAGS = {"discount": "summary.discount", "tax": "summary.tax_total"}
_LINE = re.compile(r"products\.(\d+)\.(\w+)")
_SHORT = 3
"""Letters of a value below which only a known place could tell which print is meant."""
_WHOLE_ROWS = frozenset({"analytes"})
"""Tables whose rows answer one question: a level is nothing without its unit and its flag."""
_ROW_CELLS = ("value", "unit", "flag")
_THINGS = ("analyte", "description")
_IDENTITY = frozenset(
    (
        *("number", "order_number", "date", "due_date", "due", "seller", "buyer", "seller_tax_id"),
        *("patient", "patient_id", "birth_date", "accession", "collected", "received", "reported"),
        *("exam_date", "signed"),
    )
)
_DATES = frozenset(
    (
        *("date", "due_date", "due", "birth_date", "collected", "received", "reported"),
        *("exam_date", "signed"),
    )
)
_NUMBERS = frozenset(("number", "order_number", "patient_id", "accession", "seller_tax_id"))


@dataclass(frozen=True, slots=True)
class Printed:
    """A string that stands on a page."""

    text: str
    place: Quad | None = None
    """In pixels of the upright picture, where it is known."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A value question about a page."""

    field: str
    """A field's name, or TABLE.ROW.COLUMN, or TABLE.ROW."""
    parts: tuple[Printed, ...]
    """All that the answer rests on."""
    thing: str = ""
    """The item or the analyte whose value it is, as printed; empty for a field of the whole page."""


def asked_of_invoice(directory: Path) -> tuple[Asked, ...]:
    """What can be asked of a document of inv3d; raises BenchError where its labels cannot be read."""
    try:
        template = json.loads((directory / "details.json").read_text(encoding="utf-8"))
        rows = json.loads((directory / "ground_truth_tags.json").read_text(encoding="utf-8"))
        tags: dict[str, str] = {}
        for row in rows:
            tags.setdefault(row["tag"], row["value"])
        unreadable = Path(template["invoice"]["template"]).stem == UNREADABLE_TOTAL
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchError(f"{directory} is not laid out as expected: {error!r}") from error
    if unreadable:
        tags.pop(INV3D_TAGS["total"], None)
    return tuple(
        Asked(field, (Printed(value),), _thing(field, tags))
        for field, value in _invoice_values(tags)
        if "\n" not in value and len("".join(value.split())) >= _SHORT
    )


def asked_of_receipt(path: Path) -> tuple[Asked, ...]:
    """What can be asked of a receipt of sroie; its address runs over lines and is not."""
    key = path.parent.parent / "key" / f"{path.stem}.json"
    try:
        values = json.loads(key.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise BenchError(f"{key} cannot be read: {error!r}") from error
    return tuple(
        Asked(field, (Printed(values[name]),))
        for field, name in SROIE_KEYS.items()
        if values.get(name) and field != "address"
    )


def asked_of_generated(page: GeneratedPage) -> tuple[Asked, ...]:
    """What can be asked of a generated page: fields that stand on one line of print, and cells of tables."""
    found = [Asked(name, (_printed(truth),)) for name, truth in page.fields.items() if _one(truth)]
    for table in page.tables:
        for at, row in enumerate(table.rows):
            cells = {name: _printed(truth) for name, truth in row.items() if _one(truth)}
            thing = next((cells[name].text for name in _THINGS if name in cells), "")
            if table.name in _WHOLE_ROWS:
                parts = tuple(cells[name] for name in _ROW_CELLS if name in cells)
                found += [Asked(f"{table.name}.{at}", parts, thing)] if "value" in cells else []
            else:
                found += [
                    Asked(f"{table.name}.{at}.{name}", (cell,), thing)
                    for name, cell in cells.items()
                    if any(char.isdigit() for char in cell.text)
                ]
    return tuple(found)


def sort_of(field: str) -> str:
    """What a field is, for figures: number, date, name, total, quantity, level or amount."""
    if field.startswith("analytes"):
        return "level"
    last = field.rsplit(".", 1)[-1]
    if last in _DATES:
        return "date"
    if last in _NUMBERS:
        return "number"
    if last in ("total", "quantity"):
        return last
    return "name" if last in _IDENTITY else "amount"


def names_a_page(field: str) -> bool:
    """Whether a field is one of those that tell a page from others."""
    return field in _IDENTITY


def _invoice_values(tags: dict[str, str]) -> Iterator[tuple[str, str]]:
    named = _OTHER_TAGS | INV3D_TAGS
    yield from ((field, tags[tag]) for field, tag in named.items() if tag in tags)
    if named["tax"] not in tags and _OTHER_TAGS["tax"] in tags:
        yield "tax", tags[_OTHER_TAGS["tax"]]
    for tag, value in tags.items():
        line = _LINE.fullmatch(tag)
        if line and line[2] in _LINE_TAGS:
            yield f"lines.{line[1]}.{_LINE_TAGS[line[2]]}", value


def _thing(field: str, tags: dict[str, str]) -> str:
    """The item that a value of a line is of; a name over several lines is none that can be asked for."""
    _, _, line = field.partition("lines.")
    name = tags.get(f"products.{line.partition('.')[0]}.description", "") if line else ""
    return "" if "\n" in name else name


def _one(truth: Truth) -> bool:
    return len(truth.boxes) == 1 and bool(truth.text.strip())


def _printed(truth: Truth) -> Printed:
    return Printed(truth.text, truth.boxes[0])
