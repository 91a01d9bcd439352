"""How dates and times are printed."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from random import Random

from babel.dates import format_date

from edge_clm.train.pages.places import Order

_FIRST, _SPAN = date(2009, 1, 1), 365 * 17
Form = Callable[[date], str]


def _ordinal(day: date) -> str:
    ending = "th" if 10 < day.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return f"{day.day}{ending}"


def _strf(pattern: str) -> Form:
    return lambda day: day.strftime(pattern)


def _loose(pattern: str) -> Form:
    """Without zeros in front."""
    return lambda day: pattern.format(d=day.day, m=day.month, y=day.year, yy=day.strftime("%y"))


def _named(pattern: str, language: str, upper: bool = False) -> Form:
    def form(day: date) -> str:
        text = format_date(day, pattern, locale=language)
        return text.upper() if upper else text

    return form


_NUMERIC: dict[Order, list[Form]] = {
    "dmy": [
        *map(
            _strf,
            ("%d/%m/%Y", "%d/%m/%Y", "%d-%m-%Y", "%d.%m.%Y", "%d/%m/%y", "%d-%m-%y", "%d.%m.%y"),
        ),
        *map(_loose, ("{d}/{m}/{y}", "{d}.{m}.{y}", "{d}-{m}-{y}", "{d}/{m}/{yy}")),
    ],
    "mdy": [
        *map(_strf, ("%m/%d/%Y", "%m/%d/%Y", "%m-%d-%Y", "%m/%d/%y", "%m-%d-%y")),
        *map(_loose, ("{m}/{d}/{y}", "{m}/{d}/{yy}", "{m}-{d}-{y}")),
    ],
    "ymd": [*map(_strf, ("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d")), _loose("{y}/{m}/{d}")],
}
_WORDED: dict[str, tuple[str, ...]] = {
    "en": (
        *("d MMM y", "dd MMM y", "dd-MMM-y", "dd-MMM-yy", "d MMMM y", "MMM d, y", "MMMM d, y"),
        *(
            "d MMM yy",
            "dd/MMM/y",
            "MMM dd y",
            "EEEE, d MMMM y",
            "EEE d MMM y",
            "EEE, MMM d, y",
            "ddMMMy",
        ),
    ),
    "de": ("d. MMMM y", "dd. MMMM y", "d. MMM y", "EEEE, d. MMMM y"),
    "fr": ("d MMMM y", "dd MMM y", "EEEE d MMMM y"),
    "es": ("d 'de' MMMM 'de' y", "d MMM y", "d 'de' MMMM y"),
    "ms": ("d MMMM y", "dd MMM y", "d MMM yy"),
    "zh": ("y年M月d日", "y年MM月dd日"),
}


def day_of(rng: Random) -> date:
    """Any day of the years that documents are from."""
    return _FIRST + timedelta(days=rng.randrange(_SPAN))


def form_of(rng: Random, language: str, order: Order) -> Form:
    """One way of writing dates; a page keeps to it."""
    if language == "zh":
        return rng.choice([*_NUMERIC["ymd"], *(_named(one, "zh") for one in _WORDED["zh"])])
    if rng.random() < 0.5:
        return rng.choice(_NUMERIC[order])
    if rng.random() < 0.2:
        return rng.choice(_NUMERIC["ymd"])
    if language == "en" and rng.random() < 0.1:
        return lambda day: f"{_ordinal(day)} {day:%B %Y}"
    pattern = rng.choice(_WORDED[language])
    return _named(pattern, language, upper=language == "en" and rng.random() < 0.3)


def time_of(rng: Random) -> str:
    """A time of day during business hours."""
    hour, minute, second = rng.randint(7, 22), rng.randrange(60), rng.randrange(60)
    half, twelve = ("AM" if hour < 12 else "PM"), (hour - 1) % 12 + 1
    return rng.choice(
        (
            f"{hour:02}:{minute:02}",
            f"{hour:02}:{minute:02}:{second:02}",
            f"{twelve}:{minute:02} {half}",
            f"{twelve:02}:{minute:02}:{second:02} {half}",
            f"{twelve}:{minute:02}{half.lower()}",
        )
    )
