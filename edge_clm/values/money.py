"""Amounts of money, alone and inside longer texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from edge_clm.values.amounts import money_readings, read_money
from edge_clm.values.currencies import currency_of, mark_after, mark_before
from edge_clm.values.dates import find_days
from edge_clm.values.level import level
from edge_clm.values.numerals import SPACED, TIGHT, is_grouped
from edge_clm.values.units import UNIT
from edge_clm.values.value import Found, Money

__all__ = ["currency_of", "decimal_mark_of", "find_money", "money_readings", "read_money"]

_NUMBER = re.compile(TIGHT)
_BROKEN = re.compile(rf"(?:{SPACED}|[0-9]{{1,6}} [.,][0-9]{{2}})(?![0-9])")
_CENTS = re.compile(r"(?!0[0-9]).*[.,][0-9]{2}")
_BOUND = re.compile(
    r"(?:(?<![0-9A-Za-z_#\u00c0-\u024f])|(?<=[A-Za-z]{4})|(?<=[0-9][xX]))"
    r"(?<![0-9][.,:'])(?<![0-9A-Za-z][/-])(?<![.,]-)(?<![0-9] - )"
)
_RUNS_ON = re.compile(r"[0-9]|[.,:/'][0-9]")
_NO_AMOUNT = re.compile(
    rf" ?(?![A-Z](?![A-Za-z0-9/]))(?:{UNIT}|[%‰])| ?(?:[aApP]\.?[mM]\b|Uhr\b|hrs?\b)"
    r"| ?[xX×*] ?[0-9]+[.,][0-9]{2}| ?@ ?[0-9]|-[0-9]| - [0-9]"
    r"|(?![A-Z]{1,2}(?![A-Za-z0-9]))[A-Za-z_]"
)
_SCALED = re.compile(
    r"(?:[KMB]| ?(?:[kmb]|[mb]n|mio|[mb]illions?|thousand|lakhs?|crores?))(?![A-Za-z])"
)
_NEXT = re.compile(rf" ?[-+]?{TIGHT} ?")
_STOP = re.compile(r"[.,]-{1,2}(?![-0-9])")
_MINUS_BEHIND = re.compile(r"-(?=$|[ ),;*])(?! ?[^ 0-9]{0,3}[0-9])")


def find_money(text: str, currency: str = "", decimal: str = "") -> list[Found[Money]]:
    """The amounts inside a text: with a currency's mark, with two decimals, or with thousands apart.

    Never parts of dates, times, telephone numbers, identifiers, percentages, ranges and measurements.
    Thousands apart by spaces count only beside a currency's mark or with a decimal comma: "2 150.00"
    is rather 2 and 150.00. `currency` and `decimal` as for `read_money`.
    """
    plain, found, at = level(text), list[Found[Money]](), 0
    while match := _NUMBER.search(plain, at):
        one = _found(plain, match, at, currency, decimal)
        at = one.end if one else match.end()
        found += [one] if one else []
    days = find_days(plain) if found else []
    return [one for one in found if not any(d.start < one.end and one.start < d.end for d in days)]


def _found(
    plain: str, match: re.Match[str], floor: int, currency: str, decimal: str
) -> Found[Money] | None:
    """The amount around a number, beginning at `floor` or behind it."""
    first, last = match.span()
    start, before = _start(plain, first, floor)
    if before and (broken := _BROKEN.match(plain, first)):
        last = max(last, broken.end())
    if _RUNS_ON.match(plain, last) or not (before or _BOUND.match(plain, first)):
        return None
    for end, after in _ends(plain, last):
        if not (
            _marked_fits(plain, last) if before or after else _bare_fits(plain, match, decimal)
        ):
            continue
        span = _with_signs_behind(plain, start, end, before or after)
        if money := read_money(plain[slice(*span)], currency, decimal):
            return Found(money, *span)
    return None


def _start(plain: str, first: int, floor: int) -> tuple[int, bool]:
    """Where the amount begins, with mark and sign, and whether there is a mark."""
    at = first - (plain[max(floor, first - 1) : first] == " ")
    at -= plain[max(floor, at - 1) : at] in {"-", "+"}
    at -= plain[max(floor, at - 1) : at] == " "
    mark = mark_before(plain, at)
    if floor <= mark < at:
        return _sign(plain, mark, floor), True
    return _sign(plain, first, floor), False


def _sign(plain: str, at: int, floor: int) -> int:
    """One to the left where a sign stands that is not the hyphen of a word or number."""
    signed = at - 1
    if signed < floor or plain[signed] not in "-+":
        return at
    return (
        at if signed and (plain[signed - 1].isalnum() or plain[signed - 1] in "-+.,)") else signed
    )


def _ends(plain: str, last: int) -> list[tuple[int, bool]]:
    """Where the amount may end: behind the mark that follows it, or without one."""
    stopped = stop.end() if (stop := _STOP.match(plain, last)) else last
    at = stopped + (plain[stopped : stopped + 1] == " ")
    end = mark_after(plain, at)
    ends = [(stopped, False)]
    if end > at and not (at > stopped and _leads_next(plain, end)):
        ends.insert(0, (end, True))
    return ends


def _leads_next(plain: str, at: int) -> bool:
    """Whether a mark that stands between two numbers belongs to the second, which has no mark behind."""
    following = _NEXT.match(plain, at)
    return following is not None and mark_after(plain, following.end()) == following.end()


def _marked_fits(plain: str, last: int) -> bool:
    return not _SCALED.match(plain, last)


def _bare_fits(plain: str, match: re.Match[str], decimal: str) -> bool:
    """Whether a number without any mark is an amount by its form and by what follows."""
    if _NO_AMOUNT.match(plain, match.end()):
        return False
    number = match[0]
    if _CENTS.fullmatch(number):
        return not decimal or number[-3] == decimal
    marks = "".join(char for char in number if not char.isdigit())
    thousands = {",", "'"} if decimal != "," else {".", "'"}
    return is_grouped(number) and number[0] != "0" and (len(marks) > 1 or marks in thousands)


def _with_signs_behind(plain: str, start: int, end: int, marked: bool) -> tuple[int, int]:
    """The span with a minus behind, or with the brackets that mean a minus."""
    if plain[start - 1 : start] == "(" and plain[end : end + 1] == ")":
        return start - 1, end + 1
    if plain[start] not in "-+" and _MINUS_BEHIND.match(plain, end):
        return start, end + 1
    return start, end


def decimal_mark_of(texts: Iterable[str]) -> str:
    """The decimal mark, "." or ",", that most of the unambiguous amounts on a page use; "" for none."""
    votes = Counter(mark for text in texts for mark in _marks(level(text)))
    ranked = votes.most_common(2)
    if not ranked or (len(ranked) == 2 and ranked[0][1] == ranked[1][1]):
        return ""
    return ranked[0][0]


def _marks(plain: str) -> Iterable[str]:
    for one in find_money(plain):
        marks = [char for char in plain[one.start : one.end] if char in ".,"]
        if one.value.amount.as_tuple().exponent:
            yield marks[-1]
        elif len(marks) > 1:
            yield "," if marks[0] == "." else "."
