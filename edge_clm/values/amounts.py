"""A whole text read as one amount of money."""

from __future__ import annotations

import re

from edge_clm.values.currencies import mark_currency
from edge_clm.values.level import level
from edge_clm.values.numerals import NUMERAL, numeral_readings
from edge_clm.values.value import Money

_WHOLE = re.compile(
    rf"(?P<head>[^0-9]{{0,24}}?)(?P<number>{NUMERAL}|(?<![^\W\d_])[.,][0-9]{{2}})"
    r"(?P<stop>[.,]-{1,2}|[.,](?= ?[^0-9 ]|$))?(?P<rest>[^0-9]{0,24})"
)
_HEAD = re.compile(r"\*?(?P<open>\()? ?(?P<sign>[-+])? ?(?P<mark>.*?) ?(?P<inner>[-+])? ?")
_REST = re.compile(r" ?(?P<mark>.*?) ?(?P<tail>-)? ?(?P<close>\))? ?\*?")
_SPACE_AT_MARK = re.compile(r"(?<=[0-9]) (?=[.,][0-9]{2}(?![0-9]))|(?<=[0-9][.,]) (?=[0-9]{2}$)")
_SPACE_IN_GROUPS = re.compile(r"(?<=[0-9]),(?: (?=[0-9]{3}[.,])|(?<= ,)(?=[0-9]{3}[.,]))")
_CENTS = re.compile(r".*[.,][0-9]{2}")


def read_money(text: str, currency: str = "", decimal: str = "") -> Money | None:
    """The amount that the whole text is; the likelier one where it can be read two ways.

    `currency` (ISO 4217) and `decimal` ("," or ".") are the page's, used where the text tells none.
    """
    return next(iter(money_readings(text, currency, decimal)), None)


def money_readings(text: str, currency: str = "", decimal: str = "") -> tuple[Money, ...]:
    """Every amount that the whole text can mean, likelier first; () when it is none."""
    bare = _SPACE_IN_GROUPS.sub(",", _SPACE_AT_MARK.sub("", level(text).strip()))
    match = _WHOLE.fullmatch(bare)
    if match is None:
        return ()
    head, rest = _HEAD.fullmatch(match["head"]), _REST.fullmatch(match["rest"])
    if head is None or rest is None or bool(head["open"]) != bool(rest["close"]):
        return ()
    number = match["number"]
    code = _currency(head["mark"], rest["mark"], currency, bool(_CENTS.fullmatch(number)))
    minus = _minus(head, rest, yen=code == "JPY" or "¥" in bare)
    if code is None or minus is None:
        return ()
    readings = numeral_readings("0" + number if number[0] in ".," else number, decimal)
    return tuple(Money(one.copy_negate() if minus else one, code) for one in readings)


def _minus(head: re.Match[str], rest: re.Match[str], yen: bool) -> bool | None:
    """Whether the signs make it negative; None where there are more of them than an amount has."""
    # A dash behind yen closes the amount against additions.
    tail = None if yen else rest["tail"]
    signs = [sign for sign in (head["sign"], head["inner"], tail, head["open"]) if sign]
    if len(signs) > 1:
        return None
    return bool(signs) and signs[0] in "-("


def _currency(before: str, after: str, page: str, cents: bool) -> str | None:
    """What the marks on both sides come to; None where they are none or contradict each other."""
    behind = mark_currency(after, page) if after else ""
    front = mark_currency(before, behind or page) if before else ""
    if front is None or behind is None or (front and behind and front != behind):
        return None
    if front or behind:
        return front or behind
    if cents and "¥" in (before, after):
        return "CNY"
    return page if not (before or after) else ""
