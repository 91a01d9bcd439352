"""The words that labels are made of, found again where OCR has misread a letter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

# Shorter words have too many neighbours to be guessed at.
_ONE, _TWO = 5, 9
# Digits that stand for letters in print.
_LETTERS = str.maketrans("0158", "olsb")
_KEPT = 20_000


class Spelling:
    """Knows words; finds the one that a misread word was."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._longest = max(map(len, self._words), default=0) + 1
        self._near: dict[str, str] = {}
        for word in sorted(self._words, reverse=True):
            if word.isalpha() and len(word) > 2:
                self._near.update(dict.fromkeys(_shortened(word), word))
        self._find = lru_cache(_KEPT)(self._search)

    def known(self, word: str, alone: bool) -> tuple[str, bool]:
        """The word that is meant, and whether it was misread; "" where there is none.

        `alone`: nothing else stands beside it, so that a word of three or four letters may be guessed.
        """
        if word in self._words:
            return word, False
        plain = word.translate(_LETTERS)
        if plain in self._words and plain.isalpha() and not word.isdigit():
            return plain, True
        enough = 3 if alone else _ONE
        likely = enough <= len(plain) <= self._longest and plain.isalpha()
        found = self._find(plain) if likely else ""
        return found, bool(found)

    def _search(self, word: str) -> str:
        """The word that is one letter off, or two letters of a long word."""
        if not word.isascii():
            return ""
        for variant in (word, *_shortened(word)):
            near = self._near.get(variant, "")
            if near and abs(len(near) - len(word)) <= 1:
                return near
            if variant in self._words and len(variant) > 2:
                return variant
        if len(word) >= _TWO:
            for once in _shortened(word):
                for twice in _shortened(once):
                    near = self._near.get(twice, "")
                    if near and len(near) >= _TWO:
                        return near
        return ""


def _shortened(word: str) -> Iterator[str]:
    return (word[:at] + word[at + 1 :] for at in range(len(word)))
