"""Results of made-up blood tests: values, ranges and the flags that follow from them."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from random import Random
from typing import Any

from edge_clm.train.pages.draw import split_of
from edge_clm.train.pages.lexicon import word_lists
from edge_clm.train.pages.page import Split

_WORDED = "worded"
_USUAL = 0.72
_BEYOND = 0.12
"""Share of values that are told by a bound, where they can be."""


@dataclass(frozen=True, slots=True)
class Result:
    """One analyte as measured."""

    name: str
    value: str
    """A number with a point, perhaps behind < or >, or a word."""
    unit: str
    low: str
    high: str
    """Bounds of what is usual, "" where there is none; a word for a result in words."""
    state: str
    """low, normal or high; abnormal for a word that is not the usual one."""
    before: str
    """What was measured the last time."""


def panels(rng: Random, split: Split, most: int) -> list[tuple[str, list[Result]]]:
    """Sections with their results, each under a title; at most so many results in all."""
    chosen = [name for name in word_lists("analytes") if _rows(name, split)]
    rng.shuffle(chosen)
    found: list[tuple[str, list[Result]]] = []
    left = most
    for name in chosen[: rng.choice((1, 1, 2, 3, 4) if split == "train" else (3, 4, 5))]:
        rows = _rows(name, split)
        if name == "haematology" and rng.random() < 0.3:
            kept = rows[:left]
        else:
            kept = rng.sample(rows, min(len(rows), left, rng.randint(2, 12)))
        if kept:
            title = rng.choice(word_lists("analytes")[name]["titles"])
            found.append((title, [_result(rng, row, name == _WORDED) for row in kept]))
            left -= len(kept)
    return found


def _rows(section: str, split: Split) -> list[list[Any]]:
    return [row for row in word_lists("analytes")[section]["rows"] if split_of(row[0]) == split]


def _result(rng: Random, row: list[Any], worded: bool) -> Result:
    if worded:
        name, usual, other = row
        value = usual if rng.random() < _USUAL else other
        state = "normal" if value == usual else "abnormal"
        return Result(name, value, "", usual, usual, state, rng.choice((usual, other)))
    name, other, unit, low, high, places = row
    said = other if other and rng.random() < 0.25 else name
    if other and rng.random() < 0.08:
        said = f"{name} ({other})" if "(" not in name + other else name
    value, before = (_number(rng, low, high, places) for _ in range(2))
    worth, last = f"{value:.{places}f}", f"{before:.{places}f}"
    if rng.random() < _BEYOND and (beyond := _beyond(value, low, high, places)):
        worth = beyond
    return Result(said, worth, unit, low, high, _state(value, low, high), last)


def _beyond(value: Decimal, low: str, high: str, places: int) -> str:
    """A value that the method cannot tell exactly: where it is outside of the range, or there is but one bound."""
    if high and value > Decimal(high):
        return f">{value:.{places}f}"
    if low and value < Decimal(low):
        return f"<{value:.{places}f}"
    return "" if low and high else f"{'<' if high else '>'}{value:.{places}f}"


def _number(rng: Random, low: str, high: str, places: int) -> Decimal:
    """Mostly inside of the range, sometimes well outside."""
    floor = float(low or 0)
    top = float(high or floor * 1.8)
    wide = top - floor
    chosen = rng.random()
    if chosen < _USUAL:
        value = floor + wide * rng.uniform(0.05, 0.95)
    elif chosen < _USUAL + (1 - _USUAL) / 2 or not low or not float(low):
        value = top + wide * rng.uniform(0.05, 0.9)
    else:
        value = max(floor - wide * rng.uniform(0.05, 0.5), floor * 0.4)
    return Decimal(f"{value:.{places}f}")


def _state(value: Decimal, low: str, high: str) -> str:
    if low and value < Decimal(low):
        return "low"
    return "high" if high and value > Decimal(high) else "normal"
