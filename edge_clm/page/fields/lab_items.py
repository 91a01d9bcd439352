"""What a row of laboratory results is made of: numbers, words, units, ranges, flags."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache

from edge_clm.page.fields.wording import fold, is_ideographic, word_list
from edge_clm.values.level import level
from edge_clm.values.units import UNIT


class Sort(Enum):
    """What an item is."""

    NUMBER = auto()
    BOUND = auto()
    """A number with '<' or the like: a value below what can be measured, or a range open at one end."""
    WORD = auto()
    """A result told in words: "Negative", "1+", "1:80"."""
    UNIT = auto()
    RANGE = auto()
    FLAG = auto()


@dataclass(frozen=True, slots=True)
class Item:
    """One thing in a row's text."""

    sort: Sort
    start: int
    """Index of its first character."""
    end: int
    """Index behind its last one."""


VALUES = (Sort.NUMBER, Sort.BOUND, Sort.WORD)
"""What may stand for a result."""

_TITRE = r"1\s?:\s?\d{1,6}(?![\d.])"
_SPACED = r"\d{1,3}(?: \d{3})+(?![\d.,])"
_CLOSED = r"(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+(?:[.,]\d+)?)(?!\d)"
_SIGN = r"(?:[<>≤≥]\s?=?|=\s?[<>])"
_DASH = r"\s?(?:--?|~|\bto\b|\bbis\b|\bà\b|\ba\b)\s?"
_BETWEEN = (
    rf"(?:{_SPACED}{_DASH}{_SPACED}|[+-]?{_CLOSED}{_DASH}[+-]?{_CLOSED}"
    # With a unit behind the first number a dash alone may be the sign of the next one.
    rf"|{_CLOSED}\s?(?:%|[^\W\d]\S{{0,11}})\s?(?:-\s|\bto\b|\bbis\b)\s?{_CLOSED})"
)
_LESS = (
    "up to|less than|greater than|more than|below|above|under|over|bis|unter|über|jusqu'à|hasta|tot"
)
_BELOW = rf"(?:{_SIGN}|\b(?:{_LESS})\b)\s?(?:{_TITRE}|{_SPACED}|{_CLOSED})"
# Powers of ten lose their raised digits to OCR: 10^9/L comes out as 109/L, 10°/L, 10'9/L.
_COUNT = r"[x×*]?\s?10\s?[\^*~°'\"]{0,2}\s?(?:12|[369])?\s?/\s?[uµμ]?[lL](?![A-Za-z])"
_GAP = re.compile(r"[\s.…_:;,|]*")


@cache
def _patterns() -> tuple[tuple[Sort, re.Pattern[str]], ...]:
    words = word_list("lab_words")
    sexes = _either([sex for group in words["sexes"].values() for sex in group])
    told = [word for group in words["words"].values() for word in group]
    flags = [flag for group in words["flags"].values() for flag in group]
    sexed = rf"[(\[]?{sexes}\s?[:=]?\s?(?:{_BETWEEN}|{_BELOW})(?:\s?[^\W\d]*[/%]\S*)?[)\]]?"
    ordered = (
        (Sort.RANGE, rf"{sexed}(?:[\s;,/|]*{sexed})*"),
        (Sort.UNIT, _COUNT),
        (Sort.RANGE, rf"[(\[]\s?(?:{_BETWEEN}|{_BELOW})\s?[)\]]|{_BETWEEN}"),
        (Sort.WORD, rf"{_TITRE}|{_either(told)}(?![\w.])"),
        (Sort.BOUND, _BELOW),
        (Sort.UNIT, rf"(?=\S*[/^])(?-i:{UNIT})"),
        (Sort.NUMBER, rf"[+-]?(?:{_SPACED}(?!\s?-)|{_CLOSED})"),
        (Sort.FLAG, rf"[(\[]?{_either(flags)}[)\]]?"),
        (Sort.UNIT, rf"[(\[]?(?:(?-i:{UNIT})|{_either(words['units']['bare'])})[)\]]?"),
    )
    return tuple((sort, re.compile(pattern, re.IGNORECASE)) for sort, pattern in ordered)


def items_in(text: str, start: int = 0) -> tuple[list[Item], bool]:
    """The items that a text is made of from an index on, and whether they are all of it."""
    plain = level(text)
    items: list[Item] = []
    while start < len(plain):
        gap = _GAP.match(plain, start)
        start = gap.end() if gap else start
        item = _item_at(plain, start)
        if item is None:
            return items, start == len(plain)
        items.append(_as_flag(item, plain) if items else item)
        start = item.end
    return items, True


def _as_flag(item: Item, text: str) -> Item:
    """A plus or minus behind something else is no result of its own but says "high" or "low"."""
    signs = item.sort is Sort.WORD and not text[item.start : item.end].strip("+-")
    return Item(Sort.FLAG, item.start, item.end) if signs else item


def _item_at(text: str, start: int) -> Item | None:
    for sort, pattern in _patterns():
        found = pattern.match(text, start)
        if found and found.end() > start and not _cuts_a_word(text, found.end()):
            return Item(sort, start, found.end())
    return None


def _cuts_a_word(text: str, end: int) -> bool:
    """Whether a word goes on where an item would end; a unit or a flag may follow a number at once."""
    return (
        end < len(text)
        and text[end - 1].isalpha()
        and text[end].isalpha()
        and not (is_ideographic(text[end - 1]))
    )


def _either(phrases: list[str]) -> str:
    """A pattern that finds any of the phrases, the longest first; accents do not count in the text."""
    both = {phrase for each in phrases for phrase in (each, fold(each))}
    longest = sorted(both, key=lambda it: (-len(it), it))
    return f"(?:{'|'.join(re.escape(phrase) for phrase in longest)})"
