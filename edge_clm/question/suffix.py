"""The suffix: a question reduced to what it means."""

from __future__ import annotations

import unicodedata

from edge_clm.types import Suffix

_ENDS = "?？.。!！"
_SHORT = 3
"""Letters of a word that may be a unit, a symbol or a name, whose case can be its meaning: Mg, mg."""
_FUNCTION_WORDS = frozenset(
    {"are", "can", "did", "do", "has", "how", "is", "the", "was", "who", "why"}
)


def suffix_of(question: str) -> Suffix:
    """Makes the suffix of a question; both storing and looking up call this and nothing else.

    Two questions are one when they differ only in white space, in the letter case of words whose
    case means nothing, in full-width forms and in the marks that end them. The order and every
    other character count: 10³ is not 103. A description, whose question is empty, has the empty suffix.
    """
    text = "".join(map(_narrow, unicodedata.normalize("NFC", question)))
    return Suffix(" ".join(map(_folded, text.split())).rstrip(_ENDS + " "))


def _narrow(character: str) -> str:
    """A full-width or half-width form in its usual width; anything else as it is."""
    if unicodedata.decomposition(character).startswith(("<wide>", "<narrow>")):
        return unicodedata.normalize("NFKC", character)
    return character


def _folded(word: str) -> str:
    letters = "".join(filter(str.isalpha, word)).casefold()
    if len(letters) > _SHORT or letters in _FUNCTION_WORDS:
        return word.casefold()
    return word
