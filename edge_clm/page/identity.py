"""What tells one page from every other: the values that name it, and those that a namesake would differ in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from edge_clm.page.prove import Claim
from edge_clm.paper import Evidence, Extraction, Line, PageText, Point, Quad

_NAMES = (
    ("number",),
    ("contract_number",),
    ("accession",),
    ("patient", "collected"),
    ("patient", "exam_date"),
    ("patient_id", "reported"),
    ("date", "total"),
)
"""Fields that name a page together, in the order in which they are tried."""
_OTHERS = (
    "date",
    "due_date",
    "order_number",
    "seller",
    "buyer",
    "advertiser",
    "seller_tax_id",
    "iban",
    "patient",
    "patient_id",
    "birth_date",
    "collected",
    "exam_date",
    "reported",
)
"""Fields that may not conflict."""
SURE = 0.9
"""Confidence of a line below which nothing in it can conflict: what is garbled says little of the page."""
_SIGN = "#№"
"""What may stand before a number and is no part of it; recognisers take it for a digit."""
_TIME = re.compile(r"(?<![\d:])\d{1,2}:\d{2}(?::\d{2})?(?![\d:])")


@dataclass(frozen=True, slots=True)
class Identity:
    """What stands on a page that tells it from others."""

    fields: tuple[str, ...]
    """Those that name it; empty where nothing on the page does."""
    naming: tuple[Claim, ...]
    """Their claims, all of which must be proven."""
    others: tuple[Claim, ...]
    """Claims that may not conflict."""


def identity_of(text: PageText, read: Extraction) -> Identity:
    """What tells a page from others, by what rules read on it."""
    known = {
        field.name: claims_of(text, field.best.evidence)
        for field in read.fields
        if not field.ambiguous
    }
    fields: tuple[str, ...] = next(
        (names for names in _NAMES if all(known.get(name) for name in names)), ()
    )
    if fields == ("date", "total"):
        # Two slips of one shop may share day and total: whatever tells the time of day is asked as well.
        known["time"] = tuple(_times(text))
        fields = (*fields, "time") if known["time"] else ()
    naming = [claim for name in fields for claim in known[name]]
    others = [
        claim
        for name in _OTHERS
        for claim in known.get(name, ())
        if claim not in naming and text.lines[claim.line].confidence >= SURE
    ]
    return Identity(fields, tuple(dict.fromkeys(naming)), tuple(dict.fromkeys(others)))


def claims_of(text: PageText, evidence: Iterable[Evidence]) -> tuple[Claim, ...]:
    """The claims of what evidence shows: parts of the lines that lie where it lies."""
    return tuple(claim for one in evidence if (claim := _claim(text, one)) is not None)


def claims_at(text: PageText, quads: Iterable[Quad]) -> tuple[Claim, ...]:
    """The claims of boxes on the page: the characters of each line that lie in one of them.

    A box that lies on no line claims what nothing can prove.
    """
    return tuple(_claim_at(text, quad) for quad in quads)


def whole_lines(text: PageText, lines: Iterable[int]) -> tuple[Claim, ...]:
    """Whole lines as claims."""
    return tuple(Claim(at, text.lines[at].text, 0, len(text.lines[at].text)) for at in lines)


def _claim(text: PageText, evidence: Evidence) -> Claim | None:
    """A part of a line: where its text is found in the line, nearest to its place; else the whole line."""
    at = _line_at(text.lines, _middle(evidence.quad))
    if at is None:
        return None
    line = text.lines[at]
    starts = [
        start for start in range(len(line.text)) if line.text.startswith(evidence.text, start)
    ]
    if not starts or not evidence.text:
        return Claim(at, line.text, 0, len(line.text))
    share = _share(line, _middle(evidence.quad)) * len(line.text) - len(evidence.text) / 2
    start = min(starts, key=lambda one: abs(one - share))
    return _unsigned(Claim(at, line.text, start, start + len(evidence.text)))


def _claim_at(text: PageText, quad: Quad) -> Claim:
    at = _line_at(text.lines, _middle(quad))
    if at is None:
        return Claim(-1, "", 0, 0)
    line = text.lines[at]
    length = len(line.text)
    first = round(_share(line, _middle((quad[0], quad[0], quad[3], quad[3]))) * length)
    last = round(_share(line, _middle((quad[1], quad[1], quad[2], quad[2]))) * length)
    first, last = max(first, 0), min(last, length)
    return _unsigned(Claim(at, line.text, first, last)) if first < last else Claim(-1, "", 0, 0)


def _unsigned(claim: Claim) -> Claim:
    signs = len(claim.value) - len(claim.value.lstrip(_SIGN))
    return replace(claim, first=claim.first + signs) if signs < len(claim.value) else claim


def _times(text: PageText) -> Iterable[Claim]:
    for at, line in enumerate(text.lines):
        for found in _TIME.finditer(line.text):
            yield Claim(at, line.text, *found.span())


def _line_at(lines: Sequence[Line], point: Point) -> int | None:
    """The line that a point lies in; None where it lies in none."""
    inside = [at for at, line in enumerate(lines) if _is_within(line, point)]
    return min(inside, key=lambda at: abs(_across(lines[at], point) - 0.5), default=None)


def _is_within(line: Line, point: Point) -> bool:
    return 0 <= _share(line, point) <= 1 and 0 <= _across(line, point) <= 1


def _share(line: Line, point: Point) -> float:
    """How far along a line a point lies, 0…1."""
    a, b, _, d = line.quad
    middle = ((a[0] + d[0]) / 2, (a[1] + d[1]) / 2)
    return _along(middle, (b[0] - a[0], b[1] - a[1]), point)


def _across(line: Line, point: Point) -> float:
    """How far down across a line a point lies, 0…1."""
    a, b, _, d = line.quad
    share = _along(a, (b[0] - a[0], b[1] - a[1]), point)
    top = (a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]))
    return _along(top, (d[0] - a[0], d[1] - a[1]), point)


def _along(start: Point, way: Point, point: Point) -> float:
    squared = way[0] ** 2 + way[1] ** 2
    return ((point[0] - start[0]) * way[0] + (point[1] - start[1]) * way[1]) / max(squared, 1e-9)


def _middle(quad: Quad) -> Point:
    return sum(x for x, _ in quad) / 4, sum(y for _, y in quad) / 4
