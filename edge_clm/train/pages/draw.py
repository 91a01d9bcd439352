"""Seeded chance: every choice on a page comes from one generator."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")
_TEST_SHARE = 5
"""Of so many entries one is for tests only."""


def chance(*seeds: object) -> random.Random:
    """A generator that is the same in every process for the same seeds."""
    digest = hashlib.sha256("\x1f".join(map(str, seeds)).encode()).digest()
    return random.Random(int.from_bytes(digest, "big"))  # noqa: S311


def split_of(text: str) -> str:
    """Which split a word, a name or a layout belongs to: "train" or, for one in five, "test"."""
    digest = hashlib.sha256(text.casefold().encode()).digest()
    return "test" if digest[0] % _TEST_SHARE == 0 else "train"


def weighted(rng: random.Random, weights: Mapping[T, float]) -> T:
    """One of the keys, as often as its weight says."""
    keys = list(weights)
    return rng.choices(keys, [weights[key] for key in keys])[0]


def some(rng: random.Random, items: Sequence[T], least: int, most: int) -> list[T]:
    """Between `least` and `most` of the items, shuffled."""
    return rng.sample(list(items), min(len(items), rng.randint(least, most)))
