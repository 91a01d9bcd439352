"""Calendar dates as they are printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from typing import Literal

from edge_clm.values.level import level
from edge_clm.values.months import is_common_word, month_pattern, months, weekdays
from edge_clm.values.value import Day, Found

Order = Literal["dmy", "mdy", "ymd"]
"""In which order day, month and year stand where all three are numbers."""
_ORDERS: tuple[Order, ...] = ("dmy", "mdy")
_KINDS = (("cy", "cm", "cd"), ("ny", "nm", "nd"), ("my", "mm", "md"), ("yy", "ym", "yd"))
"""Names of the groups for year, month and day, by the way of writing."""
_DIGIT = re.compile(r"[0-9]")
_YEARS = range(1900, 2100)
"""Outside of these, four digits in a longer text are hardly a year."""
_NUMERIC = (
    r"(?P<a>[0-9]{4}|[0-9]{1,2})(?: ?(?P<sep>[/.-]) ?)(?P<b>[0-9]{1,2})(?: ?(?P=sep) ?)"
    r"(?P<c>[0-9]{4}(?!:?[0-9])|[0-9]{4}(?=[0-9]{1,2}:[0-9]{2})"
    r"|[0-9]{1,2}(?![0-9])|[0-9]{2}(?=[0-9]:[0-9]{2}|[0-9]{2}:[0-9]{2}(?!:?[0-9])))"
)
"""OCR loses the space before a time: 201820:49 is 2018 and 20:49, and 2012:14 is 20 and 12:14."""
_CHINESE = r"(?P<cy>[0-9]{4}|[0-9]{2}) ?[年년] ?(?P<cm>[0-9]{1,2}) ?[月월] ?(?P<cd>[0-9]{1,2})(?: ?[日号號일])?"
_FULL_YEAR = r"[0-9]{4}(?![0-9])"
_SHORT_YEAR = r"'?[0-9]{2}(?![0-9]|[:.,][0-9])"
_NAMED = (
    r"(?P<nd>[0-9]{1,2})(?:st|nd|rd|th|er|[ºª°.])? ?(?:(?:of|de|di) )?[-/., ]? ?(?P<nm>MONTH)"
    r"(?:\.|(?![^\W\d_]))(?: ?(?:of|de|del) )?[-/., ]{0,2}(?P<ny>FULL|SHORT)|"
    r"(?P<mm>MONTH)(?:\.|(?![^\W\d_]))[-/ ]{0,2}(?P<md>[0-9]{1,2})(?:st|nd|rd|th)?"
    r"(?:(?:[-/., ]{1,2}|(?<=[0-9]{2}))(?P<my>FULL)|[-/., ] ?(?P<ms>SHORT))|"
    r"(?P<yy>[0-9]{4})[-/. ]{1,2}(?P<ym>MONTH)(?:\.|(?![^\W\d_]))[-/. ]{0,2}(?P<yd>[0-9]{1,2})(?![0-9])"
).replace("FULL", _FULL_YEAR)
_NAMED = _NAMED.replace("SHORT", _SHORT_YEAR)
_SPACED = re.compile(r"(?P<a>[0-9]{1,2}) (?P<sep>)(?P<b>[0-9]{1,2}) (?P<c>[0-9]{4})")
_COMPACT = re.compile(r"(?P<a>(?:19|20)[0-9]{2})(?P<sep>)(?P<b>[0-9]{2})(?P<c>[0-9]{2})")
_TIME = re.compile(
    r"[ ,]*(?:(?<=[0-9])t|t(?=[0-9])|(?:at|um|à|a las|alle|om|às|pukul) )? ?[0-9]{1,2}(?:[:.h][0-9]{2}){1,2}(?:[.,][0-9]+)?"
    r" ?(?:[ap]\.?m\.?|uhr|h|hrs?|z|utc|gmt)?(?: ?[+-][0-9]{2}:?[0-9]{2})?",
)
_WORD = re.compile(r"[^\W\d_]+")
_CHINESE_WEEKDAY = re.compile(r"(?:星期|周|週|礼拜)[一二三四五六日天]|[月火水木金土日]曜日?")
_APART = re.compile(r"[^0-9] ?[0-9]{1,2} [0-9]{2}$")
"""Two numbers behind a month that only a space sets apart."""
_BESIDE = re.compile(r"[ ,.()\[\]]*")
_CLEAR = re.compile(r"(?:(?<![0-9a-z_])|(?<=[a-z]{4}))(?<![0-9][.:])(?<![0-9a-z][/-])")
_RUNS_ON = re.compile(r"[0-9](?![0-9]?:)|[/.-][0-9]|(?!t[0-9])[a-z]{1,2}(?![a-z])")


def read_day(text: str, order: Order | None = None) -> Day | None:
    """The one date that the whole text is, perhaps with a weekday or a time beside it.

    Day and month that cannot be told apart give two readings, day first, unless `order` settles them;
    so do three short numbers with dashes, which may begin with the year: 24-03-04. Years of two digits
    lie in 1970…2069.
    """
    plain = _lower(text).strip(" .,;:/-")
    for match in (_SPACED.fullmatch(plain), _COMPACT.fullmatch(plain)):
        if match:
            return _day(match, order)
    for match in _matches(plain):
        if _only_weekday_or_time(plain[: match.start()], plain[match.end() :]):
            return _day(match, order)
    return None


def find_days(text: str, order: Order | None = None) -> list[Found[Day]]:
    """The dates inside a text, without weekday and time; never parts of identifiers or numbers."""
    plain, found = _lower(text), list[Found[Day]]()
    for match in _matches(plain):
        day = _day(match, order)
        if day and _stands_free(plain, match, found) and _likely(match, day):
            found.append(Found(day, match.start(), match.end()))
    return found


def order_of(texts: Iterable[str]) -> Order | None:
    """The order that a page's unambiguous numeric dates show; None where they disagree or are none.

    A year of four digits in front shows nothing about the others: many papers print a time stamp
    in that form beside dates in their country's own.
    """
    plains = [_lower(text) for text in texts]
    votes = {vote for plain in plains for match in _matches(plain) if (vote := _vote(plain, match))}
    return votes.pop() if len(votes) == 1 else None


def _vote(plain: str, match: re.Match[str]) -> Order | None:
    parts = match.groupdict()
    if not parts["sep"] or not _stands_free(plain, match, []):
        return None
    valid = [order for order in _orders(parts) if _numeric(parts, order)]
    return valid[0] if len(valid) == 1 and parts["a"] != parts["b"] else None


def _lower(text: str) -> str:
    """Levelled, in small letters, and as long as before."""
    plain = level(text)
    lower = plain.lower()
    return lower if len(lower) == len(plain) else plain


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(f"{_CHINESE}|{_NUMERIC}|{_NAMED.replace('MONTH', month_pattern())}")


def _matches(plain: str) -> Iterator[re.Match[str]]:
    return _pattern().finditer(plain) if _DIGIT.search(plain) else iter(())


def _day(match: re.Match[str], order: Order | None) -> Day | None:
    parts = match.groupdict()
    if parts["a"]:
        return _numeric_day(parts, order)
    for kind in _KINDS:
        if parts[kind[1]]:
            year, month, day = (parts[name] for name in kind)
            one = _date(year or parts["ms"], months().get(month) or month, day)
            return Day((one,)) if one else None
    return None


def _numeric_day(parts: dict[str, str | None], order: Order | None) -> Day | None:
    if order and (one := _numeric(parts, order)):
        return Day((one,))
    found = [one for each in _orders(parts) if (one := _numeric(parts, each))]
    if not found and (one := _numeric(parts, "ymd")):
        found = [one]
    return Day(tuple(dict.fromkeys(found))) if found else None


def _orders(parts: dict[str, str | None]) -> tuple[Order, ...]:
    """The orders that are usual for a date, likelier first: with dashes a short year may lead."""
    short = all(len(parts[name] or "") == 2 for name in "abc")
    return (*_ORDERS, "ymd") if short and parts["sep"] == "-" else _ORDERS


def _numeric(parts: dict[str, str | None], order: Order) -> date | None:
    """The date in one order; None where the calendar or the length of the year forbids it."""
    named = dict(zip(order, (parts["a"], parts["b"], parts["c"]), strict=True))
    year, month, day = named["y"], named["m"], named["d"]
    if not (year and month and day) or len(year) not in (2, 4) or max(len(month), len(day)) > 2:
        return None
    return _date(year, month, day)


def _date(year: str | None, month: str | int, day: str | None) -> date | None:
    if year is None or day is None:
        return None
    number = int(year.strip("'"))
    if len(year.strip("'")) == 2:
        number += 2000 if number < 70 else 1900
    try:
        return date(number, int(month), int(day))
    except ValueError:
        return None


def _only_weekday_or_time(before: str, after: str) -> bool:
    for text in (before, after):
        rest = _CHINESE_WEEKDAY.sub("", _TIME.sub("", text, count=1), count=1)
        if not _BESIDE.fullmatch(_WORD.sub("", rest)):
            return False
        if not all(word in weekdays() for word in _WORD.findall(rest)):
            return False
    return True


def _stands_free(plain: str, match: re.Match[str], found: list[Found[Day]]) -> bool:
    """Whether it is no part of something longer; two dates may be joined by a dash."""
    start, end = match.span()
    joined = bool(found) and found[-1].end == start - 1 and plain[start - 1] == "-"
    if not joined and not _CLEAR.match(plain, start):
        return False
    if match["sep"] != "-" and plain[end : end + 1] == "-" and _pattern().match(plain, end + 1):
        return True
    return not _RUNS_ON.match(plain, end)


def _likely(match: re.Match[str], day: Day) -> bool:
    """Whether digits in a longer text are a date rather than a version, a fraction or a number."""
    parts = match.groupdict()
    if any(one.year not in _YEARS for one in day.readings):
        return False
    month = parts["nm"] or parts["mm"]
    if month and (is_common_word(month) or _APART.search(match[0])):
        return len(parts["ny"] or parts["my"] or "") == 4
    if not parts["a"] or 4 in (len(parts["a"]), len(parts["c"])):
        return True
    tight = " " not in match[0]
    return tight and (parts["sep"] == "/" or len(match[0]) == len("06-09-99"))
