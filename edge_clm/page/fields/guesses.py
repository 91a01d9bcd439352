"""Guesses at a field, and the field that they come to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from math import prod

from edge_clm.page.fields.layout import Layout, Span
from edge_clm.paper import Candidate, Field
from edge_clm.values.equal import equal
from edge_clm.values.value import Text, Value

# How near the second reading comes to the first for neither to be an answer.
_CLOSE = 0.93
# How much a second place that says the same adds.
_AGAIN = 0.5
# Readings less likely than this share of the best are not worth telling.
_WORTH_TELLING = 0.25
_MOST = 4
_SURE = 0.5


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

    Guesses of one value are one reading, the stronger for each of them. Where another reading is
    about as strong as the best, the field is ambiguous.
    """
    readings = sorted(map(_reading, _grouped(guesses)), key=lambda it: -it.strength)
    if not readings:
        return None
    best, *others = readings
    told = [it for it in others if it.strength >= _WORTH_TELLING * best.strength][:_MOST]
    ambiguous = bool(told) and told[0].strength >= _CLOSE * best.strength
    candidates = [candidate_of(it, layout) for it in (best, *told)]
    doubtful = ambiguous or candidates[0].confidence < _SURE or candidates[0].value is None
    return Field(name, candidates[0], tuple(candidates[1:]), ambiguous, doubtful)


def candidate_of(guess: Guess, layout: Layout) -> Candidate:
    """The guess as the contract has it."""
    evidence = tuple(layout.evidence(span) for span in guess.spans)
    confidence = min(max(guess.strength * guess.legibility, 0.0), 1.0)
    return Candidate(guess.raw, guess.value, evidence, confidence)


def same(one: Guess, other: Guess) -> bool:
    """Whether two guesses are one reading."""
    if one.value is None or other.value is None:
        return one.raw == other.raw
    if isinstance(one.value, Text) and isinstance(other.value, Text):
        return one.value == other.value or equal(one.value, other.value)
    return equal(one.value, other.value)


def _grouped(guesses: Iterable[Guess]) -> list[list[Guess]]:
    groups: list[list[Guess]] = []
    for guess in sorted(guesses, key=lambda it: -it.strength):
        group = next((group for group in groups if same(group[0], guess)), None)
        if group is None:
            groups.append([guess])
        else:
            group.append(guess)
    return groups


def _reading(group: list[Guess]) -> Guess:
    first = group[0]
    # A place that two labels lead to says the value once.
    again = {guess.spans: guess for guess in reversed(group) if guess.spans != first.spans}
    doubt = (1 - first.strength) * prod(1 - _AGAIN * guess.strength for guess in again.values())
    return replace(first, strength=1 - doubt)
