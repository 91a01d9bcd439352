"""What a recogniser's classes stand for when strings are compared: letters whatever their case, and no spaces."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SPACES = " \u3000\u00a0"
_RIVALS = "0123456789abcdefghijklmnopqrstuvwxyz.,-+/:%$€£¥()#*&<>="


class Symbols:
    """The symbols of an alphabet: classes that mean the same, taken together.

    A wide or a narrow form, a capital or a small letter are one symbol; a space is none and counts with
    the blank, since where print has gaps is nothing that a value turns on.
    """

    def __init__(self, alphabet: Sequence[str]) -> None:
        """`alphabet[i]` is the character of class i + 1."""
        self._classes: dict[str, list[int]] = {}
        for at, char in enumerate(alphabet, start=1):
            self._classes.setdefault(_folded(char), []).append(at)
        self._silent = [0, *self._classes.pop("", [])]
        self._rivals = [char for char in _RIVALS if char in self._classes]

    @staticmethod
    def count(text: str) -> int:
        """How many symbols a text has."""
        return sum(len(_folded(char)) for char in text)

    def compared(
        self, text: str, probabilities: NDArray[np.float32]
    ) -> tuple[list[int], list[int], NDArray[np.float32]] | None:
        """A text and its rivals as rows of what remains of the probabilities; None where it has none.

        `probabilities`: (steps, classes). Returns the text's symbols, those that may stand in a rival,
        and (steps, symbols) with the blank first. A text without a symbol, or with a character that the
        alphabet lacks, cannot be compared.
        """
        said = [symbol for char in text for symbol in _folded(char)]
        if not said or any(symbol not in self._classes for symbol in said):
            return None
        kept = list(dict.fromkeys([*said, *self._rivals]))
        columns = [self._silent, *(self._classes[symbol] for symbol in kept)]
        summed = np.stack([probabilities[:, one].sum(axis=1) for one in columns], axis=1)
        at = {symbol: index for index, symbol in enumerate(kept, start=1)}
        return [at[symbol] for symbol in said], [at[symbol] for symbol in kept], summed


def _folded(char: str) -> str:
    """The symbols of a character; none for a space."""
    plain = unicodedata.normalize("NFKC", char).casefold()
    return "".join(one for one in plain if one not in _SPACES and not one.isspace())
