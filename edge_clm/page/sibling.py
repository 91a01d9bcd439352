"""What reads otherwise on a page than on an earlier one that bears the same names."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from edge_clm.paper import Candidate, Difference, Extraction, Field, PageText
from edge_clm.values.equal import equal
from edge_clm.values.value import Text

_SURE = 0.9
"""Confidence from which a reading can differ from another: what is garbled says little of the paper."""
_GARBLED = 0.75
"""Likeness of two names from which they are taken for one, read twice."""
_MARK = "mark"
_MARKS = frozenset(
    [
        "paid",
        "void",
        "cancelled",
        "canceled",
        "copy",
        "duplicate",
        "draft",
        "overdue",
        "rejected",
        "approved",
        "refunded",
        "reversed",
        "bezahlt",
        "storniert",
        "storno",
        "kopie",
        "entwurf",
        "payé",
        "annulé",
        "copie",
        "pagado",
        "anulado",
        "copia",
        "pagato",
        "annullato",
        "已付款",
        "已付",
        "作废",
        "已作废",
    ]
)
"""Words that alone on a line are a stamp."""

Read = tuple[PageText, Extraction]


def differences(before: Read, now: Read) -> tuple[Difference, ...]:
    """What differs of that which was surely read on both: fields that both have, and stamps.

    Two readings of one name differ in a letter now and then, which is no change; in a number or a date it is.
    """
    return (*_changed(before[1], now[1]), *_marked(before[0], now[0]))


def _changed(before: Extraction, now: Extraction) -> Iterator[Difference]:
    known = {field.name: field for field in before.fields if _is_sure(field)}
    for field in now.fields:
        other = known.get(field.name)
        if other and _is_sure(field) and not _same(other.best, field.best):
            yield Difference(field.name, other.best.raw, field.best.raw)


def _is_sure(field: Field) -> bool:
    return field.best.confidence >= _SURE and not field.ambiguous


def _same(one: Candidate, other: Candidate) -> bool:
    if one.value is not None and other.value is not None and equal(one.value, other.value):
        return True
    if _form(one.raw) == _form(other.raw):
        return True
    names = isinstance(one.value, Text) and isinstance(other.value, Text)
    return names and _is_name(one.raw) and _is_name(other.raw) and _alike(one.raw, other.raw)


def _is_name(raw: str) -> bool:
    return not any(map(str.isdigit, raw))


def _alike(one: str, other: str) -> bool:
    return SequenceMatcher(None, _form(one), _form(other), autojunk=False).ratio() >= _GARBLED


def _form(raw: str) -> str:
    return "".join(filter(str.isalnum, raw.casefold()))


def _marked(before: PageText, now: PageText) -> Iterator[Difference]:
    was, is_now = _marks(before), _marks(now)
    if was != is_now:
        yield Difference(_MARK, ", ".join(sorted(was)), ", ".join(sorted(is_now)))


def _marks(text: PageText) -> frozenset[str]:
    words = {line.text.strip(" .!*-_[]()").casefold(): line for line in text.lines}
    return frozenset(
        word.upper() for word, line in words.items() if word in _MARKS and line.confidence >= _SURE
    )
