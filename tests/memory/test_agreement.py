"""Which pictures share most points with another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from edge_clm.features import FULL, Points
from edge_clm.memory.agreement import agreeing, likest
from tests.memory.samples import points

SEEDS = st.integers(0, 10_000)


def seen_again(one: Points, rng: np.random.Generator, share: float) -> Points:
    """A share of the points of a picture among as many others, a few bits off, smaller and turned."""
    kept = rng.permutation(len(one))[: int(share * len(one))]
    codes = one.codes[kept].copy()
    for code in codes:
        for bit in rng.choice(128, 6, replace=False):
            code[bit // 8] ^= np.uint8(1 << (bit % 8))
    x, y = one.places[kept].T / FULL - 0.5
    moved = np.stack([0.5 + 0.7 * y, 0.5 - 0.7 * x], axis=1)
    strangers = points(int(rng.integers(1 << 30)), len(kept))
    return Points(np.concatenate([codes, strangers.codes]), _joined(moved, strangers.places))


def _joined(places: NDArray[np.float64], others: NDArray[np.uint16]) -> NDArray[np.uint16]:
    return np.concatenate([(places * FULL).astype(np.uint16), others])


@settings(max_examples=40, deadline=None)
@given(SEEDS, st.sampled_from([0.3, 0.6, 1.0]))
def test_a_sheet_is_found_among_others(seed: int, share: float) -> None:
    """By a share of its points, a few bits off, however it is turned."""
    others = [points(seed + at) for at in range(30)]
    query = seen_again(others[17], np.random.default_rng(seed), share)
    (first, agreed), *_ = likest(query, others, 4)
    assert first == 17
    assert agreed >= 0.8 * share * len(others[17])


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_strangers_agree_with_none(seed: int) -> None:
    """What agrees by chance alone is not told."""
    assert likest(points(seed), [points(seed + at) for at in range(1, 20)], 4) == []


@given(SEEDS)
@settings(max_examples=20, deadline=None)
def test_points_that_lie_elsewhere_do_not_agree(seed: int) -> None:
    """The same codes strewn over another sheet are no sheet seen again."""
    one = points(seed)
    strewn = replace(one, places=points(seed + 1).places)
    assert agreeing(one, one) == len(one)
    assert agreeing(one, strewn) < len(one) / 4


def test_siblings_are_both_told() -> None:
    """One sheet known twice, as ordered and as paid, hides neither from the other."""
    one = points(1)
    assert {at for at, _ in likest(one, [points(2), one, one, points(3)], 4)} == {1, 2}


@pytest.mark.parametrize("count", [0, 1, 3, 6])
def test_few_points_agree_with_nothing(count: int) -> None:
    """A picture that is nearly blank recalls nothing, and is recalled by nothing."""
    few, one = points(1, count), points(1)
    assert likest(few, [one, few], 4) == []
    assert likest(one, [few], 4) == []
    assert likest(few, [], 4) == []
