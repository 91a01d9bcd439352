"""The kinds of value that stand on documents."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Generic, TypeVar


@dataclass(frozen=True, slots=True)
class Money:
    """An amount of money."""

    amount: Decimal
    """As printed: 9.00 keeps its two places."""
    currency: str = ""
    """ISO 4217 code; empty where it is not told."""


@dataclass(frozen=True, slots=True)
class Day:
    """A calendar date."""

    readings: tuple[date, ...]
    """What it can mean: one date, or up to three where day, month and year cannot be told apart,
    likelier first."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number, with a unit where it has one."""

    number: Decimal
    unit: str = ""
    """As printed; '%' for a percentage."""
    comparison: str = ""
    """'<', '>', '≤' or '≥' where the page gives a bound and no number."""


@dataclass(frozen=True, slots=True)
class Text:
    """Anything else, as it stands on the page: a name, an identifier, a sentence."""

    text: str


@dataclass(frozen=True, slots=True)
class Truth:
    """Yes or no."""

    truth: bool


Value = Money | Day | Quantity | Text | Truth

_V_co = TypeVar("_V_co", bound=Value, covariant=True)


@dataclass(frozen=True, slots=True)
class Found(Generic[_V_co]):
    """A value found inside a longer text."""

    value: _V_co
    start: int
    """Index of the first character."""
    end: int
    """Index behind the last one."""
