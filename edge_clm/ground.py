"""Whether an answer stands on the page, and where."""

from __future__ import annotations

import re

from edge_clm.occurrences import Occurrences, same, tokens
from edge_clm.paper import Candidate, Extraction, Field, Grounded, Grounding, PageText
from edge_clm.truth import ground_truth, truth_of
from edge_clm.values.dates import read_day
from edge_clm.values.find import find_values
from edge_clm.values.money import read_money
from edge_clm.values.names import same_name
from edge_clm.values.quantity import read_quantity
from edge_clm.values.value import Text, Value

RULES = 2
"""Counted up whenever the same answer on the same page is grounded otherwise."""

_SURE = 0.5
"""Confidence from which a field read by rules decides what may count as evidence for it."""
_PROSE = 16
"""Words from which an answer without a value is prose, of which no single phrase can be looked for."""
_FILLER_WORDS = (
    "a an and are as at be by for from has have in is it its of on that the there this to was were "
    "which with 是 为 的"
)
_FILLER = frozenset(_FILLER_WORDS.split())
_WORD = re.compile(r"\S+")
_COPULA = re.compile(r"^(?:[\w']+ ){1,6}?(?:is|are|was|were)(?: called| named)? ")
"""The beginning of an answer that leads up to the value in other words than the question's."""


def ground(
    question: str, answer: str, text: PageText, extraction: Extraction, asked: str
) -> Grounding:
    """Looks for an answer among a page's words by typed equality.

    `asked` names the field that the question asks for, empty where that is not known: a value then
    counts only at the place of that field, so that a subtotal is no evidence for a total. Yes and no
    are grounded in their operands. An answer in words must stand there word for word; of a longer
    text every value must.
    """
    if (said := truth_of(question, answer)) is not None:
        return ground_truth(said, question, extraction, asked)
    core = _core(question, answer)
    if not core:
        return Grounding()
    page = Occurrences(text)
    field = next((one for one in extraction.fields if one.name == asked), None)
    if field and field.best.confidence >= _SURE:
        return _at_field(core, field)
    if asked and _is_another(core, asked, extraction):
        return Grounding(Grounded.NO, typed(core))
    for phrase in (core, _COPULA.sub("", core)) if len(tokens(core)) < _PROSE else ():
        if evidence := page.phrase(phrase):
            return Grounding(Grounded.YES, typed(phrase), evidence)
    return _by_values(question, core, page)


def typed(text: str) -> Value:
    """A whole text as the value it is."""
    bare = text.strip(" .\"'")
    return read_day(bare) or read_money(bare) or read_quantity(bare) or Text(bare)


def _at_field(core: str, field: Field) -> Grounding:
    """Evidence for an answer whose field the rules have read."""
    for reading in (field.best, *(field.alternatives if field.ambiguous else ())):
        if _says(core, reading):
            return Grounding(Grounded.YES, reading.value, reading.evidence)
    said = find_values(core)
    return Grounding(Grounded.NO, said[0].value if len(said) == 1 else typed(core))


def _is_another(core: str, asked: str, extraction: Extraction) -> bool:
    """Whether the answer is what the rules have surely read as another field, and not as this one."""
    fields = extraction.fields
    mine = [c for f in fields if f.name == asked for c in (f.best, *f.alternatives)]
    if any(_says(core, candidate) for candidate in mine):
        return False
    return any(f.best.confidence >= _SURE and _says(core, f.best) for f in fields)


def _says(core: str, reading: Candidate) -> bool:
    """Whether an answer states that reading, and no other value beside it."""
    said = [found.value for found in find_values(core)]
    value = reading.value
    if value is not None and said and all(same(value, one) for one in said):
        return True
    return any(same_name(reading.raw, phrase) for phrase in (core, _COPULA.sub("", core)))


def _by_values(question: str, core: str, page: Occurrences) -> Grounding:
    """Evidence for an answer by the values in it; those that only repeat the question prove nothing."""
    echoes = [found.value for found in find_values(question)]
    said = [found.value for found in find_values(core)]
    said = [one for one in said if not any(same(one, echo) for echo in echoes)]
    if not said:
        long = len(tokens(core)) >= _PROSE
        return Grounding() if long else Grounding(Grounded.NO, typed(core))
    places = [page.value(one) for one in said]
    value = said[0] if len(said) == 1 else Text(core)
    if not all(places):
        return Grounding(Grounded.NO, value)
    return Grounding(Grounded.YES, value, tuple(dict.fromkeys(one[0] for one in places)))


def _core(question: str, answer: str) -> str:
    """The answer without the words before it that only lead up to it: "The seller is"."""
    lead = _FILLER | set(tokens(question))
    start = 0
    words = list(_WORD.finditer(answer))
    while start < len(words) and _leads(words[start].group(), lead):
        start += 1
    return answer[words[start].start() :].strip() if start < len(words) else ""


def _leads(word: str, lead: frozenset[str]) -> bool:
    forms = tokens(word)
    return not forms or forms[0] in lead
