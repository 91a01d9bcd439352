"""Who a medical report is about, when it was made and for whom: what lab and radiology share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import cache, partial

from edge_clm.page.fields.birth import born_before
from edge_clm.page.fields.dates import days_in
from edge_clm.page.fields.guesses import Guess, decide
from edge_clm.page.fields.labels import Label, Labels
from edge_clm.page.fields.language import language_of, usual_order
from edge_clm.page.fields.layout import Layout, Span
from edge_clm.page.fields.places import places_of
from edge_clm.page.fields.wording import bare, fold, word_list
from edge_clm.paper import Field
from edge_clm.values.habits import Habits
from edge_clm.values.level import level
from edge_clm.values.value import Day, Quantity, Text, Value

Reading = tuple[Span, Value]
Reader = Callable[[Span], Reading | None]

_TIME = re.compile(
    r"[\s,T]*(?:at|um|à|a las|alle)?\s*\d{1,2}\s?[:.h]\s?\d{2}(?:\s?[:.]\s?\d{2})?\s?(?:[ap]\.?m\b\.?|uhr|h(?:rs?)?\b)?",
    re.IGNORECASE,
)
_AGE = re.compile(
    r"(?<!\w)(\d{1,3})\s?(years?(?: old)?|yrs?|y/?o|y|months?|mths?|m(?!\w)|weeks?|days?|d|jahre?|ans|años|anni|jaar|anos|tahun|thn|岁|歳|月|天)?(?![^\W\d_])",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"[^\s:,;|()]*\d[^\s:,;|()]*")
# A name ends where a number, a bracket or a wide gap begins.
_NAME_END = re.compile(r"\s{3,}|\s*[(（\[|;:：\d]|\s+[-–/]\s")
_LETTERS = re.compile(r"[^\W\d_]{2,}|[\u3400-\u9fff]")
# A name that was taken out.
_REDACTED = re.compile(
    r"x{2,}(?!\w)|(?:redacted|anonym\w*|de-?identified|pseudonym\w*|withheld)\b", re.IGNORECASE
)
# What leads from a name to a date.
_NAME_TAIL = re.compile(
    r"(?:\s+(?:on|at|am|le|el|il|op|em|date|dated))?(?:[\s,*\-]|(?<=[a-z]{3})\.)*$"
)
_JOINT = re.compile(r"[\s/&,()|]*")
# What a label is worth that a colon follows, wherever in a line it stands.
_LED = 0.85
_BESIDE = 0.8
_SHORT = 60
_OLDEST = 125


def patient_fields(
    layout: Layout, labels: Labels, habits: Habits, also: dict[str, str]
) -> list[Field]:
    """Fields that labels name: those of the patient, and `also`, name to how it is read.

    Read as `name`, `number`, `day`, `sex`, `age` or `text`.
    """
    asked = {**_PATIENT, **also}
    habits = (
        habits if habits.order else replace(habits, order=usual_order(language_of(layout.text)))
    )
    fields = []
    for name, how in asked.items():
        guesses = list(_guesses(layout, labels, name, _reader(how, habits)))
        if not guesses and how in ("age", "sex"):
            guesses = list(_beside_name(layout, labels, _reader(how, habits)))
        field = decide(name, guesses, layout)
        if field:
            fields.append(field)
    return born_before(fields, date.today())


def sex_of(fields: list[Field]) -> str:
    """'male' or 'female' where a field `sex` says so, else ''."""
    raw = next((field.best.raw for field in fields if field.name == "sex"), "")
    return _sexes().get(fold(raw), "")


_PATIENT = {
    "patient": "name",
    "patient_id": "number",
    "birth_date": "day",
    "sex": "sex",
    "age": "age",
    "accession": "number",
    "ordering_physician": "name",
}


def _guesses(layout: Layout, labels: Labels, concept: str, read: Reader) -> Iterator[Guess]:
    for label, printed in labels.of(concept):
        worth = max(printed, _LED) if _leads(label) else printed
        if not (label.alone or _leads(label)):
            continue
        for target in (label, *_joined_to(labels, label)):
            for place in places_of(layout, labels, target):
                found = read(_before_next(labels, place.span))
                if found:
                    span, value = found
                    time = _time_beside(layout, span) if isinstance(value, Day) else ()
                    yield Guess((span, *time), value, worth * place.worth)
                    break
            else:
                continue
            break


def _beside_name(layout: Layout, labels: Labels, read: Reader) -> Iterator[Guess]:
    """Age and sex that stand behind the patient's name: "Ada Quist (45 Y / F)"."""
    for guess in _guesses(layout, labels, "patient", name_in):
        name = guess.spans[0]
        ends = [it.last.start for it in labels.within(name.cell) if it.last.start > name.end]
        rest = name.cell.part(name.end, min(ends, default=len(name.cell.text)))
        found = read(rest) if rest.text[:1] in ("(", "（", "[", ",", "/") else None
        if found:
            yield Guess((found[0],), found[1], _BESIDE * guess.strength)


def _time_beside(layout: Layout, day: Span) -> tuple[Span, ...]:
    """The time of day that stands right of a date in a cell of its own."""
    if day.end < len(day.cell.text.rstrip()):
        return ()
    return tuple(it.whole for it in layout.right_of(day.cell)[:1] if _TIME.fullmatch(it.text))


def _leads(label: Label) -> bool:
    """Whether a colon stands behind the label, so that it is one even in the midst of a line."""
    return label.last.cell.text[label.last.end :].lstrip()[:1] in (":", "：")


def _before_next(labels: Labels, span: Span) -> Span:
    """The part of a text before the next label that a colon follows."""
    starts = [
        label.spans[0].start
        for label in labels.within(span.cell)
        if label.spans[0].start > span.start and _leads(label)
    ]
    return span.cell.part(span.start, min([span.end, *starts]))


def _joined_to(labels: Labels, label: Label) -> Iterator[Label]:
    """The labels that share this one's value: "Age / Sex: 45 Y / M"."""
    cell, end = label.last.cell, label.last.end
    for other in labels.within(cell):
        if other.last.start >= end and other.last.cell is cell:
            if not _JOINT.fullmatch(cell.text[end : other.last.start]):
                return
            yield other
            end = other.last.end


def _reader(how: str, habits: Habits) -> Reader:
    readers: dict[str, Reader] = {
        "name": name_in,
        "number": partial(_number, habits),
        "day": partial(_day, habits),
        "sex": _sex,
        "age": _age,
        "text": _text,
    }
    return readers[how]


def name_in(span: Span) -> Reading | None:
    """The name of a person or house that a text begins with."""
    end = _NAME_END.search(span.text)
    said = span.cell.part(span.start, span.start + (end.start() if end else len(span.text)))
    said = said.cell.part(said.start, said.start + len(_NAME_TAIL.sub("", said.text)))
    if not _LETTERS.search(said.text) or len(said.text) > _SHORT or bare(said.text) in _heads():
        return None
    if _REDACTED.match(said.text):
        return None
    return said, Text(said.text)


def _text(span: Span) -> Reading | None:
    return (span, Text(span.text)) if _LETTERS.search(span.text) else None


def _number(habits: Habits, span: Span) -> Reading | None:
    days = {index for day, _ in days_in(span, habits) for index in range(day.start, day.end)}
    for match in _NUMBER.finditer(span.text):
        part = span.cell.part(span.start + match.start(), span.start + match.end())
        if part.start not in days and sum(map(str.isdigit, part.text)) > 1:
            return part, Text(part.text)
    return None


def _day(habits: Habits, span: Span) -> Reading | None:
    for day, value in days_in(span, habits):
        time = _TIME.match(span.cell.text, day.end, max(span.end, day.end))
        return span.cell.part(day.start, time.end() if time else day.end), value
    return None


def _sex(span: Span) -> Reading | None:
    for match in re.finditer(r"[^\W\d_]+(?:-[^\W\d_]+)?", span.text):
        if fold(match[0]) in _sexes():
            part = span.cell.part(span.start + match.start(), span.start + match.end())
            return part, Text(part.text)
    return None


def _age(span: Span) -> Reading | None:
    match = _AGE.search(level(span.text))
    if not match or int(match[1]) > _OLDEST or re.search(r"\d[./-]\d", span.text):
        return None
    part = span.cell.part(span.start + match.start(), span.start + match.end())
    return part, Quantity(Decimal(match[1]), match[2] or "")


@cache
def _heads() -> frozenset[str]:
    """Headings of columns: what stands below a label may be one, and is then nobody's name."""
    grades = (grade for lists in word_list("lab_columns").values() for grade in lists.values())
    return frozenset(bare(phrase) for phrases in grades for phrase in phrases)


@cache
def _sexes() -> dict[str, str]:
    groups = word_list("lab_words")["sexes"].items()
    return {fold(word): sex for sex, words in groups for word in words}
