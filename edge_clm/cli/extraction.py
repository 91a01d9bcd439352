"""What was extracted from a document as one plain record: what JSON prints and CSV is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from edge_clm.cli.enums import short
from edge_clm.cli.notice import notice_records

if TYPE_CHECKING:
    from edge_clm.v1.edge_clm_pb2 import (
        Candidate,
        Check,
        Evidence,
        ExtractResponse,
        Field,
        PageInfo,
        Value,
    )

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Key:
    """What a record is about: a file with a certain content, whole or one page of it."""

    file: str
    sha256: str
    """Hex digest of the file; empty where it could not be read."""
    page: int
    """From 1; 0 for the whole document."""

    def fields(self) -> Record:
        """The first entries of a record."""
        return {"file": self.file, "sha256": self.sha256, "page": self.page}


def failed_record(key: Key, reason: str, message: str, remedy: str) -> Record:
    """The record of a document that could not be read."""
    return key.fields() | {"error": {"reason": reason, "message": message, "remedy": remedy}}


def record_of(key: Key, response: ExtractResponse) -> Record:
    """The record of a document: enums by short names, amounts and numbers as exact text."""
    extraction = response.extraction
    tables: dict[str, list[Record]] = {}
    for table in extraction.tables:
        rows = ({cell.name: _field(cell) for cell in row.cells} for row in table.rows)
        tables.setdefault(table.name, []).extend(rows)
    fields = {field.name: _field(field) for field in extraction.fields}
    pages = [_page(page) for page in response.pages]
    return key.fields() | {
        "kind": short(extraction, "kind", extraction.kind),
        "language": extraction.language,
        "fields": fields,
        "tables": tables,
        "checks": [_check(check) for check in extraction.checks],
        "look_again": list(_look_again(fields, tables)),
        "flaws": list(dict.fromkeys(flaw for page in pages for flaw in page["flaws"])),
        "pages": pages,
        "serve_mode": short(response, "serve_mode", response.serve_mode),
        "stages": _stages(response),
    }


def _look_again(fields: Record, tables: dict[str, list[Record]]) -> Iterator[str]:
    """The names of fields that a person should look at, and of cells: "analytes[2].value" is in row 2."""
    yield from (name for name, field in fields.items() if field["look_again"])
    for table, rows in tables.items():
        for number, row in enumerate(rows, 1):
            yield from (f"{table}[{number}].{n}" for n, cell in row.items() if cell["look_again"])


def _field(field: Field) -> Record:
    return {
        **_reading(field),
        "ambiguous": field.ambiguous,
        "look_again": field.look_again,
        "alternatives": [_reading(other) for other in field.alternatives],
    }


def _reading(reading: Field | Candidate) -> Record:
    return {
        "raw": reading.raw,
        "value": value_of(reading.value) if reading.HasField("value") else None,
        "confidence": round(reading.confidence, 4),
        "evidence": [_evidence(evidence) for evidence in reading.evidence],
    }


def value_of(value: Value) -> Record | None:
    """A typed value with its type: money, date, quantity, text or truth; None where it is none."""
    kind = value.WhichOneof("kind")
    if kind == "money":
        return {"type": kind, "amount": value.money.amount, "currency": value.money.currency}
    if kind == "date":
        return {"type": kind, "date": value.date}
    if kind == "dates":
        return {"type": "date", "readings": list(value.dates.readings)}
    if kind == "quantity":
        number = value.quantity
        told = {"number": number.number, "unit": number.unit, "comparison": number.comparison}
        return {"type": kind, **told}
    if kind == "text":
        return {"type": kind, "text": value.text}
    return {"type": kind, "truth": value.truth} if kind == "truth" else None


def _evidence(evidence: Evidence) -> Record:
    quad = [[round(point.x, 1), round(point.y, 1)] for point in evidence.quad]
    return {"text": evidence.text, "page": evidence.page, "quad": quad}


def _check(check: Check) -> Record:
    sums = {"expected": value_of(check.expected), "found": value_of(check.found)}
    return {"name": check.name, "holds": check.holds, **sums}


def _page(page: PageInfo) -> Record:
    return {
        "number": page.number,
        "count": page.count,
        "handle": page.handle,
        "width": page.width,
        "height": page.height,
        "turn": page.turn,
        "flaws": [short(page, "flaws", flaw) for flaw in page.flaws],
        "notices": notice_records(page),
    }


def _stages(response: ExtractResponse) -> dict[str, float]:
    total: dict[str, float] = {}
    for stage in response.stages:
        total[stage.name] = total.get(stage.name, 0.0) + stage.ms
    return {name: round(ms, 3) for name, ms in total.items()}
