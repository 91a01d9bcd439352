"""What cells of a picture hold, and a tower that learns to say it."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
import torch

from edge_clm.config import Model
from edge_clm.model.load import load
from edge_clm.model.picture import Pictures
from edge_clm.model.tokens import Tokens
from edge_clm.paper import Quad
from edge_clm.train.nano.eyes import Eyes, Look, Oculist, awake, seen_right, tower_of
from edge_clm.train.nano.pool import Recipe
from edge_clm.train.nano.sights import CLASSES, Sight, photograph, sights
from edge_clm.train.pages.page import Mark, box
from tests.model.conftest import _save_tiny, models

__all__ = ["models"]

RED = (200, 30, 40)


def stamped(at: Quad, sort: str = "stamp", side: int = 280) -> Sight:
    """A white square picture with a red mark."""
    pixels = np.full((side, side, 3), 255, np.uint8)
    (left, top), _, (right, bottom), _ = at
    pixels[round(top) : round(bottom), round(left) : round(right)] = RED
    return Sight(pixels, (), (Mark(sort, "PAID", "red", at),))


def held(sight: Sight, name: str) -> set[tuple[int, int]]:
    """Row and column of the cells that hold a thing."""
    rows, columns = np.nonzero(sight.cells()[:, CLASSES.index(name)].reshape(10, 10))
    return {(int(row), int(column)) for row, column in zip(rows, columns, strict=True)}


def test_cells_hold_what_lies_on_them() -> None:
    """A stamp over two cells is in those two, with its colour and its word, and in no other."""
    sight = stamped(box(28, 56, 84, 84))
    assert held(sight, "stamp") == held(sight, "red") == held(sight, "paid") == {(2, 1), (2, 2)}
    assert not held(sight, "signature")


def test_a_varied_picture_takes_its_marks_along() -> None:
    """However a picture is turned and shifted, its red pixels lie in the cells said to be red."""
    for seed in range(20):
        sight = stamped(box(84, 112, 168, 168)).varied(Random(seed))
        red = (sight.pixels[..., 0] > 90) & (sight.pixels[..., 1] < 90)
        share = red.reshape(10, 28, 10, 28).mean(axis=(1, 3))
        inside = {(int(r), int(c)) for r, c in zip(*np.nonzero(share > 0.3), strict=True)}
        assert inside
        assert inside <= held(sight, "red")


def test_a_gallery_is_photographed_once(reports: Path, tmp_path: Path) -> None:
    """Marked pages are drawn and photographed into a directory, and those that are there are left."""
    recipe = Recipe(1, "train", reports)
    assert len(list(photograph(recipe, 2, tmp_path))) == 2
    assert list(photograph(recipe, 2, tmp_path)) == []
    shown = sights(tmp_path)
    assert len(shown) == 2
    for sight in shown:
        assert sight.pixels.shape[0] % 28 == sight.pixels.shape[1] % 28 == 0
        assert sight.cells()[:, 0].any()
    assert any(sight.marks for sight in shown)


@pytest.fixture
def parts(models: Path, tmp_path: Path) -> Any:
    """A small random model with its tokenizer and image processor."""
    _save_tiny("qwen2_5_vl", models / "nano", tmp_path / "qwen2_5_vl")
    return load(Model(name=str(tmp_path / "qwen2_5_vl"), device="cpu", threads=1))


def test_a_tower_learns_what_cells_hold(parts: Any) -> None:
    """After some steps on a stamp and a signature both are seen where they are and not where not."""
    parts.model.requires_grad_(requires_grad=False)
    parts.model.model.visual.requires_grad_(requires_grad=True)
    awake(parts.model, 1)
    eyes = Eyes(parts.model, Tokens(parts.tokenizer).plain)
    pictures = Pictures(parts.pictures, 0, 10_000)
    looks = []
    for sort in ("stamp", "signature"):
        sight = stamped(box(28, 56, 168, 112), sort, 224)
        if sort == "signature":
            sight.pixels[...] = 255 - sight.pixels
        picture = pictures.make(sight.pixels)
        looks.append(Look(picture.pixel_values, picture.grid, torch.from_numpy(sight.cells())))
    losses = list(Oculist(eyes, 3e-3, 60).learn([looks] * 60))
    assert losses[-1] < 0.4 * losses[0]
    figures = seen_right(eyes, looks)
    assert figures["stamp"][:2] == (1.0, 1.0)
    assert figures["signature"][:2] == (1.0, 1.0)
    assert {one.dtype for one in tower_of(parts.model).values()} == {torch.float16}
