"""A page found again on captures of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edge_clm.page.keypoints import keypoints_of
from edge_clm.page.register import Registration, register
from edge_clm.paper import PageKind
from edge_clm.train.capture import capture
from edge_clm.train.pages.make import page_of
from edge_clm.train.pages.page import GeneratedPage
from tests.train.conftest import reports

__all__ = ["reports"]
ENGLISH = frozenset({"en"})


@pytest.fixture(scope="module")
def page(reports: Path) -> GeneratedPage:
    """An invoice."""
    return page_of(PageKind.INVOICE, 11, "train", reports, ENGLISH)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_words_are_found_where_they_lie(page: GeneratedPage, seed: int) -> None:
    """Between two bent and badly lit photographs most words are placed within a third of their height."""
    first, second = capture(page.image, 100), capture(page.image, seed)
    found = register(keypoints_of(first.pixels), keypoints_of(second.pixels))
    assert found is not None
    quads = np.array([word.quad for word in page.words], np.float64)
    known, wanted = (one.warp.to_capture(quads) for one in (first, second))
    placed = found.places(known.reshape(-1, 2)).reshape(-1, 4, 2)
    height = np.linalg.norm(wanted[:, 3] - wanted[:, 0], axis=1)
    off = np.linalg.norm(placed.mean(axis=1) - wanted.mean(axis=1), axis=1) / height
    assert np.median(off) < 0.2
    assert np.mean(off < 0.34) > 0.7


def test_another_page_is_not_found(page: GeneratedPage, reports: Path) -> None:
    """What shows another page altogether is not registered, or to next to nothing of it."""
    other = page_of(PageKind.RECEIPT, 5, "train", reports, ENGLISH)
    found = register(keypoints_of(page.image), keypoints_of(capture(other.image, 1).pixels))
    assert found is None or len(found.points) < 40


@pytest.mark.parametrize(
    "tilt", [[0.0, 0.0, 0.0], [1e-3, 0.0, -0.4], [0.0, -2e-3, 1.0], [1e9, 1e9, 1e-9]]
)
def test_whatever_the_plane_places_are_near_the_capture(tilt: list[float]) -> None:
    """A page laid over the wrong capture may run off to infinity: what is asked for lies beside it at the farthest."""
    plane = np.array([[2.0, 0.1, 5.0], [0.2, 1.5, 9.0], tilt])
    points = np.random.default_rng(1).uniform(0, 800, (60, 2)).astype(np.float32)
    strays = np.random.default_rng(2).normal(0, 1e4, (60, 2)).astype(np.float32)
    found = Registration(plane, points, strays, np.ones(60, np.float32), 1000.0)
    placed = found.places(np.random.default_rng(3).uniform(0, 800, (200, 2)))
    assert np.isfinite(placed).all()
    assert placed.min() >= -1000
    assert placed.max() <= 2000
    assert np.isfinite(found.ribbon(((0, 0), (700, 3), (700, 30), (0, 28)))).all()


def test_a_blank_page_has_no_points() -> None:
    """White paper has nothing to find again, and is registered to nothing."""
    blank = keypoints_of(np.full((400, 300, 3), 255, np.uint8))
    assert not len(blank.points)
    assert register(blank, blank) is None
