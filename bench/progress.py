"""One line on standard error that says how far long work is; plain lines where it is no terminal."""

from __future__ import annotations

import sys
import time

QUIET_EVERY_S = 15.0


def say(text: str) -> None:
    """A line for whoever watches; figures go to standard output, everything else here."""
    print(text, file=sys.stderr, flush=True)


class Progress:
    """How far a known number of steps has come, and about when it ends."""

    def __init__(self, what: str, total: int) -> None:
        self._what = what
        self._total = total
        self._done = 0
        self._measured = 0
        self._started = time.monotonic()
        self._said = 0.0

    def skip(self, steps: int) -> None:
        """Counts steps that an earlier run has finished; they say nothing about speed."""
        self._done += steps

    def step(self, note: str = "") -> None:
        """Counts one step and says so; in a pipe only now and then."""
        self._done += 1
        self._measured += 1
        now = time.monotonic()
        last = self._done >= self._total
        if sys.stderr.isatty():
            end = "\n" if last else ""
            print(f"\r\033[K{self._line(note)}", end=end, file=sys.stderr, flush=True)
        elif last or now - self._said >= QUIET_EVERY_S:
            self._said = now
            say(self._line(note))

    def _line(self, note: str) -> str:
        spent = time.monotonic() - self._started
        left = spent / max(self._measured, 1) * (self._total - self._done)
        parts = (f"{self._what} {self._done}/{self._total}", f"about {duration(left)} left", note)
        return "  ".join(filter(None, parts))


def duration(seconds: float) -> str:
    """Seconds as people say them: 8 s, 3 min 20 s, 1 h 05 min."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"
