"""Pairs of looks, and what is to be said of them."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from edge_clm.page.comparator import CELL
from edge_clm.train.look.check import SORTS
from edge_clm.train.look.lesson import TALL, lesson
from tests.train.look.sheets import plate

WIDE = 192


def test_a_pair_without_a_change_is_quiet_everywhere() -> None:
    """However differently two looks are lit, nothing is wanted of them where nothing has changed."""
    for seed in range(20):
        one = lesson([plate()], WIDE, Random(seed), "train", "")
        assert one.sort == ""
        assert (one.wanted == 0).all()


def test_looks_of_a_pair_have_one_size() -> None:
    """Both looks are as high as a line with its surroundings, and each cell of eight pixels is asked."""
    one = lesson([plate()], WIDE, Random(1), "train")
    assert one.known.shape == one.seen.shape == (TALL, WIDE, 3)
    assert one.wanted.shape == (-(-TALL // CELL), WIDE // CELL)


@pytest.mark.parametrize("sort", SORTS)
def test_every_sort_of_change_is_mostly_seen(sort: str) -> None:
    """Of twenty changes of a sort half are plain to see somewhere, of signs and points a third; and most not everywhere."""
    drawn = [lesson([plate()], WIDE, Random(seed), "train", sort) for seed in range(20)]
    plain = [bool((one.wanted == 1).any()) for one in drawn]
    assert sum(plain) >= (7 if sort == "sign" else 10)
    assert sum(bool((one.wanted == 0).any()) for one in drawn) >= 15


def test_a_lesson_is_the_same_for_the_same_chance() -> None:
    """Two runs with one seed learn from the same pixels."""
    one, other = (lesson([plate()], WIDE, Random(7), "train", "pen") for _ in range(2))
    assert (one.known == other.known).all()
    assert (one.seen == other.seen).all()
    assert np.array_equal(one.wanted, other.wanted, equal_nan=True)
