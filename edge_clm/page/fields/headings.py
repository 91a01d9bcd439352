"""A report's text, told apart by its headings."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from edge_clm.page.fields.labels import Label, Labels
from edge_clm.page.fields.layout import Cell, Layout, Span
from edge_clm.page.fields.passage import Passage, passage_of
from edge_clm.page.fields.places import trimmed

_BEYOND = float("inf")
_FEW_WORDS = 4
# Labels that end a section without a colon, too.
_ENDING = ("closing", "radiologist", "reported", "exam")
# What stands so many heights below a section's last line is not part of it.
_GAP = 4.5
_FOOTER = re.compile(
    r"\W*(?:page|pg\.?|seite|página|pagina|pág\.?|第)?\s*\d+\s*(?:of|/|von|de|di|sur|van|页\W*共)\s*\d+\s*页?\W*",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """What stands under a heading, or behind it in its line."""

    concept: str
    passage: Passage


@dataclass(slots=True)
class _Open:
    concept: str
    left: float
    right: float
    row: int
    spans: list[Span] = field(default_factory=list)

    def take(self, cell: Cell) -> None:
        """Adds a cell, if it stands in the section's width and not far below it."""
        last = self.spans[-1].cell if self.spans else cell
        if cell.level - last.level > _GAP * max(cell.height, last.height):
            self.right = self.left
        if self.left <= cell.middle < self.right:
            self.spans.append(cell.whole)


def sections_in(
    layout: Layout, labels: Labels, concepts: Sequence[str], aside: Collection[int]
) -> list[Section]:
    """The sections of these concepts from top to bottom; one without text is left out.

    A heading stands alone in its cell, or a colon follows it; any other label with a colon ends the
    section above it, and so does a wide gap. Cells whose index is in `aside` belong to none.
    """
    headed = {*concepts, *_ENDING}
    closed: list[_Open] = []
    active: list[_Open] = []
    for cell in layout.cells:
        label = _heading(labels, cell, headed)
        if label:
            fresh = _opened(layout, label, cell, concepts)
            kept = [it for it in active if it.row == cell.row and it.left < fresh.left]
            closed += [it for it in active if it not in kept]
            for it in kept:
                it.right = fresh.left
            active = [*kept, fresh]
        elif cell.index not in aside and not _FOOTER.fullmatch(cell.text):
            for it in active:
                it.take(cell)
    every = [it for it in (*closed, *active) if it.concept and it.spans]
    return [Section(it.concept, passage_of(it.spans)) for it in every]


def _heading(labels: Labels, cell: Cell, concepts: Collection[str]) -> Label | None:
    """The label that a cell begins with, if it says what follows."""
    for label in labels.within(cell):
        if label.last.cell is not cell or not _is_first(label, cell):
            continue
        rest = cell.text[label.last.end :].strip()
        if rest[:1] in (":", "："):
            return None if _is_aside(label, rest) else label
        if _closes(label) or (meaning_of(label) in concepts and _stands_out(label, rest)):
            return label
    return None


def _closes(label: Label) -> bool:
    """Whether a phrase that begins no field ends the report's text."""
    return meaning_of(label) == "closing" and " " in label.last.text.strip()


def _is_aside(label: Label, rest: str) -> bool:
    """Whether a label that names no field opens a sentence of the text: "Note: the heart is"."""
    return meaning_of(label) == "other" and len(rest.split()) > _FEW_WORDS


def meaning_of(label: Label) -> str:
    """What a label means most likely."""
    return max(label.meanings, key=lambda meaning: meaning.worth).concept


def _is_first(label: Label, cell: Cell) -> bool:
    return not re.search(r"[^\W\d_]", cell.text[: label.last.start])


def _stands_out(label: Label, rest: str) -> bool:
    """Whether a heading is alone, goes over from capitals into a sentence, or a dash follows it."""
    if not rest.strip("-–— "):
        return not label.last.text[:1].islower()
    capitals = label.last.text.isupper() and rest[:1].isupper() and not rest.isupper()
    return capitals or re.match(r"[-–—]\s", rest) is not None


def _opened(layout: Layout, label: Label, cell: Cell, concepts: Sequence[str]) -> _Open:
    meant = meaning_of(label)
    first = layout.row_of(cell)[0] is cell
    left = -_BEYOND if first else cell.left - cell.height
    section = _Open(meant if meant in concepts else "", left, _BEYOND, cell.row)
    behind = trimmed(Span(cell, label.last.end, len(cell.text)))
    section.spans += [behind] if behind.text else []
    return section


def named(sections: Iterable[Section], concept: str) -> Iterator[Section]:
    """Those sections that are of a concept."""
    return (section for section in sections if section.concept == concept)
