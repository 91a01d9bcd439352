"""What a printed value is, apart from how it is written: dates, amounts, identifiers, names.

A value has a *printed form* (how it stands on the paper, with writing habits removed) and, for dates
and amounts, *readings* (what it can mean). A label with one reading is compared by meaning as well; a
label that can be read in two ways is right only when its printed form is.
"""

from __future__ import annotations

import re
import unicodedata
from datetime import date
from decimal import Decimal

_MONTHS = "january february march april may june july august september october november december"
MONTHS = tuple(_MONTHS.split())
_LEGAL_FORMS = (
    "ab ag as berhad bhd bv co corp corporation gmbh inc incorporated kg limited llc llp ltd nv oy plc "
    "plt pte pty sa sarl sb sdn spa srl"
)
LEGAL_FORMS = frozenset(_LEGAL_FORMS.split())
_TIME = re.compile(r"(?:(?<=\d)t|\b)\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\s*(?:[ap]m|z)?\s*$")
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_DATE_PART = re.compile(r"\d+|[^\W\d_]+")
_NEGATIVE = re.compile(r"-[^\d()]{0,5}\d|\d\s*-\s*$|\([^()\d]*\d[^()]*\)")


def plain(text: str) -> str:
    """The text in compatibility form (full-width digits become ASCII), casefolded, single-spaced."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def date_form(text: str) -> str:
    """The printed form of a date: its parts in the printed order, without leading zeros or a time.

    "06 Oct, 1999" becomes "6-oct-1999". Month names are cut to three letters; other words stay.
    """
    return "-".join(_date_parts(text))


def date_readings(text: str) -> frozenset[date]:
    """Every calendar date that the text can mean; empty when it is none.

    Day and month are told apart where only one order is possible, where the month is a name or where
    the year comes first. Years of two digits lie in 1970…2069 and stand last.
    """
    parts = _date_parts(text)
    if len(parts) != 3:
        return frozenset()
    return frozenset(found for found in map(_make_date, _orders(parts)) if found)


def _date_parts(text: str) -> list[str]:
    bare = _ORDINAL.sub("", _TIME.sub("", plain(text)))
    return [_date_part(part) for part in _DATE_PART.findall(bare)]


def _date_part(part: str) -> str:
    if part.isdigit():
        return part.lstrip("0") or "0"
    return part[:3] if _month(part) else part


def _month(part: str) -> int:
    """1…12 for a month's name or its beginning of three letters and more, else 0."""
    if len(part) < 3:
        return 0
    return next((at for at, name in enumerate(MONTHS, 1) if name.startswith(part)), 0)


def _orders(parts: list[str]) -> list[tuple[str, str, str]]:
    """Candidates as (year, month, day)."""
    first, second, third = parts
    if _month(first):
        return [(third, first, second)]
    if len(first) == 4:
        return [(first, second, third)]
    if _month(second):
        return [(third, second, first)]
    return [(third, second, first), (third, first, second)]


def _make_date(order: tuple[str, str, str]) -> date | None:
    year, month, day = order
    if not (year.isdigit() and day.isdigit()) or len(year) not in (1, 2, 4):
        return None
    try:
        return date(_full_year(year), _month(month) or int(month), int(day))
    except (ValueError, OverflowError):
        return None


def _full_year(year: str) -> int:
    number = int(year)
    if len(year) == 4:
        return number
    return number + (2000 if number < 70 else 1900)


def amount_form(text: str) -> str:
    """The printed form of an amount: sign, digits and separators, without currency and spaces.

    "(RM 1,234.50)" becomes "-1,234.50"; apostrophes between digits are dropped.
    """
    bare = plain(text).replace("−", "-").replace("–", "-")
    sign = "-" if _NEGATIVE.search(bare) else ""
    return sign + re.sub(r"[^\d.,]", "", bare).strip(".,")


def amount_readings(text: str) -> frozenset[Decimal]:
    """Every amount that the text can mean; empty when it is none.

    "1,234.50" and "1.234,50" have one reading; "1,234" has two: a thousands separator or a decimal one.
    """
    form = amount_form(text)
    digits = form.removeprefix("-")
    if not re.fullmatch(r"\d+(?:[.,]\d+)*", digits):
        return frozenset()
    values = [value for point in (".", ",", "") if (value := _amount(digits, point)) is not None]
    return frozenset(value.copy_negate() if form != digits else value for value in values)


def _amount(digits: str, point: str) -> Decimal | None:
    """The value when `point` is the decimal separator ("" for none), or None where that cannot be."""
    whole, found, cents = digits.rpartition(point) if point else (digits, "", "0")
    if (point and not found) or not cents.isdigit():
        return None
    marks = set(re.findall(r"[.,]", whole))
    groups = re.split(r"[.,]", whole)
    if len(marks) > 1 or point in marks or not _grouped(groups):
        return None
    return Decimal(f"{''.join(groups)}.{cents}")


def _grouped(groups: list[str]) -> bool:
    """Thousands in threes, or in the Indian way (12,34,567); a group needs a leading digit."""
    head, *rest = groups
    if not rest:
        return True
    if not head.strip("0") or len(head) > 3 or len(rest[-1]) != 3:
        return False
    sizes = {len(group) for group in rest[:-1]}
    return sizes <= {3} or sizes == {2}


def identifier_form(text: str) -> str:
    """An identifier's letters and digits, casefolded; "# INV-0042" becomes "inv0042"."""
    return "".join(char for char in plain(text) if char.isalnum())


def words_form(text: str) -> str:
    """Text casefolded, without punctuation and spaces."""
    return "".join(_words(plain(text)))


def name_form(text: str) -> str:
    """A name casefolded, without punctuation, spaces and the legal form at its end.

    "MR. D.I.Y. (M) SDN BHD" becomes "mrdiym". A name that is nothing but a legal form is kept.
    """
    words = _words(re.sub(r"\bs\s?/\s?b\b", "sb", plain(text)))
    kept = _without_legal_form(words)
    return "".join(kept or words)


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text.replace("'", "")).split()


def _without_legal_form(words: list[str]) -> list[str]:
    for size in (4, 3, 2):
        # "L.L.C." has come apart into three words of one letter.
        tail = words[-size:]
        if all(len(word) == 1 for word in tail) and "".join(tail) in LEGAL_FORMS:
            return _without_legal_form(words[:-size])
    if words and words[-1] in LEGAL_FORMS:
        return _without_legal_form(words[:-1])
    return words


def edit_distance(left: str, right: str) -> int:
    """Levenshtein distance: insertions, deletions and substitutions of one character each."""
    row = list(range(len(right) + 1))
    for count, char in enumerate(left, 1):
        before, row[0] = row[0], count
        for at, other in enumerate(right, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (char != other))
    return row[-1]


def similarity(left: str, right: str) -> float:
    """1 − edit distance over the longer length, 0 under one half; two empty strings are alike."""
    longest = max(len(left), len(right))
    if not longest:
        return 1.0
    found = 1 - edit_distance(left, right) / longest
    return found if found >= 0.5 else 0.0
