"""What is said of earlier captures that bear a page's names, as plain records and in words."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from edge_clm.cli.enums import short
from edge_clm.cli.wording import one_line

if TYPE_CHECKING:
    from edge_clm.v1.edge_clm_pb2 import Notice, PageInfo

_SAID = {
    "seen_before": "seen before",
    "changed": "changed since",
    "same_number": "another seller's document of the same number",
}


def notice_records(page: PageInfo) -> list[dict[str, Any]]:
    """The notices of a page as plain records; times in UTC as ISO 8601."""
    return [_record(notice) for notice in page.notices]


def notice_said(record: dict[str, Any]) -> str:
    """A notice's record in one line."""
    what = _SAID.get(record["kind"], record["kind"])
    differences = ", ".join(map(_difference, record["differences"]))
    told = f"{what}: {differences}" if differences else what
    page = f" page {record['page']}" if record["page"] > 1 else ""
    return one_line(
        f"{told} ({record['seen'][:16].replace('T', ' ')} UTC, {record['handle']}{page})"
    )


def _record(notice: Notice) -> dict[str, Any]:
    seen = datetime.fromtimestamp(notice.seen.seconds, UTC)
    return {
        "kind": short(notice, "kind", notice.kind),
        "handle": notice.handle,
        "page": notice.number,
        "seen": seen.isoformat(timespec="seconds"),
        "differences": [
            {"field": one.field, "before": one.before, "now": one.now} for one in notice.differences
        ],
    }


def _difference(one: dict[str, Any]) -> str:
    return f"{one['field']} {one['before'] or 'nothing'} -> {one['now'] or 'nothing'}"
