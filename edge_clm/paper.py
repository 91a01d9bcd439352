"""What stands on a page: its lines, the fields and tables they make, and what an answer rests on."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from edge_clm.values.value import Value

Point = tuple[float, float]
Quad = tuple[Point, Point, Point, Point]
"""Corners of a box in pixels, clockwise from the top left of the text's reading direction."""


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text that OCR found."""

    text: str
    quad: Quad
    """In upright coordinates: pixels of the canonical picture turned by the page text's `turn`."""
    confidence: float
    """0…1, the recogniser's own."""

    def part(self, start: int, end: int) -> Quad:
        """The box of the characters from `start` to `end`, cut out in proportion to characters."""
        length = max(len(self.text), 1)
        a, b, c, d = self.quad
        first, last = start / length, end / length
        return (
            *(_between(a, b, first), _between(a, b, last)),
            *(_between(d, c, last), _between(d, c, first)),
        )


def _between(one: Point, other: Point, share: float) -> Point:
    return one[0] + (other[0] - one[0]) * share, one[1] + (other[1] - one[1]) * share


class Flaw(StrEnum):
    """What is wrong with a capture, so that it had better be taken again."""

    BLURRED = "blurred"
    """The print is out of focus or smeared by motion."""
    GLARE = "glare"
    """A reflection hides print."""
    DARK = "dark"
    """There is too little light or contrast to tell print from paper."""
    CUT_OFF = "cut_off"
    """Print runs over the edge of the picture."""
    TOO_SMALL = "too_small"
    """The print is too small in pixels to be read with confidence."""


@dataclass(frozen=True, slots=True)
class PageText:
    """The text of a page, in reading order; a blank page has no lines."""

    lines: tuple[Line, ...]
    turn: int
    """Degrees clockwise (0, 90, 180, 270) by which the canonical picture was turned to stand upright."""
    width: int
    """Of the upright picture, pixels."""
    height: int
    flaws: tuple[Flaw, ...] = ()


@dataclass(frozen=True, slots=True)
class Evidence:
    """A box on the page that an answer rests on, in upright coordinates of this capture."""

    text: str
    quad: Quad
    page: int = 1
    """Which page of the document, from 1."""


class Grounded(StrEnum):
    """Whether an answer was found among the words of the page."""

    UNEXAMINED = "unexamined"
    """It states no value that could be looked for."""
    YES = "yes"
    NO = "no"


@dataclass(frozen=True, slots=True)
class Grounding:
    """What looking for an answer among the page's words has told."""

    grounded: Grounded = Grounded.UNEXAMINED
    value: Value | None = None
    """The answer as a typed value, where it is one."""
    evidence: tuple[Evidence, ...] = ()
    named: tuple[Evidence, ...] = ()
    """Words of the question that stand on the page, such as the item whose price is asked for: where they
    read otherwise, the answer is another's."""
    whole: bool = False
    """Whether it may rest on more of the page than these: on the order of things, on how many there are, on a
    condition, or on what the question leaves unnamed."""


class PageKind(StrEnum):
    """What kind of document a page is."""

    INVOICE = "invoice"
    RECEIPT = "receipt"
    LAB_REPORT = "lab_report"
    RADIOLOGY_REPORT = "radiology_report"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Candidate:
    """One reading of a field."""

    raw: str
    """As printed."""
    value: Value | None
    """Typed; None where it cannot be read as what the field is."""
    evidence: tuple[Evidence, ...]
    confidence: float
    """0…1."""


@dataclass(frozen=True, slots=True)
class Field:
    """A typed value on a page, under the name of what it is."""

    name: str
    """total, date, number, seller, …; for a row's cells the column."""
    best: Candidate
    alternatives: tuple[Candidate, ...] = ()
    """Other readings that could not be ruled out, likelier first."""
    ambiguous: bool = False
    """True where another reading is as likely, so that `best` is no answer."""
    look_again: bool = False
    """True where a person should look: badly read, ambiguous, or in a check that failed."""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows that belong together: the lines of an invoice, the analytes of a lab report."""

    name: str
    """lines, taxes, analytes or measurements."""
    rows: tuple[tuple[Field, ...], ...]


@dataclass(frozen=True, slots=True)
class Check:
    """A sum that a page should fulfil."""

    name: str
    """lines_subtotal, subtotal_tax_total, …"""
    holds: bool
    expected: Value
    """What the parts come to."""
    found: Value
    """What is printed."""


@dataclass(frozen=True, slots=True)
class Named:
    """What a page is and what tells it from all others, as read."""

    names: str
    """Empty where nothing does, so that nothing could prove that another capture shows it."""
    kind: PageKind


@dataclass(frozen=True, slots=True)
class Difference:
    """What reads otherwise on a page than on an earlier one that bears the same names."""

    field: str
    """The field's name, or `mark` for stamps such as PAID."""
    before: str
    """As printed there; empty where there was nothing."""
    now: str


class NoticeKind(StrEnum):
    """What is to be said of an earlier capture that bears the same names."""

    SEEN_BEFORE = "seen_before"
    """Nothing that was surely read on both differs: most likely the same paper, or a copy.

    Of a photograph that was not read: proven to show that page, as far as its answer needed."""
    CHANGED = "changed"
    """The same document with something changed."""
    SAME_NUMBER = "same_number"
    """Another party's document that bears the same number."""


@dataclass(frozen=True, slots=True)
class Notice:
    """That a page's names were seen before, on another capture."""

    kind: NoticeKind
    handle: str
    """Of the earlier capture."""
    page: int
    """Which page of that, from 1."""
    seen: float
    """When it was first read, Unix seconds."""
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True)
class Extraction:
    """What rules over words and layout read on the pages of a document."""

    kind: PageKind
    language: str
    """ISO 639-1 code; empty where the words do not tell."""
    fields: tuple[Field, ...] = ()
    tables: tuple[Table, ...] = ()
    checks: tuple[Check, ...] = ()
