"""Printed words told apart from how they are printed: case, accents, full width and spaces."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

_PART = re.compile(r"[^\W\d_]+|\d+")
_SPACE = re.compile(r"\s+")
_IDEOGRAPH = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
# Bounds how much a page of odd characters can fill the table below.
_ALL_PLAIN = 20_000


class _Plain(dict[int, str]):
    """What each character is folded to, worked out when it first occurs."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        base = unicodedata.normalize("NFKD", character)[0].lower()
        self[code] = plain = base if len(base) == 1 else character
        return plain


_PLAIN = _Plain()


def fold(text: str) -> str:
    """The text in lower case, without accents and full width; each character stays at its index."""
    if len(_PLAIN) > _ALL_PLAIN:
        _PLAIN.clear()
    return text.translate(_PLAIN)


def is_ideographic(text: str) -> bool:
    """Whether the text has Chinese characters or kana, which are written without spaces."""
    return _IDEOGRAPH.search(text) is not None


def bare(text: str) -> str:
    """The text folded and without anything but letters and digits."""
    return "".join(_PART.findall(fold(text)))


@dataclass(frozen=True, slots=True)
class Words:
    """The words of a page, made ready for looking phrases up."""

    spaced: str
    """Folded words with one space around each; digits are words of their own, rows are apart."""
    solid: str
    """The same without any space."""

    @classmethod
    def of(cls, rows: Iterable[str]) -> Words:
        """The words of rows of text."""
        folded = [fold(row) for row in rows]
        spaced = " \n ".join(" ".join(_PART.findall(row)) for row in folded)
        return cls(f" {spaced} ", "\n".join(_SPACE.sub("", row) for row in folded))

    def has(self, phrase: Phrase) -> bool:
        """Whether the phrase is printed: whole words, with or without spaces between them."""
        if phrase.ideographic:
            return phrase.joined in self.solid
        return phrase.spaced in self.spaced or phrase.joined in self.spaced


@dataclass(frozen=True, slots=True)
class Phrase:
    """A phrase to look for, in the form that `Words` is in."""

    spaced: str
    joined: str
    """Without spaces inside: OCR loses them."""
    ideographic: bool

    def inside(self, other: Phrase) -> bool:
        """Whether the other phrase has this one in it."""
        if self.ideographic:
            return self.joined in other.joined
        return self.spaced in other.spaced

    @classmethod
    def of(cls, text: str) -> Phrase:
        """The phrase, folded."""
        parts = _PART.findall(fold(text))
        if is_ideographic(text):
            return cls("", "".join(parts), True)
        return cls(f" {' '.join(parts)} ", f" {''.join(parts)} ", False)


@cache
def word_list(name: str) -> dict[str, Any]:
    """A list of words of this package, as its TOML file has it."""
    file = resources.files("edge_clm.page.fields").joinpath(f"{name}.toml")
    return tomllib.loads(file.read_text(encoding="utf-8"))
