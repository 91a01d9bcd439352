"""Values, fields and tables as the contract words them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from edge_clm.paper import (
    Candidate,
    Check,
    Evidence,
    Extraction,
    Field,
    Flaw,
    Notice,
    NoticeKind,
    PageKind,
    Table,
)
from edge_clm.v1 import edge_clm_pb2 as pb
from edge_clm.values.value import Day, Money, Quantity, Text, Truth, Value

_KINDS = {
    PageKind.INVOICE: pb.PAGE_KIND_INVOICE,
    PageKind.RECEIPT: pb.PAGE_KIND_RECEIPT,
    PageKind.LAB_REPORT: pb.PAGE_KIND_LAB_REPORT,
    PageKind.RADIOLOGY_REPORT: pb.PAGE_KIND_RADIOLOGY_REPORT,
    PageKind.OTHER: pb.PAGE_KIND_OTHER,
}
_FLAWS = {
    Flaw.BLURRED: pb.FLAW_BLURRED,
    Flaw.GLARE: pb.FLAW_GLARE,
    Flaw.DARK: pb.FLAW_DARK,
    Flaw.CUT_OFF: pb.FLAW_CUT_OFF,
    Flaw.TOO_SMALL: pb.FLAW_TOO_SMALL,
}

_NOTICES = {
    NoticeKind.SEEN_BEFORE: pb.NOTICE_KIND_SEEN_BEFORE,
    NoticeKind.CHANGED: pb.NOTICE_KIND_CHANGED,
    NoticeKind.SAME_NUMBER: pb.NOTICE_KIND_SAME_NUMBER,
}


def extraction_message(extraction: Extraction) -> pb.Extraction:
    """The contract's Extraction."""
    return pb.Extraction(
        kind=_KINDS[extraction.kind],
        language=extraction.language,
        fields=[_field(field) for field in extraction.fields],
        tables=[_table(table) for table in extraction.tables],
        checks=[_check(check) for check in extraction.checks],
    )


def evidence_message(item: Evidence, page: int) -> pb.Evidence:
    """The contract's Evidence, on that page of the document."""
    quad = [pb.Point(x=x, y=y) for x, y in item.quad]
    return pb.Evidence(text=item.text, quad=quad, page=page)


def flaw_values(flaws: Sequence[Flaw]) -> list[pb.Flaw]:
    """The contract's flaws."""
    return [_FLAWS[flaw] for flaw in flaws]


def notice_message(notice: Notice) -> pb.Notice:
    """The contract's Notice."""
    seen = Timestamp()
    seen.FromNanoseconds(int(notice.seen * 1e9))
    return pb.Notice(
        kind=_NOTICES[notice.kind],
        handle=notice.handle,
        number=notice.page,
        seen=seen,
        differences=[
            pb.Difference(field=one.field, before=one.before, now=one.now)
            for one in notice.differences
        ],
    )


def value_message(value: Value | None) -> pb.Value | None:
    """The contract's Value; a date that can be read in two ways gives both."""
    return None if value is None else pb.Value(**_kind(value))


def _kind(value: Value) -> dict[str, Any]:
    match value:
        case Money():
            return {"money": pb.Money(amount=f"{value.amount:f}", currency=value.currency)}
        case Day(readings=(day,)):
            return {"date": day.isoformat()}
        case Day():
            return {"dates": pb.Dates(readings=[day.isoformat() for day in value.readings])}
        case Quantity():
            number = f"{value.number:f}"
            quantity = pb.Quantity(number=number, unit=value.unit, comparison=value.comparison)
            return {"quantity": quantity}
        case Text():
            return {"text": value.text}
        case Truth():
            return {"truth": value.truth}


def _field(field: Field) -> pb.Field:
    best = field.best
    return pb.Field(
        name=field.name,
        raw=best.raw,
        value=value_message(best.value),
        evidence=[evidence_message(item, item.page) for item in best.evidence],
        confidence=best.confidence,
        ambiguous=field.ambiguous,
        look_again=field.look_again,
        alternatives=[_candidate(other) for other in field.alternatives],
    )


def _candidate(candidate: Candidate) -> pb.Candidate:
    return pb.Candidate(
        raw=candidate.raw,
        value=value_message(candidate.value),
        evidence=[evidence_message(item, item.page) for item in candidate.evidence],
        confidence=candidate.confidence,
    )


def _table(table: Table) -> pb.Table:
    rows = [pb.Row(cells=[_field(cell) for cell in row]) for row in table.rows]
    return pb.Table(name=table.name, rows=rows)


def _check(check: Check) -> pb.Check:
    return pb.Check(
        name=check.name,
        holds=check.holds,
        expected=value_message(check.expected),
        found=value_message(check.found),
    )
