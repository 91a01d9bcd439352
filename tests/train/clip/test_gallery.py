"""Captures to learn from, look-alikes among them, and how they are varied."""

from __future__ import annotations

from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest

from edge_clm.page.geometry import shrunk
from edge_clm.page.ink import ink_of
from edge_clm.paper import PageKind
from edge_clm.train.clip.gallery import Plan, family, photograph, shown
from edge_clm.train.clip.lookalike import lookalike
from edge_clm.train.clip.vary import varied
from edge_clm.train.clip.words import CONTEXT, VOCABULARY, tokens_of
from edge_clm.train.pages.make import page_of
from edge_clm.train.pages.page import GeneratedPage
from edge_clm.types import Pixels


@pytest.fixture(scope="module")
def page(reports: Path) -> GeneratedPage:
    """An invoice in English."""
    return page_of(PageKind.INVOICE, 3, "train", reports, frozenset({"en"}), marked=0)


def test_a_gallery_is_captured_once(reports: Path, tmp_path: Path) -> None:
    """Each sheet of a family has its captures; what is there is left, and equal plans make equal ones."""
    plan = Plan(1, "train", reports, sheets=2, views=2)
    assert sorted(photograph(plan, 2, tmp_path / "one")) == [0, 1]
    assert list(photograph(plan, 2, tmp_path / "one")) == []
    (tmp_path / "one" / "0.json").unlink()
    before = shown(tmp_path / "one", 0, 1, 1)
    assert list(photograph(plan, 2, tmp_path / "one")) == [0]
    assert np.array_equal(before, shown(tmp_path / "one", 0, 1, 1))
    kept = family(plan, 1, tmp_path / "one")
    assert [len(views) for views in kept.views] == [2, 2]
    assert max(max(ink.shape) for views in kept.views for ink in views) == 256
    assert kept.words[0] > 0


def test_a_lookalike_is_laid_out_alike_and_says_something_else(page: GeneratedPage) -> None:
    """It is nearer to its page than another page is, on the whole far nearer, and yet much of its print is
    another."""
    small, _ = shrunk(page.image, 640)
    alike = [lookalike(page, 640, Random(seed)) for seed in range(4)]
    other = page_of(PageKind.RECEIPT, 1).image
    away = [apart(small, sheet) / apart(small, other) for sheet in alike]
    assert max(away) < 1
    assert np.mean(away) < 0.7
    for sheet in alike:
        assert sheet.shape[1] == small.shape[1]
        assert np.mean(ink_of(sheet)[:300] != ink_of(small)[:300]) > 0.01
    assert not np.array_equal(alike[0], alike[1])
    assert np.array_equal(alike[0], lookalike(page, 640, Random(0)))


def apart(one: Pixels, other: Pixels) -> float:
    """How differently ink is spread over two pictures."""
    first, second = (
        cv2.resize(ink_of(pixels), (24, 32), interpolation=cv2.INTER_AREA).astype(np.float32)
        for pixels in (one, other)
    )
    return float(np.abs(first - second).mean())


def test_varied_ink_is_a_square_of_the_same_print() -> None:
    """A mark stays one mark, wherever it comes to lie; half the ink may be hidden, not all of it."""
    ink = np.zeros((256, 180), np.uint8)
    ink[100:140, 60:120] = 255
    seen = [varied(ink, 64, Random(seed)) for seed in range(30)]
    assert {one.shape for one in seen} == {(64, 64)}
    assert all(20 < (one > 60).sum() < 400 for one in seen)
    assert np.array_equal(seen[3], varied(ink, 64, Random(3)))


def test_words_become_numbers() -> None:
    """Words of any script and case have numbers that end with the highest; too many are cut."""
    first = tokens_of(["Total: 12.50", "总额"])
    assert first.shape == (CONTEXT,)
    assert list(first[:5] > 0) == [True] * 5
    assert first[4] == VOCABULARY - 1 == first.max()
    assert not first[5:].any()
    assert np.array_equal(first, tokens_of(["TOTAL 12 50 总额"]))
    assert tokens_of(["word"] * 500)[-1] == VOCABULARY - 1
    assert tokens_of([])[0] == VOCABULARY - 1
