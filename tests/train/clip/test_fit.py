"""A tower that learns to tell sheets apart, broken off and gone on with."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest
import torch

from edge_clm.page.clip import WEIGHTS, Clip
from edge_clm.page.ink import ink_of
from edge_clm.train.clip.fit import Batch, Trainer
from edge_clm.train.clip.tower import NAME, make, save
from edge_clm.train.clip.vary import varied
from edge_clm.train.clip.words import tokens_of
from tests.train.capture.sheets import printed

SIDE = 64
PAGES = 4


@pytest.fixture(scope="module")
def batches() -> list[Batch]:
    """Four pages of rows of strokes, seen twice in every batch."""
    inks = [ink_of(printed((310, 438), seed)) for seed in range(PAGES)]
    words = torch.from_numpy(np.stack([tokens_of([f"page {seed}"]) for seed in range(PAGES)]))
    return [
        Batch(
            torch.from_numpy(
                np.stack([[varied(ink, SIDE, Random(step)) for ink in inks] for _ in range(2)])
            ),
            words,
        )
        for step in range(12)
    ]


@pytest.mark.parametrize("half", [False, True])
def test_a_tower_learns_which_captures_are_of_one_sheet(
    batches: list[Batch], *, half: bool
) -> None:
    """After some steps the loss is a fraction of what it was, and no capture is taken for another sheet's."""
    trainer = Trainer(make(1, SIDE), 1e-3, 36, half=half)
    told = list(trainer.learn(batches * 3))
    assert told[-1].loss < 0.3 * told[0].loss
    assert told[-1].right == 1


def test_training_goes_on_where_it_broke_off(batches: list[Batch]) -> None:
    """Six steps and then two are the same as eight."""
    whole, first, second = (Trainer(make(1, SIDE), 1e-3, 8, half=False) for _ in range(3))
    straight = list(whole.learn(batches[:8]))
    list(first.learn(batches[:6]))
    second.resume(first.state())
    assert [one.loss for one in second.learn(batches[6:8])] == pytest.approx(
        [one.loss for one in straight[6:]], rel=1e-4
    )


def test_what_is_kept_is_what_open_clip_loads(tmp_path: Path) -> None:
    """The directory gives the vectors of the model in memory but for float16, in less than 40 MB."""
    model = make(2)
    place = save(model, tmp_path)
    assert (place / WEIGHTS).stat().st_size < 40e6
    clip = Clip.load(tmp_path, str(place))
    page = printed(seed=5)
    with torch.inference_mode():
        prepared = clip._prepare(_as_seen(page))[None]
        wanted = torch.nn.functional.normalize(model.eval().encode_image(prepared), dim=-1)[0]
    assert clip.embed(page) @ wanted.numpy() == pytest.approx(1, abs=1e-3)
    assert place.name == NAME


def _as_seen(page: np.ndarray) -> object:
    from PIL import Image

    return Image.fromarray(np.repeat(ink_of(page)[..., None], 3, axis=2))
