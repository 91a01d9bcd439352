"""Scores a model's text against a label.

The text is a sentence ("The total is RM 9.00."), the label a value ("9.00"). The value is taken from
the text by rules that never see the label:

- *date*: the only date in the text; a date said twice in the same form counts once.
- *amount*: with dates out of the way, the only amount in the text; where some are written with cents
  or with a currency, those alone count.
- *identifier*: with dates out of the way, the only word that holds a digit.
- *quantity*: the text as a number with a unit; compared by worth, and by unit where both have one.
- *size*: the text as it stands, white space and the sign between two numbers aside.
- *side*: the only one of "low", "normal" and "high" in the text; "abnormal" is none.
- *yes or no*: the text's first word.
- *passage*: the whole text.
- *name*, *address*: the text without a leading frame that consists of nothing but words of a closed
  list and ends in a verb, "by" or a colon ("The name of the seller is …", "Seller: …"), without
  quotation marks and a full stop around it.

An answer that offers two dates, amounts or identifiers states none: it is not given the benefit of
either. Where a date or an identifier of an unforeseen form is asked for and none is recognised, the
whole text is compared; an amount that is not recognised is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from bench.normalise import (
    MONTHS,
    amount_form,
    amount_readings,
    date_form,
    date_readings,
    identifier_form,
    name_form,
    plain,
    similarity,
    words_form,
)
from edge_clm.values.quantity import read_quantity, same_unit


class Kind(StrEnum):
    """What a field's value is, and so how it is compared."""

    DATE = "date"
    AMOUNT = "amount"
    IDENTIFIER = "identifier"
    NAME = "name"
    ADDRESS = "address"
    QUANTITY = "quantity"
    SIZE = "size"
    SIDE = "side"
    YES_NO = "yes_no"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True)
class Score:
    """How right a text is."""

    exact: bool
    anls: float | None
    """0…1 for names and addresses; None for the rest."""


_MONTH = rf"(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in MONTHS)}|sept)"
_ORDINAL = r"(?:st|nd|rd|th)?"
_DATES = re.compile(
    rf"""(?<![\w.,])(?:
      \d{{4}}\s*[-/.]\s*\d{{1,2}}\s*[-/.]\s*\d{{1,2}}
    | \d{{1,2}}\s*[-/.]\s*\d{{1,2}}\s*[-/.]\s*(?:\d{{4}}|\d{{2}})
    | \d{{1,2}}{_ORDINAL}[\s\-/.,]*{_MONTH}[\s\-/.,']*(?:\d{{4}}|\d{{2}})
    | {_MONTH}[\s.]*\d{{1,2}}{_ORDINAL}[\s,.]+\d{{4}}
    )(?!\w|[.,/\-]\d)(?:[t\s,]*\d{{1,2}}:\d{{2}}(?::\d{{2}})?)?""",
    re.VERBOSE,
)
_CURRENCY = r"(?:rm|myr|usd|us\$|eur|gbp|inr|rs\.?|\$|€|£|¥|₹)"
_AMOUNTS = re.compile(
    rf"""(?<![\w.,'])
    \(?[-−]?(?:(?P<before>{_CURRENCY})\s?[-−]?)?
    (?P<digits>\d{{1,3}}(?:[,.'\s]\d{{2,3}})+(?:[.,]\d{{1,2}})?|\d+(?:[.,]\d+)?)
    (?:\s?(?P<after>{_CURRENCY}))?-?\)?(?![\w'])""",
    re.VERBOSE,
)
_NONE_ELSE = (Kind.AMOUNT, Kind.SIDE, Kind.YES_NO)
"""Kinds of which a text states none where none is recognised."""
_WITH_DIGIT = re.compile(r"[#\w][\w\-/.#]*\d[\w\-/]*|\d[\w\-/]*")
_FRAME_WORDS = (
    "a an and address bill billed biller business buyer by called client company customer document for "
    "from full here in invoice is issued issuer it its located merchant name named of on page party "
    "receipt s seller shop sold store supplier that the this to vendor was which who"
)
_FRAME = re.compile(
    rf"^(?:(?:{'|'.join(_FRAME_WORDS.split())})\b[\s',]*)*\b(?:is|was|by|at|called|named)\b:?\s+"
    rf"|^(?:(?:{'|'.join(_FRAME_WORDS.split())})\b\s*)+:\s*",
    re.IGNORECASE,
)


def score(kind: Kind, label: str, text: str) -> Score:
    """Scores the model's `text` against the `label`."""
    return score_value(kind, label, take(kind, text))


def score_value(kind: Kind, label: str, value: str) -> Score:
    """Scores a value that stands by itself against the `label`."""
    exact = _EQUAL[kind](label, value)
    if kind is Kind.NAME:
        return Score(exact, similarity(name_form(label), name_form(value)))
    if kind in (Kind.ADDRESS, Kind.PASSAGE):
        return Score(exact, similarity(words_form(label), words_form(value)))
    return Score(exact, None)


def take(kind: Kind, text: str) -> str:
    """The value that a text states, by the rules above; empty where it states none or several."""
    if kind in (Kind.NAME, Kind.ADDRESS):
        return _without_frame(text)
    if kind not in _FIND:
        return text
    forms = {_FORM[kind](item): item for item in _FIND[kind](plain(text))}
    if len(forms) == 1:
        return next(iter(forms.values()))
    return "" if forms or kind in _NONE_ELSE else text


def equal_dates(label: str, value: str) -> bool:
    """Same printed form, or the same single reading."""
    known = date_readings(label)
    return date_form(label) == date_form(value) or (
        len(known) == 1 and known == date_readings(value)
    )


def equal_amounts(label: str, value: str) -> bool:
    """Same printed form, or the same single reading."""
    known = amount_readings(label)
    if amount_form(label) == amount_form(value) != "":
        return True
    return len(known) == 1 and known == amount_readings(value)


def equal_identifiers(label: str, value: str) -> bool:
    """Same letters and digits."""
    return identifier_form(label) == identifier_form(value)


def equal_names(label: str, value: str) -> bool:
    """Same letters and digits, the legal form aside."""
    return name_form(label) == name_form(value)


def equal_addresses(label: str, value: str) -> bool:
    """Same letters and digits."""
    return words_form(label) == words_form(value)


def equal_quantities(label: str, value: str) -> bool:
    """Same number, and the same unit where both have one."""
    known, said = (read_quantity(text.strip().rstrip(".")) for text in (label, value))
    if known is None or said is None:
        return False
    units = not known.unit or not said.unit or same_unit(known.unit, said.unit)
    return known.number == said.number and known.comparison == said.comparison and units


def equal_sizes(label: str, value: str) -> bool:
    """Same letters and digits; two numbers may have any sign of multiplication between them."""
    return _size_form(label) == _size_form(value)


def equal_words(label: str, value: str) -> bool:
    """The same word."""
    return plain(label) == plain(value)


def _size_form(text: str) -> str:
    return re.sub(r"\s", "", plain(text).replace("×", "x")).rstrip(".")


def _sides(text: str) -> list[str]:
    return re.findall(r"\b(?:low|normal|high)\b", plain(text))


def _yes_or_no(text: str) -> list[str]:
    return re.findall(r"^(?:yes|no)\b", plain(text))


def _dates(text: str) -> list[str]:
    return [match.group() for match in _DATES.finditer(text)]


def _amounts(text: str) -> list[str]:
    found = list(_AMOUNTS.finditer(_DATES.sub(" ", text)))
    telling = [match for match in found if _is_money(match)]
    return [match.group() for match in telling or found]


def _is_money(match: re.Match[str]) -> bool:
    marked = match.group("before") or match.group("after")
    return bool(marked) or re.search(r"[.,]\d\d$", match.group("digits")) is not None


def _identifiers(text: str) -> list[str]:
    return _WITH_DIGIT.findall(_DATES.sub(" ", text))


def _without_frame(text: str) -> str:
    bare = " ".join(text.split())
    return _FRAME.sub("", bare, count=1).strip(" \"'“”‘’").removesuffix(".").strip(" \"'“”‘’")


_FIND: dict[Kind, Callable[[str], list[str]]] = {
    Kind.DATE: _dates,
    Kind.AMOUNT: _amounts,
    Kind.IDENTIFIER: _identifiers,
    Kind.SIDE: _sides,
    Kind.YES_NO: _yes_or_no,
}
_FORM: dict[Kind, Callable[[str], str]] = {
    Kind.DATE: date_form,
    Kind.AMOUNT: amount_form,
    Kind.IDENTIFIER: identifier_form,
    Kind.SIDE: plain,
    Kind.YES_NO: plain,
}
_EQUAL: dict[Kind, Callable[[str, str], bool]] = {
    Kind.DATE: equal_dates,
    Kind.AMOUNT: equal_amounts,
    Kind.IDENTIFIER: equal_identifiers,
    Kind.NAME: equal_names,
    Kind.ADDRESS: equal_addresses,
    Kind.QUANTITY: equal_quantities,
    Kind.SIZE: equal_sizes,
    Kind.SIDE: equal_words,
    Kind.YES_NO: equal_words,
    Kind.PASSAGE: equal_addresses,
}
