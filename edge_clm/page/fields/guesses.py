"""Guesses at a field, and the field that they come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from edge_clm.page.fields.layout import Layout, Span
from edge_clm.page.fields.readings import chosen, grouped, together
from edge_clm.paper import Candidate, Field
from edge_clm.values.value import Value


@dataclass(frozen=True, slots=True)
class Guess:
    """A reading of a field at one place."""

    spans: tuple[Span, ...]
    """Where it stands; not empty."""
    value: Value | None
    strength: float
    """0…1: how strongly its label and its place speak for it."""

    @property
    def raw(self) -> str:
        """As printed."""
        return " ".join(span.text for span in self.spans)

    @property
    def legibility(self) -> float:
        """0…1: the worst of the recogniser's own confidences."""
        return min(span.cell.confidence for span in self.spans)

    def scaled(self, by: float) -> Guess:
        """The same guess, so many times as strong, at most certain."""
        return replace(self, strength=min(self.strength * by, 0.99))


def decide(name: str, guesses: Iterable[Guess], layout: Layout) -> Field | None:
    """The field that the guesses come to; None where there is none.

    Guesses of one value are one reading, the stronger for each of them.
    """
    readings = list(map(_reading, grouped(guesses, lambda it: it.strength)))
    if not readings:
        return None
    return chosen(name, [(it.strength, candidate_of(it, layout)) for it in readings])


def candidate_of(guess: Guess, layout: Layout) -> Candidate:
    """The guess as the contract has it."""
    evidence = tuple(layout.evidence(span) for span in guess.spans)
    confidence = min(max(guess.strength * guess.legibility, 0.0), 1.0)
    return Candidate(guess.raw, guess.value, evidence, confidence)


def _reading(group: list[Guess]) -> Guess:
    first = group[0]
    # A place that two labels lead to says the value once.
    again = {guess.spans: guess for guess in reversed(group) if guess.spans != first.spans}
    strength = together(first.strength, (guess.strength for guess in again.values()))
    return replace(first, strength=strength)
