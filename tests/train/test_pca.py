"""Main directions, and how many of them tell the same question from another."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from edge_clm.train.nano.pool import Recipe, perfect
from edge_clm.train.pca import Said, Vectors, asked_twice, f1, fitted

HIDDEN = 12


def answers(rng: np.random.Generator, noise: float) -> list[Said]:
    """Two wordings of five questions about each of six pages; what is asked lies in the first four directions."""
    told = []
    for page in range(6):
        for concept in "abcde":
            meant = np.zeros(HIDDEN)
            meant[:4] = 10 * rng.normal(size=4)
            for _ in range(2):
                vector = meant + noise * rng.normal(size=HIDDEN)
                told.append(Said(page, concept, "9.00", vector))
    return told


def stacked(told: list[Said]) -> Vectors:
    return np.stack([one.vector for one in told])


def test_directions_are_found_in_the_order_of_what_varies() -> None:
    """Each of unit length and square to the others, the mean taken away."""
    rng = np.random.default_rng(1)
    spread = np.array([1.0, 9.0, 3.0, *np.zeros(HIDDEN - 3)])
    found = fitted(5 + spread * rng.normal(size=(400, HIDDEN)))
    assert np.abs(found.axes[:3].numpy()).argmax(1).tolist() == [1, 2, 0]
    assert np.allclose(found.axes @ found.axes.T, np.eye(HIDDEN), atol=1e-4)
    assert np.allclose(found.mean, 5, atol=1.5)


def test_what_is_plain_is_told_and_what_is_noise_is_not() -> None:
    """Wordings of one question that lie together are told from others; in noise alone they are not."""
    for noise, least, most in ((0.1, 0.99, 1.0), (1000.0, 0.0, 0.7)):
        told = answers(np.random.default_rng(2), noise)
        assert least <= f1(told, fitted(stacked(told))) <= most


def test_too_few_directions_tell_less() -> None:
    """One of the four in which what is asked lies is not enough."""
    told = answers(np.random.default_rng(3), 0.5)
    found = fitted(stacked(told))
    assert f1(told, found, 1) < f1(told, found, 4)


@pytest.mark.parametrize("number", range(4))
def test_each_question_is_asked_in_two_wordings(number: int, reports: Path) -> None:
    """Both have one answer, and no words in common order."""
    recipe = Recipe(1, "train", reports)
    asked = asked_twice(perfect(recipe.draw(number)), recipe, number)
    assert asked
    for one, other in zip(asked[::2], asked[1::2], strict=True):
        assert (one.concept, one.answer) == (other.concept, other.answer)
        assert one.question != other.question
