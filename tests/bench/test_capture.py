"""The bench of simulated captures: how words are compared, and which pictures are."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from bench.capture import Picture, Read, common, figures_of


def read(sheet: str, words: str, bend: str = "flat", light: str = "bright") -> Read:
    return Read(
        Picture(sheet, bend, light, lambda: np.zeros((1, 1, 3), np.uint8)), Counter(words.split())
    )


def test_words_in_common_count_as_often_as_they_occur() -> None:
    """A word that one picture has twice and the other once is one word in common."""
    assert common(Counter(["a", "a", "b"]), Counter(["a", "b", "c"])) == pytest.approx(4 / 6)
    assert common(Counter("a"), Counter("a")) == 1
    assert common(Counter("a"), Counter()) == 0
    assert common(Counter(), Counter()) == 1


def test_only_pictures_of_one_sheet_are_compared() -> None:
    """Pairs are of one sheet, and each picture stands against its own flat, by bend and light as well."""
    figures = figures_of(
        {
            "flat": [read("1", "a b"), read("2", "x y")],
            "capture": [read("1", "a b"), read("1", "a c", "curled"), read("2", "x y")],
            "real": [read("1", "a b"), read("2", "x z", light="shadow")],
        }
    )
    told = {key: (figure.value, figure.n) for key, figure in figures.items()}
    assert told["capture.words.median"] == (0.5, 1)
    assert "real.words.median" not in told
    assert told["capture.flat.median"] == (1.0, 3)
    assert told["real.flat.median"] == (0.75, 2)
    assert told["capture.flat.curled.mean"] == (0.5, 1)
    assert told["real.flat.shadow.mean"] == (0.5, 1)
