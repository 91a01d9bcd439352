"""The suffix: a question reduced to what it means."""

from __future__ import annotations

import unicodedata

from edge_clm.types import Suffix

_ENDS = "?？.。!！ \t\n"


def suffix_of(question: str) -> Suffix:
    """Makes the suffix of a question; both storing and looking up call this and nothing else.

    Two questions are one when they differ only in letter case, white space, Unicode form and the
    marks that end them; the order and every other character count. An empty question (a
    description) has the empty suffix.
    """
    text = unicodedata.normalize("NFKC", question).casefold()
    return Suffix(" ".join(text.split()).rstrip(_ENDS))
