"""Marks that words do not show, found by the weights that are shipped."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest
import torch
from safetensors.torch import save_file

from edge_clm.errors import ModelDamaged, ModelMissing
from edge_clm.page.comparator import CELL, Comparator
from edge_clm.page.look import ABOVE, BELOW, FILE, HIGH, Look
from edge_clm.types import Pixels
from edge_clm.weights import sha256_of, shipped

TALL = round(HIGH * (1 + ABOVE + BELOW))
FOOT = round(HIGH * (ABOVE + 0.85))
WIDE = 240


@pytest.fixture(scope="module")
def look() -> Look:
    """The look that comes with the package."""
    return Look.load(shipped("look"))


def line(text: str = "Total 1,482.50", width: int = WIDE) -> Pixels:
    """A printed line between others, straightened."""
    pixels = np.full((TALL, width, 3), 236, np.uint8)
    for foot, said in ((FOOT - 40, "Tax 6 % 83.91"), (FOOT, text)):
        cv2.putText(
            pixels, said, (18, foot), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (40, 38, 42), 2, cv2.LINE_AA
        )
    return pixels


def struck(pixels: Pixels) -> Pixels:
    """The same with a line of the pen through its value."""
    marked = pixels.copy()
    cv2.line(marked, (92, FOOT - 6), (212, FOOT - 10), (30, 60, 170), 2, cv2.LINE_AA)
    return marked


def other_light(pixels: Pixels) -> Pixels:
    """The same under green light with a hard edge, a little softer, and two pixels off."""
    light = np.full(pixels.shape, (0.35, 0.9, 0.5), np.float32)
    light[:, WIDE // 2 :] = (0.8, 0.85, 0.95)
    moved = np.roll(pixels, (1, 2), (0, 1))
    soft = cv2.GaussianBlur(moved.astype(np.float32) * light, (0, 0), 0.9)
    return np.clip(soft, 0, 255).astype(np.uint8)


def test_light_is_no_mark_and_a_strike_is_one(look: Look) -> None:
    """A line under quite other light is called unmarked, and the same line struck out marked."""
    quiet, marked = look.lines(
        [(line(), other_light(line())), (line(), other_light(struck(line())))]
    )
    assert quiet < 0 < marked
    assert marked - quiet > 3


def test_a_mark_that_was_known_is_no_news(look: Look) -> None:
    """A line that was struck out when it was first seen is not marked anew; one whose strike is gone is."""
    before = struck(line())
    same, lost = look.lines([(before, other_light(before)), (before, other_light(line()))])
    assert same < 0 < lost


def test_words_above_a_line_are_seen(look: Look) -> None:
    """What is written over a value, above its own line, is a mark."""
    marked = line()
    cv2.putText(
        marked, "917", (120, FOOT - 30), cv2.FONT_HERSHEY_SCRIPT_SIMPLEX, 0.9, (180, 30, 40), 2
    )
    assert look.lines([(line(), other_light(marked))])[0] > 0


def test_each_pair_is_looked_at_alone(look: Look) -> None:
    """Pairs of other widths beside it do not change what is said of one, and no pairs say nothing."""
    pairs = [(line(), other_light(line())), (line(width=61), line(width=61))]
    assert look.lines(pairs) == [look.lines([pair])[0] for pair in pairs]
    assert look.lines([]) == []


def test_a_page_says_where_its_mark_is(look: Look) -> None:
    """Over a whole page the highest logit lies on the stamp, and what the capture does not show is unseen."""
    known = np.full((331, 400, 3), 240, np.uint8)
    for row in range(18):
        cv2.putText(
            known,
            f"Item {row * 37}   {row}.50",
            (20, 20 + 17 * row),
            cv2.FONT_HERSHEY_SIMPLEX,
            0.4,
            (30, 30, 30),
        )
    seen = known.copy()
    cv2.rectangle(seen, (226, 120), (346, 170), (200, 30, 40), 2)
    cv2.putText(seen, "PAID", (236, 158), cv2.FONT_HERSHEY_DUPLEX, 1.2, (200, 30, 40), 3)
    valid = np.ones((331, 400), np.bool_)
    valid[200:] = False
    told = look.page(known, seen, valid)
    assert told.shape == (-(-331 // CELL), 400 // CELL)
    row, column = np.unravel_index(int(told.argmax()), told.shape)
    assert 112 <= row * CELL <= 176
    assert 216 <= column * CELL <= 352
    assert (told[200 // CELL :] == -20).all()
    assert (told[: 190 // CELL] > -20).all()


def test_weights_say_who_they_are(look: Look) -> None:
    """The fingerprint is the digest of the weights' file, which is small."""
    path = shipped("look") / FILE
    assert look.fingerprint == sha256_of(path)
    assert path.stat().st_size <= 1_000_000


def test_weights_that_are_not_there_are_missing(tmp_path: Path) -> None:
    """A directory without weights is named as one to fill, not as a fault."""
    with pytest.raises(ModelMissing, match=FILE):
        Look.load(tmp_path)


def test_weights_of_another_network_are_damaged(tmp_path: Path) -> None:
    """Bytes that are no weights, and weights that are not this network's, do not load."""
    (tmp_path / FILE).write_bytes(b"no weights")
    with pytest.raises(ModelDamaged):
        Look.load(tmp_path)
    save_file({"eye.weight": torch.zeros(2)}, tmp_path / FILE)
    with pytest.raises(ModelDamaged):
        Look.load(tmp_path)


def test_the_comparator_is_small() -> None:
    """It has at most two hundred thousand parameters: it runs on every line, on one thread."""
    assert sum(one.numel() for one in Comparator().parameters()) <= 200_000
