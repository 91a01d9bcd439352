"""The twins of one page: of each kind some, of what can be asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import cycle, islice
from random import Random

from bench.twins.edits import MAKERS, Twin, Value, edited, value_of
from bench.twins.inked import corrected, stamped, struck
from bench.twins.labels import Asked, names_a_page
from bench.twins.rows import repeated, swapped
from bench.twins.strips import Strip
from edge_clm.types import Pixels

KINDS = (
    *("digit", "letter", "stamp", "digit", "unit", "strike", "flag", "swapped", "digit"),
    *("digit_lost", "sign_added", "correction", "digit", "point_lost", "line_added", "sign_lost"),
    "digit_added",
)
"""In the order in which twins are made, from some place in it on."""
ELSEWHERE = frozenset(("stamp", "swapped", "line_added"))
"""Kinds that change no value that is asked."""
_ROUNDS = 4
_SPARED = 0.4
"""Share of values without a mark on a page that is marked all over: marks stand apart."""


def twins_of(
    picture: Pixels, asked: Sequence[Asked], strips: Sequence[Strip], rng: Random
) -> Iterator[Twin]:
    """Twins of a picture, no two alike, as long as they can be made."""
    values = _values(asked, strips)
    start, told = rng.randrange(len(KINDS)), set[tuple[str, str, str]]()
    for kind in islice(cycle(KINDS), start, start + _ROUNDS * len(KINDS)):
        twin = _twin(kind, picture, values, strips, rng)
        if twin is None or (kind, twin.field, twin.after) in told:
            continue
        told.add((kind, twin.field, twin.after))
        yield twin


def scrawled(
    picture: Pixels, asked: Sequence[Asked], strips: Sequence[Strip], rng: Random
) -> tuple[Pixels, list[Twin]]:
    """A picture with a mark on many of its values, one to a field and to a line, and what was marked how.

    What tells a page from others, and the total, which may name it, are left alone: a mark there would
    speak against every value.
    """

    def mark(drawn: Pixels, value: Value) -> Twin | None:
        if _is_chief(value) or rng.random() < _SPARED:
            return None
        make = rng.choice((struck, corrected))
        return make(drawn, value, rng) or struck(drawn, value, rng)

    return _throughout(picture, _values(asked, strips), mark, rng)


def retouched(
    picture: Pixels, asked: Sequence[Asked], strips: Sequence[Strip], rng: Random
) -> tuple[Pixels, list[Twin]]:
    """As `scrawled`, with print that was edited instead of marks."""

    def edit(drawn: Pixels, value: Value) -> Twin | None:
        if _is_chief(value):
            return None
        kinds = rng.sample(list(MAKERS), len(MAKERS))
        made = (edited(kind, drawn, value, strips, rng) for kind in kinds)
        return next((twin for twin in made if twin), None)

    return _throughout(picture, _values(asked, strips), edit, rng)


def _throughout(
    picture: Pixels,
    values: Sequence[Value],
    make: Callable[[Pixels, Value], Twin | None],
    rng: Random,
) -> tuple[Pixels, list[Twin]]:
    """Edits one after the other, of values that stand in one place, one to a field and to a line."""
    made: list[Twin] = []
    spent: set[int | str] = set()
    for value in rng.sample(values, len(values)):
        (spot, *more) = value.spots
        if more or spent & {id(spot.strip), value.field}:
            continue
        spent |= {id(spot.strip), value.field}
        twin = make(picture, value)
        if twin:
            picture = twin.pixels
            made.append(twin)
    return picture, made


def _values(asked: Sequence[Asked], strips: Sequence[Strip]) -> list[Value]:
    found = [
        value_of(one.field, part.text, strips, part.place) for one in asked for part in one.parts
    ]
    return [value for value in found if value]


def _twin(
    kind: str, picture: Pixels, values: Sequence[Value], strips: Sequence[Strip], rng: Random
) -> Twin | None:
    """A twin of a kind, of the first value in random order that it can be made of."""
    if kind in ELSEWHERE:
        return _elsewhere(kind, picture, strips, rng)
    # Half of the edits are of what tells a page from others, and of the total, however few such values it has.
    chief = rng.random() < 0.5
    order = rng.sample(list(values), len(values))
    order.sort(key=lambda value: _is_chief(value) is not chief)
    for value in order:
        if kind in MAKERS:
            found = edited(kind, picture, value, strips, rng)
        else:
            make = struck if kind == "strike" else corrected
            found = make(picture, value, rng)
        if found:
            return found
    return None


def _is_chief(value: Value) -> bool:
    return value.field == "total" or names_a_page(value.field)


def _elsewhere(kind: str, picture: Pixels, strips: Sequence[Strip], rng: Random) -> Twin | None:
    if not strips:
        return None
    make = {"stamp": stamped, "swapped": swapped, "line_added": repeated}[kind]
    return make(picture, strips, rng)
