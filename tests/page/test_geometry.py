"""Cutting lines out of pictures."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.page.geometry import (
    along_text,
    as_quad,
    crop,
    shrunk,
    sides,
    turned,
    turned_quad,
    unrolled,
)
from edge_clm.paper import Quad

_PAGE = np.random.default_rng(7).integers(0, 256, (90, 140, 3), dtype=np.uint8)
_place = st.floats(-400, 400, allow_nan=False, width=32)
_corners = st.lists(st.tuples(_place, _place), min_size=4, max_size=4)


def _box(left: float, top: float, right: float, bottom: float) -> np.ndarray:
    return np.array([[left, top], [right, top], [right, bottom], [left, bottom]], np.float32)


def test_a_straight_box_is_cut_out_as_it_is() -> None:
    """An upright rectangle inside the picture comes out with its own pixels."""
    flat = crop(_PAGE, as_quad(_box(20, 30, 80, 50)))
    assert np.abs(flat.astype(int) - _PAGE[30:50, 20:80]).max() <= 1


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_box_turned_with_its_picture_is_the_same_crop(turn: int) -> None:
    """The quad, not the picture, says which way up the text is."""
    box, (height, width) = _box(20, 30, 80, 50), _PAGE.shape[:2]
    x, y = box.T
    moved = {0: (x, y), 90: (height - y, x), 180: (width - x, height - y), 270: (y, width - x)}
    flat = crop(turned(_PAGE, turn), as_quad(np.stack(moved[turn], axis=1)))
    assert np.abs(flat.astype(int) - _PAGE[30:50, 20:80]).max() <= 1


@given(corners=_corners)
@settings(deadline=None)
def test_any_quad_gives_a_crop(corners: list[tuple[float, float]]) -> None:
    """Flat, folded over or far outside the picture: a crop comes out, of at least one pixel."""
    flat = crop(_PAGE, as_quad(np.array(corners, np.float32)))
    assert flat.dtype == np.uint8 and flat.shape[2] == 3 and flat.size > 0
    assert flat.flags.c_contiguous


@given(
    places=st.lists(st.tuples(*[st.floats(-1e5, 1e5, width=32)] * 2), min_size=4, max_size=12),
)
@settings(deadline=None, max_examples=30)
def test_any_ribbon_gives_a_picture_of_bounded_size(places: list[tuple[float, float]]) -> None:
    """However far off and however long a bent line is, no more is cut out than any line has."""
    ribbon = np.array(places[: len(places) // 2 * 2], np.float32).reshape(-1, 2, 2)
    seen = unrolled(np.full((90, 70, 3), 7, np.uint8), ribbon)
    assert 1 <= seen.shape[0] * seen.shape[1] <= 16_000_000
    assert (seen == 7).all()


def test_tall_boxes_start_where_their_text_starts() -> None:
    """A box that text runs down starts at its top right; a lone character stays upright."""
    wide, down, lone = _box(0, 0, 100, 20), _box(200, 0, 220, 100), _box(300, 0, 314, 26)
    result = along_text(np.stack([wide, wide, down, lone]))
    assert np.array_equal(result[0], wide) and np.array_equal(result[3], lone)
    assert result[2].tolist() == [[220, 0], [220, 100], [200, 100], [200, 0]]
    assert sides(result).tolist() == [[100, 20], [100, 20], [100, 20], [14, 26]]


def test_pictures_shrink_but_never_grow() -> None:
    """The longest side ends at the bound or below, whatever the shape."""
    small, scale = shrunk(_PAGE, 70)
    assert small.shape == (45, 70, 3) and scale == 2
    same, one = shrunk(_PAGE, 140)
    assert same is _PAGE and one == 1
    assert shrunk(np.zeros((5000, 2, 3), np.uint8), 100)[0].shape == (100, 1, 3)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_quad_turns_with_its_picture(turn: int) -> None:
    """What it frames is the same before and after, and reads the same way."""
    pixels = np.random.default_rng(1).integers(0, 255, (40, 60, 3), np.uint8)
    quad: Quad = ((10, 5), (30, 5), (30, 15), (10, 15))
    there = turned_quad(quad, turn, 60, 40)
    assert np.array_equal(crop(turned(pixels, turn), there), crop(pixels, quad))
