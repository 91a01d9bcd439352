"""Words that stand once on a page and once on a capture, and what registration makes of them."""

from __future__ import annotations

import numpy as np
import pytest

from edge_clm.page.geometry import turned
from edge_clm.page.keypoints import Keypoints
from edge_clm.page.landmarks import Landmarks, landmarks
from edge_clm.page.register import register
from edge_clm.paper import Line, PageText, Point

WIDTH, HEIGHT = 400, 600


def line(text: str, x: float, y: float) -> Line:
    """Eighty pixels of print whose middle begins at a point."""
    return Line(text, ((x, y - 5), (x + 80, y - 5), (x + 80, y + 5), (x, y + 5)), 0.99)


def text(*lines: Line, turn: int = 0, size: tuple[int, int] = (WIDTH, HEIGHT)) -> PageText:
    """An upright page."""
    return PageText(lines, turn, *size)


def test_a_line_that_both_have_once_is_known_by_three_points() -> None:
    """Its two ends and its middle, whatever its case and its spaces."""
    found = landmarks(
        text(line("Invoice No. 12", 10, 50)), text(line("INVOICE NO.12", 100, 80), line("x", 0, 0))
    )
    assert found.known.tolist() == [[10, 50], [50, 50], [90, 50]]
    assert found.seen.tolist() == [[100, 80], [140, 80], [180, 80]]


def test_what_stands_twice_or_says_little_is_no_landmark() -> None:
    """The same words on two lines may be either, and four letters are easily read out of others."""
    twice = text(line("Coffee", 0, 10), line("coffee", 0, 40), line("9.90", 0, 70))
    once = text(line("Coffee", 0, 10), line("9.90", 0, 70))
    for known, seen in ((twice, once), (once, twice), (once, text(line("Toffee", 0, 10)))):
        assert not len(landmarks(known, seen).known)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_landmark_lies_on_the_capture_as_it_was_taken(turn: int) -> None:
    """A page that lies on its side was read upright; its points are those of the picture before."""
    taken = np.zeros((HEIGHT, WIDTH, 3), np.uint8)
    x, y = 120, 340
    taken[y, x] = 255
    upright = turned(taken, turn)
    (row, column), *_ = np.argwhere(upright[..., 0])
    start: Point = (column + 0.5, row + 0.5)
    seen = text(line("Invoice 12", *start), turn=turn, size=(upright.shape[1], upright.shape[0]))
    found = landmarks(text(line("Invoice 12", 0, 0)), seen)
    assert found.seen[0].tolist() == [x + 0.5, y + 0.5]


def test_landmarks_lead_to_where_nothing_else_is_found() -> None:
    """Paper that curls away on one side, with no points there but the ends of words."""
    draw = np.random.default_rng(1)
    points = draw.uniform((0, 0), (1000, 1400), (600, 2)).astype(np.float32)
    flat = points[points[:, 0] < 600]
    features = draw.integers(0, 255, (len(flat), 128)).astype(np.uint8)
    page = Keypoints(flat, features, 1000, 1400)
    seen = Keypoints(_curled(flat), features, 1000, 1400)
    words = draw.uniform((620, 0), (980, 1400), (40, 2)).astype(np.float32)
    wanted = words[:10] + np.float32(4)
    plain = register(page, seen)
    led = register(page, seen, Landmarks(words, _curled(words)))
    assert plain is not None
    assert led is not None
    off, near = (
        np.linalg.norm(found.places(wanted.astype(np.float64)) - _curled(wanted), axis=1)
        for found in (plain, led)
    )
    assert np.median(off) > 20
    assert np.median(near) < 6


def _curled(points: np.ndarray) -> np.ndarray:
    """Where points of a page lie whose right side is seen foreshortened."""
    over = np.maximum(points[:, 0] - 600, 0)
    return np.stack([points[:, 0] - over**2 / 900, points[:, 1] + over**2 / 2500], axis=1).astype(
        np.float32
    )
