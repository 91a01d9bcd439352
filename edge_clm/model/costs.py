"""What making page states and fetching them from the disk has taken so far."""

from __future__ import annotations

_NEWEST = 0.3
"""Weight of the newest time in a running mean."""
_FADES = 0.95
"""What the memory of a slow fetch is worth with each state that was made instead: it is tried again some time."""


class Costs:
    """Running means of seconds a token; tells whether fetching is the cheaper way."""

    def __init__(self) -> None:
        self._made: float | None = None
        self._restored: float | None = None

    def made(self, seconds: float, tokens: int) -> None:
        """A state of so many tokens was made."""
        self._made = _mean(self._made, seconds / max(tokens, 1))
        if self._restored is not None and not self.restoring_is_worth_it:
            self._restored *= _FADES

    def restored(self, seconds: float, tokens: int) -> None:
        """A state of so many tokens was fetched."""
        self._restored = _mean(self._restored, seconds / max(tokens, 1))

    @property
    def restoring_is_worth_it(self) -> bool:
        """True until fetching has been found slower than making."""
        return self._made is None or self._restored is None or self._restored < self._made


def _mean(before: float | None, now: float) -> float:
    return now if before is None else before + _NEWEST * (now - before)
