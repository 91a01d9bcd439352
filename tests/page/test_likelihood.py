"""The likelihood of strings, against all paths counted one by one."""

from __future__ import annotations

from itertools import groupby, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from edge_clm.page.likelihood import Edit, odds

CLASSES = 4


def all_strings(probabilities: NDArray[np.float32]) -> dict[tuple[int, ...], float]:
    """The probability of every string, over every path."""
    found: dict[tuple[int, ...], float] = {}
    for path in product(range(CLASSES), repeat=len(probabilities)):
        string = tuple(label for label, _ in groupby(path) if label)
        chance = float(np.prod([probabilities[step, one] for step, one in enumerate(path)]))
        found[string] = found.get(string, 0.0) + chance
    return found


def one_edit_away(string: tuple[int, ...], first: int, last: int) -> set[tuple[int, ...]]:
    others = range(1, CLASSES)
    found = {string[:at] + string[at + 1 :] for at in range(first, last)}
    for other in others:
        found |= {(*string[:at], other, *string[at + 1 :]) for at in range(first, last)}
        found |= {(*string[:at], other, *string[at:]) for at in range(first, last + 1)}
    return found - {string}


@settings(max_examples=150, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    steps=st.integers(1, 6),
    string=st.lists(st.integers(1, CLASSES - 1), min_size=1, max_size=4).map(tuple),
    part=st.tuples(st.floats(0, 1), st.floats(0, 1)),
)
def test_odds_are_those_of_all_paths(
    seed: int, steps: int, string: tuple[int, ...], part: tuple[float, float]
) -> None:
    """String and best rival, which differs within a part alone, are those of every path counted."""
    first = int(part[0] * (len(string) - 1))
    last = first + 1 + int(part[1] * (len(string) - first - 1))
    drawn = np.random.default_rng(seed).dirichlet(np.full(CLASSES, 0.5), steps)
    drawn = np.maximum(drawn, 1e-6).astype(np.float32)
    every = all_strings(drawn)
    told = odds(drawn, string, range(1, CLASSES), (first, last))
    if string in every:
        assert np.exp(told.string) == pytest.approx(every[string], rel=1e-5)
    rivals = {rival: every.get(rival, 0.0) for rival in one_edit_away(string, first, last)}
    best = max(rivals.values())
    if best:
        assert np.exp(told.rival) == pytest.approx(best, rel=1e-5)


def sure(*path: int, confidence: float = 0.97) -> NDArray[np.float32]:
    """Probabilities of a recogniser that is quite sure of a path."""
    rest = (1 - confidence) / (CLASSES - 1)
    rows = np.full((len(path), CLASSES), rest, np.float32)
    rows[np.arange(len(path)), path] = confidence
    return rows


def test_a_changed_digit_is_named() -> None:
    """Where the print has another digit, the rival is likelier and says which and where."""
    told = odds(sure(1, 0, 2, 0, 3), (1, 1, 3), range(1, CLASSES))
    assert told.ratio < -2
    assert (told.edit, told.at, told.other) == (Edit.CHANGED, 1, 2)


def test_a_lost_and_an_added_digit_are_named() -> None:
    """A digit that is not printed, and one that is printed and not in the string."""
    told = odds(sure(1, 0, 3, 0, 0), (1, 2, 3), range(1, CLASSES))
    assert (told.edit, told.at) == (Edit.LOST, 1)
    told = odds(sure(1, 0, 2, 0, 3), (1, 3), range(1, CLASSES))
    assert (told.edit, told.at, told.other) == (Edit.ADDED, 1, 2)


def test_what_is_printed_wins() -> None:
    """The printed string is likelier than every rival."""
    told = odds(sure(1, 0, 1, 0, 3, 3), (1, 1, 3), range(1, CLASSES))
    assert told.ratio > 2


def test_an_empty_string_is_refused() -> None:
    """There is nothing to be proven of nothing."""
    with pytest.raises(ValueError, match="empty"):
        odds(sure(0, 0), (), range(1, CLASSES))
