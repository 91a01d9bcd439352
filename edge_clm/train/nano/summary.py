"""What a page is about in two or three sentences, stating only what can be read on it."""

from __future__ import annotations

from collections.abc import Mapping

from edge_clm.paper import PageKind
from edge_clm.train.nano.shown import Sheet

_NOUNS = {
    PageKind.INVOICE: "Invoice",
    PageKind.RECEIPT: "Receipt",
    PageKind.LAB_REPORT: "Laboratory report",
    PageKind.RADIOLOGY_REPORT: "Radiology report",
}
_HEADS: Mapping[PageKind, tuple[tuple[str, str], ...]] = {
    PageKind.INVOICE: (
        ("number", " {}"),
        ("date", " of {}"),
        ("seller", " from {}"),
        ("buyer", " to {}"),
    ),
    PageKind.RECEIPT: (("number", " {}"), ("date", " of {}"), ("seller", " from {}")),
    PageKind.LAB_REPORT: (
        ("accession", " {}"),
        ("laboratory", " from {}"),
        ("patient", " for {}"),
        ("collected", ", collected {}"),
    ),
    PageKind.RADIOLOGY_REPORT: (
        ("exam", ": {}"),
        ("hospital", ", from {}"),
        ("patient", ", for {}"),
        ("exam_date", ", of {}"),
    ),
}
"""The field that follows, and how it is said."""
_TAILS: Mapping[PageKind, tuple[tuple[str, str], ...]] = {
    PageKind.INVOICE: (
        ("total", "Total: {}."),
        ("subtotal", "Subtotal: {}."),
        ("tax", "Tax: {}."),
        ("due_date", "Due: {}."),
    ),
    PageKind.RECEIPT: (("total", "Total: {}."), ("tax", "Tax: {}."), ("paid", "Paid: {}.")),
    PageKind.LAB_REPORT: (),
    PageKind.RADIOLOGY_REPORT: (("impression", "Impression: {}"),),
}
_MOST_ROWS = 4


def summary(sheet: Sheet, shown: Mapping[str, str | None]) -> str:
    """Kind, number, date and parties, then the sums, the abnormal results or the impression.

    `shown` is each field as it can be read on the sheet.
    """
    page = sheet.page
    head = _NOUNS[page.kind] + "".join(
        how.format(shown[name]) for name, how in _HEADS[page.kind] if shown.get(name)
    )
    tail = [how.format(shown[name]) for name, how in _TAILS[page.kind] if shown.get(name)]
    flagged = _flagged(sheet)
    if flagged:
        tail.append(f"Flagged: {'; '.join(flagged[:_MOST_ROWS])}.")
    return " ".join([head.rstrip(".") + ".", *tail])


def _flagged(sheet: Sheet) -> list[str]:
    """The results that carry a flag, as printed."""
    said = []
    for table in sheet.page.tables:
        for row in table.rows if table.name == "analytes" else ():
            parts = [sheet.shown(row[name]) for name in ("analyte", "value", "flag") if name in row]
            if len(parts) == 3 and all(parts) and row["flag"].text.casefold() != "normal":
                said.append(" ".join(part for part in parts if part))
    return said
