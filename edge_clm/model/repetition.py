"""Notices an answer that has begun to go round in circles."""

from __future__ import annotations

from collections.abc import Callable

LONGEST = 64
"""Tokens of the longest block that is looked for."""


class LoopWatch:
    """Watches tokens for a block that repeats, and says how many of the last ones only repeat.

    Tables repeat honestly: columns of zeros, rows alike. So a block of words on one line may come 4
    times, one with a line break in it 8 times, and one without letters 16 times, before it is a
    loop; short blocks more often, by `_LEAST`. A block as long as a sentence is not honest twice
    in a row; one with a line break in it, which may be two long rows, not three times.
    """

    _LEAST = 24
    _SENTENCE = 24

    def __init__(self, spelled: Callable[[int], bytes]) -> None:
        """`spelled` gives the bytes of a token."""
        self._spelled = spelled
        self._tokens: list[int] = []
        self._matched = [0] * (LONGEST + 1)

    @property
    def held(self) -> int:
        """How many of the last tokens repeat what came before and may have to be cut."""
        return max(self._matched)

    def push(self, token: int) -> bool:
        """Takes the next token; True when the answer loops."""
        self._tokens.append(token)
        for period in range(1, min(LONGEST, len(self._tokens) - 1) + 1):
            same = self._tokens[-1 - period] == token
            self._matched[period] = self._matched[period] + 1 if same else 0
        return any(self._loops(period) for period in range(1, LONGEST + 1))

    def _loops(self, period: int) -> bool:
        matched = self._matched[period]
        if matched < self._LEAST or matched < period:
            return False
        block = b"".join(map(self._spelled, self._tokens[-period:])).decode(errors="replace")
        if not any(letter.isalpha() for letter in block):
            return matched >= max(2 * self._LEAST, 15 * period)
        return matched >= self._repeats(period, "\n" in block) * period

    def _repeats(self, period: int, broken: bool) -> int:
        """How often a block of words must have come again to be a loop."""
        if period >= self._SENTENCE:
            return 2 if broken else 1
        return 7 if broken else 3
