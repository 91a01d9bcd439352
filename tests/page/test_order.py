"""Reading order on tilted and bent paper."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.page.order import reading_order

# Left and right edge of each column: description, quantity, price, amount.
_COLUMNS = ((80, 420), (620, 650), (850, 940), (1180, 1290))


def _page(tilt: float, curl: float, rows: int = 18) -> np.ndarray:
    """Boxes of a table in reading order on paper that is tilted (degrees) and curled (pixels)."""
    boxes = [
        [(left, 44 * row), (right, 44 * row), (right, 44 * row + 26), (left, 44 * row + 26)]
        for row in range(rows)
        for left, right in _COLUMNS
    ]
    flat = np.array(boxes, np.float64)
    flat[..., 1] += curl * np.sin(flat[..., 0] / 1300 * np.pi)
    angle = np.radians(tilt)
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    return (flat @ turn.T).astype(np.float32)


@pytest.mark.parametrize("tilt", [-25, -10, 0, 10, 25])
@pytest.mark.parametrize("curl", [-60, 0, 60])
def test_rows_are_read_in_order(tilt: float, curl: float) -> None:
    """Every row is read whole, left to right, before the next, though rows overlap in height."""
    quads = _page(tilt, curl)
    shuffled = np.random.default_rng(3).permutation(len(quads))
    order = reading_order(quads[shuffled])
    assert [int(shuffled[index]) for index in order] == list(range(len(quads)))


@given(
    places=st.lists(
        st.tuples(st.integers(0, 3000), st.integers(0, 3000), st.integers(0, 900)), max_size=12
    )
)
@settings(deadline=None)
def test_every_line_is_read_once(places: list[tuple[int, int, int]]) -> None:
    """Whatever lies where, each line comes exactly once."""
    quads = np.array(
        [[(x, y), (x + w, y), (x + w, y + 20), (x, y + 20)] for x, y, w in places], np.float32
    ).reshape(-1, 4, 2)
    assert sorted(reading_order(quads)) == list(range(len(places)))


def test_a_single_line_and_none_are_in_order() -> None:
    """One line is first; no lines have no order."""
    assert reading_order(_page(20, 0)[:1]) == [0]
    assert reading_order(np.zeros((0, 4, 2), np.float32)) == []
