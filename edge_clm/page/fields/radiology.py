"""Radiology reports: the exam, the sections of the text, and what was measured."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import mean

from edge_clm.page.fields.guesses import Guess, decide
from edge_clm.page.fields.headings import Section, named, sections_in
from edge_clm.page.fields.labels import Labels, labels_of
from edge_clm.page.fields.layout import Layout
from edge_clm.page.fields.letterhead import houses
from edge_clm.page.fields.measurements import Measurement, measurements_in
from edge_clm.page.fields.medical import name_in, patient_fields
from edge_clm.page.fields.wording import Phrase, Words, word_list
from edge_clm.paper import Candidate, Field, Table
from edge_clm.values.habits import Habits
from edge_clm.values.value import Text, Value

_SECTIONS = ("indication", "comparison", "technique", "findings", "impression")
_LABELLED = {"exam": "text", "exam_date": "day", "reported": "day", "radiologist": "name"}
_STRENGTH = 0.95
# A size, and what the words around it say it is of.
_SIZE, _SUBJECT = 0.9, 0.75
_TITLED, _SIGNED = 0.6, 0.7
_TOP, _LONG = 14, 80
_LEGIBLE = 0.7


def read_radiology(layout: Layout, habits: Habits) -> tuple[tuple[Field, ...], tuple[Table, ...]]:
    """Fields and the table `measurements` of a page of a radiology report.

    Fields: patient, patient_id, birth_date, sex, age, accession, ordering_physician, exam, exam_date,
    reported, radiologist, hospital; indication, comparison, technique, findings, impression: each the whole
    text of its section, with the boxes of all its lines. Cells: what; value, value_2, value_3 (a quantity for
    each dimension in reading order, all with the whole size as printed); where. Sizes of what is not
    there have no row; a row asks for a second look where that is not sure or the size is of before.
    """
    labels = labels_of(layout, ("radiology", "patient"))
    fields = patient_fields(layout, labels, habits, _LABELLED)
    names = {field.name for field in fields}
    signed = list(_signed(layout, labels))
    house = houses(layout, labels, "hospital")
    unlabelled = {"exam": _titles(layout), "radiologist": signed, "hospital": house}
    for name, guesses in unlabelled.items():
        field = decide(name, guesses, layout) if name not in names else None
        fields += [field] if field else []
    signatures = {span.cell.index for guess in signed for span in guess.spans}
    sections = sections_in(layout, labels, _SECTIONS, signatures)
    fields += [_whole(layout, section) for section in _first_of_each(sections)]
    rows = [
        tuple(_cells(layout, section, found))
        for concept in ("findings", "impression")
        for section in named(sections, concept)
        for found in measurements_in(section.passage.text)
    ]
    return tuple(fields), (Table("measurements", tuple(rows)),) if rows else ()


def _first_of_each(sections: Sequence[Section]) -> Iterator[Section]:
    """The longest section of each concept: a heading may stand in a table of contents, too."""
    for concept in _SECTIONS:
        own = [each for each in named(sections, concept) if each.passage.text.strip()]
        if own:
            yield max(own, key=lambda section: len(section.passage.text))


def _whole(layout: Layout, section: Section) -> Field:
    passage = section.passage
    confidence = _STRENGTH * mean(span.cell.confidence for span in passage.spans)
    evidence = passage.evidence(layout, 0, len(passage.text))
    best = Candidate(passage.text, Text(passage.text), evidence, confidence)
    return Field(section.concept, best, look_again=confidence < _LEGIBLE)


def _cells(layout: Layout, section: Section, found: Measurement) -> Iterator[Field]:
    if found.what:
        yield _cell(layout, section, "what", found.what, None, _SUBJECT, found.doubtful)
    for number, dimension in enumerate(found.dimensions, 1):
        name = "value" if number == 1 else f"value_{number}"
        yield _cell(layout, section, name, found.size, dimension, _SIZE, found.doubtful)
    if found.where:
        yield _cell(layout, section, "where", found.where, None, _SUBJECT, found.doubtful)


def _cell(
    layout: Layout,
    section: Section,
    name: str,
    place: tuple[int, int],
    value: Value | None,
    strength: float,
    doubtful: bool,
) -> Field:
    start, end = place
    raw = section.passage.text[start:end]
    confidence = strength * section.passage.confidence(start, end)
    evidence = section.passage.evidence(layout, start, end)
    best = Candidate(raw, value or Text(raw), evidence, confidence)
    again = doubtful or section.passage.confidence(start, end) < _LEGIBLE
    return Field(name, best, look_again=again)


def _titles(layout: Layout) -> Iterator[Guess]:
    """Lines near the top that name a kind of image: "CT CHEST WITH CONTRAST"."""
    words = word_list("radiology_words")["modalities"]
    modalities = [Phrase.of(word) for word in words]
    no_exam = [Phrase.of(word) for word in ("report", "department", "clinic", "center", "centre")]
    for row in layout.rows[:_TOP]:
        for cell in row:
            said = Words.of([cell.text])
            if len(cell.text) > _LONG or ":" in cell.text or any(map(said.has, no_exam)):
                continue
            if any(map(said.has, modalities)):
                high = 1 - 0.3 * cell.row / _TOP
                yield Guess((cell.whole,), Text(cell.text.strip()), _TITLED * high)


def _signed(layout: Layout, labels: Labels) -> Iterator[Guess]:
    """Names over a line that says what their bearer is: "Jane Doe, MD" over "Radiologist"."""
    for label, worth in labels.of("radiologist"):
        cell = label.last.cell
        if label.alone and label.last.end >= len(cell.text.rstrip(" .")):
            for above in layout.above(cell, rows=1):
                found = name_in(above.whole)
                if found:
                    yield Guess((found[0],), found[1], _SIGNED * worth)
