"""A record as a person reads it on a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Sequence

from edge_clm.cli.extraction import Record
from edge_clm.cli.notice import notice_said
from edge_clm.cli.spreadsheet import CELLS
from edge_clm.cli.wording import RETAKE, value_said, with_currency

_WIDEST = 36
"""Columns of a table's cell; longer text is cut."""


def text_of(record: Record) -> str:
    """The fields, the tables, the checks that fail and how to take a bad picture again."""
    parts = [_head(record), *_fields(record["fields"])]
    for name, rows in record["tables"].items():
        parts += ["", name, *_table(rows, CELLS.get(name, ()))]
    failed = [check for check in record["checks"] if not check["holds"]]
    if failed:
        parts += ["", "sums that fail", *(f"  {_failed(check)}" for check in failed)]
    hints = list(_hints(record["pages"]))
    if hints:
        parts += ["", "take the picture again", *(f"  {hint}" for hint in hints)]
    noticed = [notice for page in record["pages"] for notice in page["notices"]]
    if noticed:
        parts += ["", "known", *(f"  {notice_said(notice)}" for notice in noticed)]
    return "\n".join(parts)


def _head(record: Record) -> str:
    count = len(record["pages"])
    pages = f"page {record['page']}" if record["page"] else f"{count} page{'s' * (count != 1)}"
    told = (record["kind"].replace("_", " "), record["language"], pages)
    return " · ".join([record["file"], *filter(None, told)])


def _fields(fields: Record) -> Iterator[str]:
    if not fields:
        yield "  nothing was found"
    width = max(map(_width, fields), default=0)
    for name, field in fields.items():
        remarks = _remarks(field)
        value = with_currency(field)
        yield f"  {_padded(name, width)}  {field['confidence']:4.0%}  {value}{remarks}".rstrip()


def _remarks(field: Record) -> str:
    others = list(dict.fromkeys(with_currency(other) for other in field["alternatives"]))
    remarks = []
    if field["ambiguous"]:
        remarks.append(f"or as likely {' or '.join(others)}" if others else "ambiguous")
    if field["look_again"]:
        remarks.append("look again")
    return f"   <- {', '.join(remarks)}" if remarks else ""


def _table(rows: list[Record], usual: Sequence[str]) -> Iterator[str]:
    """The rows under their columns: the usual ones in their order, then the others."""
    found = dict.fromkeys(name for row in rows for name in row)
    columns = [*(name for name in usual if name in found), *(n for n in found if n not in usual)]
    texts = [[_cell(row[name]) if name in row else "" for name in columns] for row in rows]
    widths = [max(map(_width, column)) for column in zip(columns, *texts, strict=True)]
    for cells in (columns, *texts):
        padded = (_padded(cell, width) for cell, width in zip(cells, widths, strict=True))
        yield f"  {'  '.join(padded)}".rstrip()


def _cell(field: Record) -> str:
    text = with_currency(field)
    cut = text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
    return f"{cut} (?)" if field["look_again"] or field["ambiguous"] else cut


def _failed(check: Record) -> str:
    expected, found = value_said(check["expected"]), value_said(check["found"])
    return f"{check['name']}: the parts come to {expected}, {found} is printed"


def _hints(pages: Iterable[Record]) -> Iterator[str]:
    for page in pages:
        for flaw in page["flaws"]:
            where = f"page {page['number']}: " if page["count"] > 1 else ""
            yield where + RETAKE.get(flaw, flaw)


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _width(text))


def _width(text: str) -> int:
    """Columns that text takes on a terminal, where Chinese characters take two."""
    return sum(
        0 if unicodedata.combining(char) else 1 + (unicodedata.east_asian_width(char) in "WF")
        for char in text
    )
