"""Where chance comes from: one seed, and a stream of its own for everything that is drawn."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TypeVar

import numpy as np

Chance = np.random.Generator
T = TypeVar("T")


def stream(seed: int, purpose: str) -> Chance:
    """A source of chance for one purpose, the same in every process.

    What one purpose draws does not shift what another does, so that a change to the light of a
    capture leaves its paper as it was.
    """
    digest = hashlib.sha256(f"{seed}/{purpose}".encode()).digest()
    return np.random.default_rng(int.from_bytes(digest[:16]))


def one_of(chance: Chance, things: Sequence[T], weights: Sequence[float] | None = None) -> T:
    """One of the things, all alike or by weight."""
    shares = None if weights is None else np.asarray(weights, np.float64) / sum(weights)
    return things[int(chance.choice(len(things), p=shares))]


def happens(chance: Chance, probability: float) -> bool:
    """True with that probability."""
    return bool(chance.random() < probability)


def between(chance: Chance, low: float, high: float) -> float:
    """A number between two, all alike."""
    return float(chance.uniform(low, high))


def either_side(chance: Chance, low: float, high: float) -> float:
    """A number whose size lies between two, of either sign."""
    return between(chance, low, high) * (1 if happens(chance, 0.5) else -1)
