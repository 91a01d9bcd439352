"""Whether what a report tells the size of is there: denied, gone, of a time before, or a bound only."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum, auto
from functools import cache

from edge_clm.page.fields.wording import fold, is_ideographic, word_list

Place = tuple[int, int]


class Presence(Enum):
    """What the words around a size say about it."""

    THERE = auto()
    DOUBTFUL = auto()
    """It may be denied, or is of a time before: a person should look."""
    ABSENT = auto()
    """It is not there, or no longer."""


def presence(text: str, size: Place, reach: Place, lesions: Sequence[Place]) -> Presence:
    """What a folded text says about a size within its stretch `reach`; `lesions` are all that it names."""
    denied = _denied(text[reach[0] : size[0]])
    if denied is not Presence.THERE:
        return denied
    gone = _gone(text, size[1], reach[1], lesions)
    return gone if gone is not Presence.THERE else _of_before(text, size, reach)


def comparison_before(text: str, size: int) -> tuple[int, str]:
    """Where the bound begins that leads to a size, and its sign: "up to 7 mm"; ("" and `size` for none)."""
    match = _bounds().search(text, max(size - 30, 0), size)
    if match is None or match.lastgroup is None:
        return size, ""
    return match.start(match.lastgroup), _SIGNS[match.lastgroup]


def _denied(before: str) -> Presence:
    """Whether a denial is the last word about what follows."""
    denials = [it for it in _words("denials").finditer(before) if not _of_change(before, it.end())]
    if not denials:
        return Presence.THERE
    between = before[denials[-1].end() :]
    if _words("turns").search(between):
        return Presence.THERE
    apart = "," in between or "，" in between or _words("joints").search(between)
    return Presence.DOUBTFUL if apart else Presence.ABSENT


def _of_change(text: str, at: int) -> bool:
    """Whether a denial is of a change and the like: "no significant change in the 6 mm nodule"."""
    found = _words("changes").search(text, at)
    return found is not None and len(text[at : found.start()].split()) <= 2


def _gone(text: str, end: int, last: int, lesions: Sequence[Place]) -> Presence:
    found = _words("gone").search(text, end, last)
    if found is None or _denies(text, found.start()):
        return Presence.THERE
    # The lesion behind a size is its own; a further one may be what is gone.
    named = sum(end <= start < found.start() for start, _ in lesions)
    return Presence.ABSENT if named <= 1 else Presence.DOUBTFUL


def _denies(text: str, at: int) -> bool:
    """Whether the word before says that something is not so."""
    words = list(_words("not_gone").finditer(text, max(at - 20, 0), at))
    return bool(words) and not text[words[-1].end() : at].strip()


def _of_before(text: str, size: Place, reach: Place) -> Presence:
    """Whether a word before a size, or at once behind it, says that it was so once."""
    before = re.split(r"[,，]", text[reach[0] : size[0]])[-1]
    told = list(_words("past").finditer(before))
    if told and not _words("present").search(before, told[-1].end()):
        still = _words("present").search(text, size[1], reach[1])
        return Presence.THERE if still else Presence.DOUBTFUL
    behind = _words("past").match(text, size[1] + (text[size[1] : size[1] + 1] == " "))
    compared = behind is not None and re.search(r"\d", text[behind.end() : reach[1] + 1])
    return Presence.DOUBTFUL if behind and not compared else Presence.THERE


_SIGNS = {"less": "<", "most": "≤", "more": ">", "least": "≥"}


@cache
def _bounds() -> re.Pattern[str]:
    groups = word_list("radiology_words")["comparisons"]
    either = (f"(?P<{name}>{_either(groups[sign])})" for name, sign in _SIGNS.items())
    # Between two numbers such a word joins them.
    return re.compile(rf"(?<![<>])(?<!\d )(?:{'|'.join(either)})\s?$")


@cache
def _words(name: str) -> re.Pattern[str]:
    return re.compile(_either(word_list("radiology_words")["presence"][name]))


def _either(phrases: Sequence[str]) -> str:
    """A pattern for any of the phrases, the longest first: whole words, or Chinese anywhere."""
    longest = sorted({fold(phrase) for phrase in phrases}, key=lambda it: (-len(it), it))
    return "(?:" + "|".join(map(_phrase, longest)) + ")"


def _phrase(phrase: str) -> str:
    pattern = re.escape(phrase).replace(r"\ ", r"[\s'-]")
    if is_ideographic(phrase) or not phrase[0].isalpha():
        return pattern
    return rf"(?<![^\W_]){pattern}(?![^\W_])"
