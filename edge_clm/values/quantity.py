"""Numbers with their units, and ranges of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

from edge_clm.values.level import level
from edge_clm.values.numerals import NUMERAL, TIGHT, numeral_readings
from edge_clm.values.units import UNIT, is_unit, same_unit
from edge_clm.values.value import Found, Quantity

__all__ = ["Range", "find_quantities", "read_quantity", "read_range", "same_unit"]

_COMPARISONS = {
    **{
        "<": "<",
        ">": ">",
        "≤": "≤",
        "≥": "≥",
        "<=": "≤",
        ">=": "≥",
        "=<": "≤",
        "=>": "≥",
        "≦": "≤",
        "≧": "≥",
    },
    **{"< or =": "≤", "> or =": "≥", "less than": "<", "below": "<", "under": "<", "up to": "≤"},
    **{
        "at most": "≤",
        "more than": ">",
        "greater than": ">",
        "above": ">",
        "over": ">",
        "at least": "≥",
    },
    **{
        "bis": "≤",
        "bis zu": "≤",
        "unter": "<",
        "über": ">",
        "jusqu'à": "≤",
        "hasta": "≤",
        "fino a": "≤",
    },
    **{"até": "≤", "tot": "≤", "hingga": "≤", "sampai": "≤", "小于": "<", "大于": ">"},
}
_SIGN = r"(?:[<>] ?or ?=|[<>]=?|=[<>]|[≤≥≦≧])"
_WORDS = "|".join(
    sorted((re.escape(word) for word in _COMPARISONS if word[0].isalpha()), key=len, reverse=True)
)
_COMPARISON = rf"(?P<comparison>{_SIGN}|(?:{_WORDS})(?=[ 0-9]))"
_WHOLE = re.compile(
    rf"(?:{_COMPARISON} ?)?(?P<number>-?{NUMERAL})(?: ?(?P<unit>.{{1,24}}))?", re.IGNORECASE
)
_INSIDE = re.compile(
    rf"(?:(?P<comparison>{_SIGN}) ?)?(?P<number>(?:(?<![0-9A-Za-z).,])-)?{TIGHT})(?: ?(?P<unit>{UNIT}))?"
)
_CLEAR = re.compile(
    r"(?:(?<![0-9A-Za-z_#$€£¥])|(?<=[0-9][xX×*]))"
    r"(?<![0-9A-Za-z][/-])(?<![0-9][.,:'])(?<![0-9] - )"
)
_RUNS_ON = re.compile(r"[0-9A-Za-z_#]|[.,:/'-][0-9A-Za-z]")
_TIMES = re.compile(rf"(?: ?[xX×*] ?{TIGHT}){{1,2}} ?(?P<unit>{UNIT})")
_SPAN = re.compile(
    rf"(?P<low>-?{NUMERAL})(?: ?(?P<unit>[^0-9 -].{{0,20}}?))? ?(?:-|~|\.{{2,3}}| to | bis | à | a |至)"
    rf" ?(?P<high>-?{NUMERAL})(?: ?(?P<last>.{{1,24}}))?",
    re.IGNORECASE,
)
_BRACKETED = re.compile(r"[(\[](.*)[)\]]")
_CODE = re.compile(r"-?0[0-9]")


@dataclass(frozen=True, slots=True)
class Range:
    """What is normal or allowed: numbers from `low` to `high`, both included."""

    low: Decimal | None
    """None where there is no lower bound."""
    high: Decimal | None
    """None where there is no upper bound."""
    unit: str = ""
    """As printed; empty where there is none."""
    strict: bool = False
    """True where the one bound itself is outside, as in "<5.0"."""

    def holds(self, number: Decimal) -> bool:
        """Whether the number, in the range's unit, lies inside."""
        if self.strict and number in (self.low, self.high):
            return False
        above = self.low is None or number >= self.low
        return above and (self.high is None or number <= self.high)


def read_quantity(text: str, decimal: str = "") -> Quantity | None:
    """The number that the whole text is, with the unit and the comparison where it has them.

    Only units that are known. `decimal` is the page's decimal mark: without it "1.234" is a fraction
    and "1,234" is over a thousand.
    """
    whole = text.strip()
    match = _WHOLE.fullmatch(level(whole))
    if match is None or (match["unit"] and not is_unit(match["unit"])):
        return None
    number = _number(match["number"], decimal)
    unit = whole[slice(*match.span("unit"))] if match["unit"] else ""
    return None if number is None else Quantity(number, unit, _comparison(match["comparison"]))


def find_quantities(text: str, decimal: str = "") -> list[Found[Quantity]]:
    """The numbers with a known unit or a comparison inside a text; "12 x 8 mm" gives two in mm.

    Neither end of a range is one. The span of a number that gets its unit from another ends behind it.
    """
    plain, found = level(text), list[Found[Quantity]]()
    for match in _INSIDE.finditer(plain):
        start = match.start("number")
        if not _CLEAR.match(plain, match.start()) or (start and plain[start - 1] in "$€£¥"):
            continue
        if match["unit"] and not is_unit(match["unit"]):
            continue
        unit = match.span("unit") if match["unit"] else _shared_unit(plain, match.end())
        if unit is None and not (match["comparison"] and _stands_alone(plain, match)):
            continue
        number = _number(match["number"], decimal)
        if number is not None:
            printed = text[slice(*unit)] if unit else ""
            quantity = Quantity(number, printed, _comparison(match["comparison"]))
            found.append(Found(quantity, *match.span()))
    return found


def _stands_alone(plain: str, match: re.Match[str]) -> bool:
    """Whether a number without a unit is no part of an identifier."""
    return not _CODE.match(match["number"]) and not _RUNS_ON.match(plain, match.end())


def _shared_unit(plain: str, at: int) -> tuple[int, int] | None:
    """Where the unit stands that a number shares with the next one, as in 12 x 8 mm."""
    match = _TIMES.match(plain, at)
    return match.span("unit") if match else None


def read_range(text: str, decimal: str = "") -> Range | None:
    """The range that the whole text is: from one number to another, or a bound on one side."""
    whole = text.strip()
    bracketed = _BRACKETED.fullmatch(level(whole))
    if bracketed:
        whole = whole[1:-1].strip()
    bound = read_quantity(whole, decimal)
    if bound:
        return _one_sided(bound)
    match = _SPAN.fullmatch(level(whole))
    if match is None or _CODE.match(match["low"]) or _CODE.match(match["high"]):
        return None
    low, high = _number(match["low"], decimal), _number(match["high"], decimal)
    unit = _range_unit(whole, match)
    if low is None or high is None or unit is None or low > high:
        return None
    return Range(low, high, unit)


def _one_sided(bound: Quantity) -> Range | None:
    strict = bound.comparison in {"<", ">"}
    if bound.comparison in {"<", "≤"}:
        return Range(None, bound.number, bound.unit, strict)
    if bound.comparison in {">", "≥"}:
        return Range(bound.number, None, bound.unit, strict)
    return None


def _range_unit(whole: str, match: re.Match[str]) -> str | None:
    """The unit as printed, "" for none; None where it is no unit or the ends have different ones."""
    units = [whole[slice(*match.span(name))] for name in ("unit", "last") if match[name]]
    if not all(is_unit(unit) for unit in units) or (len(units) == 2 and not same_unit(*units)):
        return None
    return units[-1] if units else ""


def _number(text: str, decimal: str) -> Decimal | None:
    readings = numeral_readings(text.removeprefix("-"), decimal or ".")
    if not readings:
        return None
    return readings[0].copy_negate() if text[0] == "-" else readings[0]


def _comparison(text: str | None) -> str:
    if text is None:
        return ""
    spaced = re.sub(r" ?or ?", " or ", text.casefold())
    return _COMPARISONS[spaced]
