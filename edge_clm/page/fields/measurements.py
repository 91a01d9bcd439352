"""Sizes in the text of a radiology report: how large, what, and where."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from functools import cache
from typing import NamedTuple

from edge_clm.page.fields.presence import Presence, comparison_before, presence
from edge_clm.page.fields.wording import fold, is_ideographic, word_list
from edge_clm.values.value import Quantity

_UNIT = r"(?:mm|cm|毫米|厘米|公分)(?![^\W\d_])"
_NUMERAL = r"\d{1,3}(?:[.,]\d{1,2})?"
_TIMES = r"\s?(?:[x×*✕]|by)\s?"
_SIZE = re.compile(
    rf"(?<![\d.,/])(?:{_NUMERAL}\s?(?:{_UNIT})?{_TIMES}){{1,2}}{_NUMERAL}\s?-?{_UNIT}"
    rf"|(?<![\d.,/])(?:{_NUMERAL}\s?(?:-|to)\s?)?{_NUMERAL}\s?-?{_UNIT}",
    re.IGNORECASE,
)
_ONE = re.compile(rf"(?P<number>{_NUMERAL})\s?-?(?P<unit>{_UNIT})?", re.IGNORECASE)
# A sentence ends at a full stop that is not a decimal point or a list's number.
_END = re.compile(r"(?<!\d)[.;。；](?=\s|$|[^\W\d_])|(?<=\d)\.(?=\s+[A-ZÀ-Ý]|$)|。|；")
# Thicknesses of slices and the like belong to the machine.
_MACHINE = re.compile(
    r"\b(?:slices?|sections?|collimation|thick(?:ness)? (?:axial|slices?|sections?)|increments?|intervals|(?<=[mc]m )interval|interval(?=:? (?:of )?\d)|reconstructions?)\b"
)
_FAR = 90
_ORGAN_SAID = re.compile(
    r"\b(?:measur\w*|spans?|mide|misura|mesure|misst|approximately|is|length|diameter|caliber|calibre)\b|大小|长"
)


Place = tuple[int, int]
"""Where something is told: indices into the text."""


class Measurement(NamedTuple):
    """One size; each part as indices into the text, `what` and `where` None where not told."""

    size: Place
    dimensions: tuple[Quantity, ...]
    what: Place | None
    where: Place | None
    doubtful: bool = False
    """It may be denied, or is of a time before."""


def measurements_in(text: str) -> Iterator[Measurement]:
    """Every size in a text, in mm or cm as printed, with what was measured and where it lies.

    Left out are sizes of what is not there: "no 5 mm nodule", "the 8 mm nodule has resolved".
    """
    plain = fold(text)
    lesions, sites = (
        [found.span() for found in pattern.finditer(plain)] for pattern in (_lesion(), _site())
    )
    for start, end in _sentences(text):
        sizes = list(_SIZE.finditer(plain, start, end))
        for at, match in enumerate(sizes):
            if _MACHINE.search(plain, max(start, match.start() - 25), min(end, match.end() + 25)):
                continue
            low = sizes[at - 1].end() if at else start
            high = sizes[at + 1].start() if at + 1 < len(sizes) else end
            reach = (low, high), (start, end)
            what = _first_near(lesions, match, reach)
            where = _first_near(sites, match, (_same_side(what, match, (low, high)), *reach))
            organ = what is None and where is not None and _is_measured(plain, where, match)
            if organ:
                what, where = where, None
            first, sign = comparison_before(plain, match.start())
            there = presence(plain, (first, match.end()), (low, high), lesions)
            if organ or there is not Presence.ABSENT:
                size, doubtful = (first, match.end()), there is not Presence.THERE
                yield Measurement(size, _dimensions(plain, match, sign), what, where, doubtful)


def _dimensions(text: str, size: re.Match[str], sign: str) -> tuple[Quantity, ...]:
    parts = list(_ONE.finditer(text, *size.span()))
    unit = next(part["unit"] for part in reversed(parts) if part["unit"])
    return tuple(
        Quantity(Decimal(part["number"].replace(",", ".")), part["unit"] or unit, sign)
        for part in parts
    )


def _is_measured(text: str, site: Place, size: re.Match[str]) -> bool:
    """Whether a size is of a place itself: "the liver measures 15 cm"."""
    if site[1] > size.start():
        return False
    between = text[site[1] : size.start()]
    said = _ORGAN_SAID.search(between) is not None
    return said or is_ideographic(between) or not between.strip(" :,")


def _same_side(what: Place | None, size: re.Match[str], own: Place) -> Place:
    """The side of the size on which the thing stands: its place is told there as well."""
    if what is None:
        return own
    return (size.end(), own[1]) if what[0] >= size.end() else (own[0], size.start())


def _first_near(
    places: Sequence[Place], size: re.Match[str], reach: Iterable[Place]
) -> Place | None:
    """The place nearest to a size within the first stretch of text that has one."""
    first = bisect_left(places, (size.start() - 2 * _FAR, 0))
    last = bisect_left(places, (size.end() + _FAR, 0))
    near = places[first:last]
    return next(filter(None, (_nearest(near, size, within) for within in reach)), None)


def _nearest(places: Sequence[Place], size: re.Match[str], within: Place) -> Place | None:
    """The place nearest to a size; of two as near the one behind it."""
    best, least = None, float(_FAR)
    for start, end in places:
        behind = start >= size.end()
        gap = start - size.end() if behind else size.start() - end + 1
        if within[0] <= start and end <= within[1] and 0 <= gap < least:
            best, least = (start, end), gap
    return best


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for match in _END.finditer(text):
        yield start, match.start()
        start = match.end()
    yield start, len(text)


@cache
def _lesion() -> re.Pattern[str]:
    words = word_list("radiology_words")
    return _phrase(words["qualities"], words["lesions"], r"[\s,-]+")


@cache
def _site() -> re.Pattern[str]:
    words = word_list("radiology_words")
    site = _phrase(words["sides"], words["sites"], r"[\s-]+(?:and[\s-]+)?").pattern
    return re.compile(rf"(?:{site})(?:\s(?:of|de|du|des|della|del)\s(?:the\s|la\s)?(?:{site}))*")


def _phrase(before: Sequence[str], core: Sequence[str], between: str) -> re.Pattern[str]:
    """Any of the core phrases, with what may stand before it; whole words, or Chinese anywhere."""
    plain = [word for word in core if not is_ideographic(word)]
    chinese = [word for word in core if is_ideographic(word)]
    latin = (
        rf"(?<![^\W\d_])(?:(?:{_either(before)}){between})*(?:{_either(plain)})(?:e?s)?(?![^\W\d_])"
    )
    return re.compile(rf"{latin}|{_either(chinese)}")


def _either(phrases: Sequence[str]) -> str:
    longest = sorted({fold(phrase) for phrase in phrases}, key=lambda it: (-len(it), it))
    return "|".join(re.escape(phrase).replace(r"\ ", r"\s") for phrase in longest)
