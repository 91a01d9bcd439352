"""Text with writing habits levelled out, character for character, so that positions stay true."""

from __future__ import annotations

import unicodedata

_KEPT = ("<super>", "<sub>", "<circle>", "<square>", "<fraction>")
"""Folding these would change what is said: 10³ is not 103."""
_DASHES = "‐‑‒–—―−﹣－"
_APOSTROPHES = "’‘ʼ′`´"


class _Levelled(dict[int, str]):
    """Fills itself as characters are met."""

    def __missing__(self, code: int) -> str:
        self[code] = level = _level_char(chr(code))
        return level


def level(text: str) -> str:
    """The text with full-width forms, foreign digits, dashes, spaces and apostrophes made plain.

    As long as `text`: an index into one is an index into the other. Superscripts stay.
    """
    return text.translate(_LEVELLED)


def _level_char(char: str) -> str:
    if char.isspace():
        return " "
    if char in _DASHES:
        return "-"
    if char in _APOSTROPHES:
        return "'"
    if char.isdecimal():
        return str(unicodedata.decimal(char))
    if unicodedata.decomposition(char).startswith(_KEPT):
        return char
    plain = unicodedata.normalize("NFKC", char)
    return plain if len(plain) == 1 else char


_LEVELLED = _Levelled()
