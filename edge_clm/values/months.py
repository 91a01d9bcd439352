"""Names of months and weekdays, from the Unicode CLDR."""

from __future__ import annotations

import re
import unicodedata
from functools import cache

LOCALES = ("en", "de", "fr", "es", "it", "nl", "pt", "ms", "id")
_ENGLISH = "en"
_WORDS = frozenset({"set", "out", "mac", "mars", "ene", "des"})
"""Month names that are common words or names elsewhere; they need a year of four digits."""


@cache
def months() -> dict[str, int]:
    """1…12 by casefolded name, whole or short, with and without accents; English ones also cut short."""
    from babel.dates import get_month_names

    found: dict[str, int] = {}
    for locale in LOCALES:
        for width in ("wide", "abbreviated"):
            for context in ("format", "stand-alone"):
                for at, name in get_month_names(width, context, locale).items():
                    found |= {form: at for form in _forms(name) if form not in found}
    for at, name in get_month_names("wide", "format", _ENGLISH).items():
        plain = name.casefold()
        found |= {plain[:size]: at for size in range(3, len(plain))}
    return found


@cache
def weekdays() -> frozenset[str]:
    """Casefolded names of the days of the week, whole and short."""
    from babel.dates import get_day_names

    return frozenset(
        form
        for locale in LOCALES
        for width in ("wide", "abbreviated", "short")
        for name in get_day_names(width, "format", locale).values()
        for form in _forms(name)
    )


def is_common_word(name: str) -> bool:
    """Whether a casefolded month name is rather another word."""
    return name in _WORDS


@cache
def month_pattern() -> str:
    """Any name of a month, longest first."""
    return "|".join(
        re.escape(name) for name in sorted(months(), key=lambda name: (-len(name), name))
    )


def _forms(name: str) -> set[str]:
    plain = name.casefold().rstrip(".")
    bare = "".join(
        char for char in unicodedata.normalize("NFD", plain) if not unicodedata.combining(char)
    )
    return {plain, bare}
