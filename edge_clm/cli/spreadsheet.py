"""Records as CSV: one row a document, or one row for each row of one of its tables.

The columns are always the same, whatever was found, so that files of many runs fit together. What
has no column of its own stands in `other`. No cell begins a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable
from typing import Any

from edge_clm.cli.extraction import Record
from edge_clm.cli.notice import notice_said
from edge_clm.cli.wording import one_line, plain, value_said

FIELDS = (
    *("seller", "seller_address", "seller_tax_id", "buyer", "buyer_address"),
    *("number", "order_number", "date", "due_date", "currency"),
    *("subtotal", "discount", "shipping", "service_charge", "tax_rate", "tax", "rounding"),
    *("total", "paid", "change", "iban"),
    *("contract_number", "advertiser", "flight_from", "flight_to", "gross_amount", "net_amount"),
    *("patient", "patient_id", "birth_date", "sex", "age", "accession", "ordering_physician"),
    *("laboratory", "collected", "received", "reported"),
    *("exam", "exam_date", "radiologist", "indication", "comparison", "technique"),
    *("findings", "impression"),
)
"""The fields of a document that have a column."""
CELLS = {
    "lines": ("description", "quantity", "unit", "unit_price", "amount"),
    "taxes": ("rate", "base", "tax"),
    "analytes": ("analyte", "value", "unit", "range", "flag"),
    "measurements": ("what", "value", "value_2", "value_3", "where"),
}
"""The cells of each table's rows that have a column."""
KEY = ("file", "sha256", "page")
DOCUMENT = (
    *KEY,
    *("kind", "language"),
    *FIELDS,
    *("other", "ambiguous", "look_again", "checks_failed", "flaws", "notices", "error"),
)
"""The columns where a row is a document."""

_FORMULA = re.compile(
    r"""(?P<before>(?:^|;)[\s"]*)(?='*[=+\-@\uff1d\uff0b\uff0d\uff20\ufe66\ufe62\ufe63\ufe6b])"""
)
"""Where a cell begins a formula, or a part of it that is a cell where lists are parted by semicolons."""
_BETWEEN = " | "
"""Parts the names and values within a cell."""
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)*%?")


def table_columns(table: str) -> tuple[str, ...]:
    """The columns where a row is one of a table; `row` counts from 1 to `rows`.

    A document without the table has one row, of number 0.
    """
    about = ("other", "ambiguous", "look_again", "error")
    return (*KEY, "row", "rows", *CELLS[table], *about)


def header(table: str) -> str:
    """The first line, for a table's rows or, where `table` is empty, for documents."""
    return _line(table_columns(table) if table else DOCUMENT)


def lines(record: Record, table: str) -> str:
    """The lines of one document."""
    if not table:
        return _row(DOCUMENT, record | _document(record))
    columns = table_columns(table)
    rows = record.get("tables", {}).get(table, [])
    if not rows:
        return _row(columns, record | {"row": 0, "rows": 0, "error": _error(record)})
    numbered = enumerate(rows, 1)
    return "".join(
        _row(columns, record | {"row": at, "rows": len(rows)} | _cells(row, CELLS[table]))
        for at, row in numbered
    )


def guarded(line: str) -> str:
    """One line as a cell that no spreadsheet takes for a formula; numbers stay numbers.

    An apostrophe goes before a formula's sign where the cell begins and, since the separator of
    some countries' spreadsheets is the semicolon, behind each of those. Another goes before
    apostrophes that stand there already: different lines make different cells.
    """
    return line if _NUMBER.fullmatch(line) else _FORMULA.sub(r"\g<before>'", line)


def _document(record: Record) -> Record:
    if "error" in record:
        return {"error": _error(record)}
    failed = [check for check in record["checks"] if not check["holds"]]
    told = _cells(record["fields"], FIELDS)
    return told | {
        "currency": told.get("currency") or _currency(record["fields"]),
        "checks_failed": _BETWEEN.join(_failed(check) for check in failed),
        "look_again": _BETWEEN.join(record["look_again"]),
        "flaws": _BETWEEN.join(record["flaws"]),
        "notices": _BETWEEN.join(
            notice_said(notice) for page in record["pages"] for notice in page["notices"]
        ),
        "error": "",
    }


def _cells(fields: Record, columns: Iterable[str]) -> Record:
    """The cells of fields. An ambiguous one is no answer: its cell is empty, its readings stand apart."""
    values = {name: "" if field["ambiguous"] else plain(field) for name, field in fields.items()}
    unsure = {name: field for name, field in fields.items() if field["ambiguous"]}
    others = [name for name in values if name not in set(columns) and values[name]]
    return {name: values[name] for name in columns if name in values} | {
        "other": _BETWEEN.join(f"{name}={values[name]}" for name in others),
        "ambiguous": _BETWEEN.join(f"{name}={_readings(field)}" for name, field in unsure.items()),
        "look_again": _BETWEEN.join(name for name, field in fields.items() if field["look_again"]),
    }


def _readings(field: Record) -> str:
    return " or ".join(dict.fromkeys(plain(one) for one in (field, *field["alternatives"])))


def _currency(fields: Record) -> str:
    """The one currency that all amounts have; empty where they have none or several."""
    values = (field["value"] or {} for field in fields.values())
    found = {value["currency"] for value in values if value.get("currency")}
    return found.pop() if len(found) == 1 else ""


def _failed(check: Record) -> str:
    expected, found = value_said(check["expected"]), value_said(check["found"])
    return f"{check['name']}: {expected} expected, {found} printed"


def _error(record: Record) -> str:
    error = record.get("error")
    return f"{error['reason']}: {error['message']}" if error else ""


def _row(columns: Iterable[str], cells: dict[str, Any]) -> str:
    return _line(_cell(column, str(cells.get(column, ""))) for column in columns)


def _cell(column: str, text: str) -> str:
    """A cell in one line; the name of a file is that already, and its blanks count."""
    return guarded(text if column == "file" else one_line(text))


def _line(cells: Iterable[str]) -> str:
    written = io.StringIO()
    csv.writer(written, lineterminator="\n").writerow(cells)
    return written.getvalue()
