"""What training asks of the comparator, and that it learns it."""

from __future__ import annotations

import math
from random import Random

import numpy as np
import pytest
import torch

from edge_clm.page.comparator import Comparator
from edge_clm.train.look.check import SORTS, auroc, figures, threshold
from edge_clm.train.look.fit import Trainer, loss_of
from edge_clm.train.look.lesson import Lesson, lesson
from tests.train.look.sheets import plate


def lessons(seed: int) -> list[Lesson]:
    """A small batch, half of it struck out."""
    sorts = ("", "pen", "", "stamp")
    return [
        lesson([plate()], 96, Random(seed + at), "train", sort) for at, sort in enumerate(sorts)
    ]


def test_nobody_is_asked_what_nobody_can_say() -> None:
    """Cells without an answer and pairs whose change is plain nowhere cost nothing, whatever is said of them."""
    wanted = torch.full((1, 2, 2), math.nan)
    marked = torch.tensor([True])
    for said in (-9.0, 9.0):
        assert float(loss_of(torch.full((1, 2, 2), said), wanted, marked)) == 0


def test_a_mark_that_is_missed_costs_and_so_does_a_false_alarm() -> None:
    """The loss is least where the right cell's logit is high and all others are low."""
    wanted = torch.zeros(1, 2, 2)
    wanted[0, 0, 0] = 1
    marked = torch.tensor([True])
    missed = torch.full((1, 2, 2), -3.0)
    found, alarmed = missed.clone(), missed.clone()
    found[0, 0, 0] = alarmed[0, 0, 0] = alarmed[0, 1, 1] = 3
    best = float(loss_of(found, wanted, marked))
    for worse in (missed, alarmed):
        assert best < 0.5 * float(loss_of(worse, wanted, marked))


def test_a_comparator_learns_from_a_batch() -> None:
    """Shown one batch again and again, a comparator is far less wrong about it than at first."""
    torch.manual_seed(1)
    batch = lessons(3)
    losses = list(Trainer(Comparator(), 3e-3, 40, half=False).learn([batch] * 40))
    assert sum(losses[-5:]) < 0.5 * sum(losses[:5])


def test_training_goes_on_where_it_stopped() -> None:
    """Two steps, kept and gone on with, end at the weights that four steps end at."""
    batches = [lessons(seed) for seed in (10, 20, 30, 40)]
    torch.manual_seed(1)
    whole = Comparator()
    list(Trainer(whole, 1e-3, 4, half=False).learn(batches))
    torch.manual_seed(1)
    first = Trainer(Comparator(), 1e-3, 4, half=False)
    list(first.learn(batches[:2]))
    other = Comparator()
    second = Trainer(other, 1e-3, 4, half=False)
    second.resume(first.state())
    list(second.learn(batches[2:]))
    for one, two in zip(whole.state_dict().values(), other.state_dict().values(), strict=True):
        assert torch.allclose(one.float(), two.float(), atol=1e-6)


def test_auroc_counts_pairs_in_order() -> None:
    """Of four pairs of scores three in order and one tied make 0.875."""
    assert auroc(np.array([0.0, 1.0]), np.array([1.0, 2.0])) == pytest.approx(0.875)


def test_figures_are_taken_at_one_false_alarm_in_a_hundred() -> None:
    """Scores above all but one in a hundred of the quiet ones are found, those below are not."""
    quiet = np.arange(1000) / 1000
    assert threshold(quiet) == pytest.approx(0.989, abs=0.001)
    scores = {sort: np.empty(0) for sort in ("", *SORTS)}
    said = figures(scores | {"": quiet, "pen": np.array([0.5, 0.98, 0.995, 2.0])})
    assert set(said) == {"pen"}
    assert said["pen"]["found"] == 0.5
    assert said["pen"]["n"] == 4
