"""Readings of one field weighed against each other: which are one, which is best, what stays open."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import prod
from typing import Protocol, TypeVar

from edge_clm.paper import Candidate, Field
from edge_clm.values.equal import equal
from edge_clm.values.value import Value

# How near the second reading comes to the first for neither to be an answer.
_CLOSE = 0.93
# How much a second place that says the same adds.
_AGAIN = 0.5
# Readings less likely than this share of the best are not worth telling.
_WORTH_TELLING = 0.25
_MOST = 4
_SURE = 0.5


class Reading(Protocol):
    """What a place was read as."""

    @property
    def raw(self) -> str:
        """As printed."""
        ...

    @property
    def value(self) -> Value | None:
        """Typed; None where it cannot be read as what the field is."""
        ...


_R = TypeVar("_R", bound=Reading)


def same(one: Reading, other: Reading) -> bool:
    """Whether two readings are one."""
    if one.value is None or other.value is None:
        return one.raw == other.raw
    return equal(one.value, other.value)


def grouped(readings: Iterable[_R], strength: Callable[[_R], float]) -> list[list[_R]]:
    """Readings that are one together, the strongest of each group in front."""
    groups: list[list[_R]] = []
    for reading in sorted(readings, key=lambda it: -strength(it)):
        group = next((group for group in groups if same(group[0], reading)), None)
        if group is None:
            groups.append([reading])
        else:
            group.append(reading)
    return groups


def together(first: float, others: Iterable[float]) -> float:
    """0…1: how strong a reading is that other places bear out, each of them less than the first."""
    return 1 - (1 - first) * prod(1 - _AGAIN * other for other in others)


def chosen(name: str, readings: Sequence[tuple[float, Candidate]]) -> Field:
    """The field that different readings come to, each with its strength; there is at least one.

    Where another reading is about as strong as the best, the field is ambiguous.
    """
    (strength, best), *others = sorted(readings, key=lambda it: -it[0])
    told = [it for it in others if it[0] >= _WORTH_TELLING * strength][:_MOST]
    ambiguous = bool(told) and told[0][0] >= _CLOSE * strength
    doubtful = ambiguous or best.confidence < _SURE or best.value is None
    return Field(name, best, tuple(candidate for _, candidate in told), ambiguous, doubtful)
