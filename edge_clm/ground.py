"""Whether an answer stands on the page, and where."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from edge_clm.negation import denies, makes_another
from edge_clm.occurrences import Occurrences, same, tokens
from edge_clm.paper import (
    Candidate,
    Evidence,
    Extraction,
    Field,
    Grounded,
    Grounding,
    PageText,
)
from edge_clm.truth import SideOf, cell_named, ground_truth, truth_of, untold
from edge_clm.values.currencies import currency_of
from edge_clm.values.equal import equal
from edge_clm.values.names import legal_form
from edge_clm.values.value import Money, Text

RULES = 5
"""Counted up whenever the same answer on the same page is grounded otherwise."""

SURE = 0.5
"""Confidence from which a field read by rules decides what may count as evidence for it."""
_PROSE = 16
"""Words from which an answer without a value is prose, of which no single phrase can be looked for."""
_FILLER_WORDS = (
    "a an and are as at be by for from has have in is it its of on that the there this to was were "
    "which with 是 为 的"
)
FILLER = frozenset(_FILLER_WORDS.split())
_BARE = frozenset(("yes", "no", "是", "否"))
"""What is worked out from its evidence."""
_WORD = re.compile(r"\S+")
_COPULA = re.compile(r"^(?:[\w']+ ){1,6}?(?:is|are|was|were)(?: called| named)? ")
"""The beginning of an answer that leads up to the value in other words than the question's."""


def ground(
    question: str,
    answer: str,
    text: PageText,
    extraction: Extraction,
    *,
    asked: str = "",
    side_of: SideOf = untold,
) -> Grounding:
    """Looks for an answer among a page's words by typed equality.

    `asked` names the field that the question asks for, empty where that is not known: a value then
    counts only at the place of that field, so that a subtotal is no evidence for a total. Yes and no
    are worked out again from their operands, and those about a range by `side_of`. An answer in words
    must stand there word for word; of a longer text every value must. Where the question names an
    analyte, only that analyte's cell counts; where it names nothing that is known, and the answer is
    what the rules have read as some field, nobody can say whether that field was asked for.
    """
    page = Occurrences(text, extraction.kind)
    if (said := truth_of(question, answer)) is not None:
        return ground_truth(said, question, page, extraction, asked, side_of)
    core = _core(question, answer)
    if not core:
        return Grounding()
    if cell := cell_named(question, extraction):
        return _at_field(core, page, cell)
    if field := surely_read(asked, extraction):
        return _at_field(core, page, field)
    if _is_another(core, page, question, asked, extraction):
        return Grounding(Grounded.NO if asked else Grounded.UNEXAMINED, page.typed(core))
    return _phrase(core, page) or _by_values(question, core, page)


def surely_read(asked: str, extraction: Extraction) -> Field | None:
    """The field of that name, where the rules have read it and do not doubt what they have read."""
    sure = (one for one in extraction.fields if one.best.confidence >= SURE)
    return next((one for one in sure if one.name == asked), None)


def rests_on(question: str, answer: str, evidence: Iterable[Evidence]) -> bool:
    """Whether every word of an answer is in its evidence, in the question or says nothing by itself.

    Grounding looks for values: what else an answer says is proven by no box.
    """
    known = FILLER | _BARE | set(tokens(question))
    for one in evidence:
        known |= set(tokens(one.text))
    return known >= set(tokens(answer))


def _at_field(core: str, page: Occurrences, field: Field) -> Grounding:
    """Evidence for an answer whose field the rules have read."""
    for reading in (field.best, *(field.alternatives if field.ambiguous else ())):
        if _says(core, page, reading):
            return Grounding(Grounded.YES, reading.value, reading.evidence)
    said = page.values(core)
    return Grounding(Grounded.NO, said[0] if len(said) == 1 else page.typed(core))


def _is_another(
    core: str, page: Occurrences, question: str, asked: str, extraction: Extraction
) -> bool:
    """Whether the answer is what the rules have surely read as a field that was not asked for."""
    fields, words = extraction.fields, set(tokens(question))
    mine = [f for f in fields if f.name == asked or words >= set(f.name.split("_"))]
    if any(_says(core, page, c) for f in mine for c in (f.best, *f.alternatives)):
        return False
    return any(f.best.confidence >= SURE and _says(core, page, f.best) for f in fields)


def _says(core: str, page: Occurrences, reading: Candidate) -> bool:
    """Whether an answer states that reading, and nothing beside it that makes another of it."""
    value, said = reading.value, page.found(core)
    if value is not None and said and all(same(value, one.value) for one in said):
        rest = core
        for one in reversed(said):
            rest = f"{rest[: one.start]} {rest[one.end :]}"
        foreign = isinstance(value, Money) and currency_of(rest) not in {"", value.currency}
        return not foreign and (denies(reading.raw) or not makes_another(rest))
    if value is not None and not isinstance(value, Text):
        return False
    return any(_same_words(reading.raw, phrase) for phrase in (core, _COPULA.sub("", core)))


def _same_words(one: str, other: str) -> bool:
    """Equal as names or identifiers; two companies of different legal forms are two."""
    forms = {legal_form(one), legal_form(other)} - {""}
    return len(forms) < 2 and equal(Text(one), Text(other))


def _phrase(core: str, page: Occurrences) -> Grounding | None:
    """Evidence for an answer that stands on the page word for word, each of its values as a value.

    Every place where it does, and every other writing of its values there, as in `_by_values`.
    """
    if len(tokens(core)) >= _PROSE:
        return None
    for phrase in (core, _COPULA.sub("", core)):
        words = page.phrase(phrase)
        places = [page.value(one, denied=denies(phrase)) for one in page.values(phrase)]
        if words and all(places):
            evidence = tuple(dict.fromkeys(chain(words, *places)))
            return Grounding(Grounded.YES, page.typed(phrase), evidence)
    return None


def _by_values(question: str, core: str, page: Occurrences) -> Grounding:
    """Evidence for an answer by the values in it; those that only repeat the question prove nothing.

    Every place where such a value stands is evidence: nobody can say which of them was meant, and on another
    capture it may be any of them that reads otherwise.
    """
    echoes = page.values(question)
    said = [one for one in page.values(core) if not any(same(one, echo) for echo in echoes)]
    if not said:
        long = len(tokens(core)) >= _PROSE
        return Grounding() if long else Grounding(Grounded.NO, page.typed(core))
    places = [page.value(one, denied=denies(core)) for one in said]
    value = said[0] if len(said) == 1 else Text(core)
    if not all(places):
        return Grounding(Grounded.NO, value)
    return Grounding(Grounded.YES, value, tuple(dict.fromkeys(chain.from_iterable(places))))


def _core(question: str, answer: str) -> str:
    """The answer without the words before it that only lead up to it: "The seller is"."""
    lead = FILLER | set(tokens(question))
    start = 0
    words = list(_WORD.finditer(answer))
    while start < len(words) and _leads(words[start].group(), lead):
        start += 1
    return answer[words[start].start() :].strip() if start < len(words) else ""


def _leads(word: str, lead: frozenset[str]) -> bool:
    forms = tokens(word)
    return not forms or forms[0] in lead
