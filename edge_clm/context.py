"""What an answer rests on besides its evidence: what has to read the same on another capture of the page."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

from edge_clm.ground import FILLER, surely_read
from edge_clm.occurrences import Occurrences, tokens
from edge_clm.paper import Evidence, Extraction, Grounding, PageKind, PageText
from edge_clm.truth import row_named, without
from edge_clm.values.value import Truth

_MOST = 8
"""Places of an answer from which on it may rest on anything."""
_FORM = 4
"""Places on a page from which on a word belongs to its form and names nothing."""
_WORD = re.compile(r"\S+")
_ASKING_WORDS = (
    "what what's whats how much long large big when where why does did do please tell me give show read find "
    "page document invoice receipt bill report"
)
_ASKING = frozenset(_ASKING_WORDS.split())
"""Words of a question that name nothing on a page."""
_COLUMN_WORDS = (
    "price prices cost costs amount quantity qty value values result results level unit units range reference test "
    "item number no name code description rate tax discount date sum flag bought sold ordered"
)
_COLUMNS = frozenset(_COLUMN_WORDS.split())
"""Words for what is asked of a thing, which tell no thing from another."""
_CHOOSING_WORDS = (
    "which who whom whose first second third fourth fifth sixth seventh eighth ninth tenth one two three four five "
    "last final next previous following other another before after above below between beside top bottom "
    "most least more less fewer many all each every both any only else higher lower larger smaller greater longer "
    "shorter cheaper dearer highest lowest largest smallest biggest greatest longest shortest cheapest dearest "
    "expensive cheap newest oldest latest earliest newer older later earlier maximum minimum max min average mean "
    "altogether combined count list items row rows line lines entry entries position column abnormal normal"
)
_CHOOSING = re.compile(rf"(?:{'|'.join(_CHOOSING_WORDS.split())}|\d+(?:st|nd|rd|th))")
"""Where a question has such a word, the order of things, their number or a condition decides the answer."""
_OTHER_SCRIPTS = re.compile(r"[^\W\d_a-zA-Z\u00c0-\u024f\u00b5\u03bc]")


def in_context(
    grounding: Grounding, question: str, text: PageText, extraction: Extraction, asked: str
) -> Grounding:
    """A grounding with what else the answer rests on.

    `asked` names the field that the question asks for. One that the rules have read is named by its form, and an
    analyte's cell by the analyte. Any other question must name things that stand on the page, each in few places,
    and leave nothing to the order or the number of things or to a condition: else nobody can say which places would
    have to read the same on another capture, and the answer rests on the whole page.
    """
    if surely_read(asked, extraction):
        return _with(grounding, (), whole=False)
    page = Occurrences(text, PageKind.OTHER)
    if asked:
        words = [_few(page, word) for word in _naming(question)]
        return _with(grounding, tuple(chain.from_iterable(words)), whole=False)
    analyte: tuple[Evidence, ...] = ()
    if row := row_named(question, extraction):
        analyte = row["analyte"].best.evidence
        question = without(question, re.escape(row["analyte"].best.raw))
    naming = list(_naming(question))
    things = [_few(page, word) for word in naming if word not in _COLUMNS]
    columns = [_few(page, word) for word in naming if word in _COLUMNS]
    settled = bool(row) and isinstance(grounding.value, Truth)
    unsure = not all(things) or not (things or analyte) or _chooses(question)
    named = dict.fromkeys(chain(analyte, *things, *columns))
    return _with(grounding, tuple(named), whole=unsure and not settled)


def _with(grounding: Grounding, named: tuple[Evidence, ...], *, whole: bool) -> Grounding:
    return replace(grounding, named=named, whole=whole or len(grounding.evidence) > _MOST)


def _chooses(question: str) -> bool:
    """Whether more decides the answer than what the question names; of another script nobody can say."""
    chosen = any(_CHOOSING.fullmatch(word) for word in tokens(question))
    return chosen or _OTHER_SCRIPTS.search(question) is not None


def _naming(question: str) -> Iterator[str]:
    """Words of a question that may name something; a single capital is a name: influenza A."""
    for at, match in enumerate(_WORD.finditer(question)):
        for form in tokens(match.group()):
            letter = match.group().strip(".,?!\"'()")
            if form not in FILLER | _ASKING or (at and len(letter) == 1 and letter.isupper()):
                yield form


def _few(page: Occurrences, word: str) -> tuple[Evidence, ...]:
    """Every place of a word, or of a number however it is written; none where it stands all over the page."""
    numbers = (page.value(one, denied=True) for one in page.values(word))
    places = tuple(dict.fromkeys(chain(page.phrase(word), *numbers)))
    return places if len(places) < _FORM else ()
