"""The points that pages are recalled by, on pictures of print."""

from __future__ import annotations

import numpy as np
import pytest

from edge_clm.memory.agreement import agreeing
from edge_clm.page.geometry import turned
from edge_clm.page.points import MOST, points_of
from tests.train.capture.sheets import printed


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_page_has_its_points_in_other_light_and_any_way_up(turn: int) -> None:
    """Many more in common than with another page."""
    page, other = printed((900, 640), 1), printed((900, 640), 2)
    seen = turned((page * 0.6).astype(np.uint8), turn)
    points = points_of(seen)
    assert 0 < len(points) <= MOST
    assert agreeing(points, points_of(page)) > 4 * agreeing(points, points_of(other)) + 20


def test_the_same_pixels_have_the_same_points() -> None:
    """Bit by bit: they are kept, and compared with later."""
    page = printed((400, 300), 1)
    assert points_of(page).encoded() == points_of(page.copy()).encoded()


@pytest.mark.parametrize("size", [(1, 1), (3, 900), (700, 2), (640, 640)])
def test_a_blank_picture_has_none(size: tuple[int, int]) -> None:
    """Of whatever size."""
    assert len(points_of(np.full((*size, 3), 255, np.uint8))) == 0
