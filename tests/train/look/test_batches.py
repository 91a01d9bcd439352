"""Batches that a process of its own draws."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from edge_clm.train.look.batches import Draw, batches
from edge_clm.train.look.gallery import photograph
from edge_clm.train.nano.pool import Recipe


def test_a_step_has_its_own_batch_whenever_it_is_drawn(reports: Path, tmp_path: Path) -> None:
    """A training that goes on at a step sees there what one that never stopped sees, and other things at each."""
    list(photograph(Recipe(1, "train", reports), 1, tmp_path))
    draw = Draw(tmp_path, pages=1, seed=5, count=2)
    whole = list(batches(draw, range(7)))
    assert [len(batch) for batch in whole] == [2] * 7
    (later,) = batches(draw, range(6, 7))
    for one, other in zip(whole[6], later, strict=True):
        assert np.array_equal(one.seen, other.seen)
        assert np.array_equal(one.wanted, other.wanted, equal_nan=True)
    assert len({batch[0].seen.tobytes() for batch in whole}) == 7
