"""Which of some pictures share most points with another, lying as points of one sheet do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import faiss
import numpy as np
from numpy.typing import NDArray

from edge_clm.features import CODE, FULL, Points

_BITS = 8 * CODE
_VOTED = 16
"""How many pictures with the most votes are looked at more closely."""
_NEIGHBOURS = 16
"""Of a point, among the points of all pictures; the last of them is taken to be like it by chance."""
_LIKER = 0.85
"""A point votes for the pictures with a point that it differs from in fewer bits than this share of those
that it differs in from the last of its neighbours."""
_DISTINCT = 0.85
"""The same between the likest and the next likest of one picture, for what is to lie on one sheet."""
_LOOSE = 0.03
"""Share of the longest side by which bent paper may stray from a plane."""
_LEAST = 6
"""Points that agree by chance."""
_ROUNDS = 1000


def likest(points: Points, others: Sequence[Points], most: int) -> list[tuple[int, int]]:
    """Which others agree best, at most `most`, best first: (place among the others, points that agree).

    Every point votes for the pictures that have a point much like it; of those with the most votes, the points are
    counted that lie on the other as one plane would have them. Left out are those where no more do so than by chance.
    """
    found = [(at, agreeing(points, others[at])) for at in _voted(points, others)]
    agreed = [one for one in found if one[1] > _LEAST]
    return sorted(agreed, key=lambda one: -one[1])[:most]


def agreeing(one: Points, other: Points) -> int:
    """How many points of a picture lie on another as a plane would have them, give or take what paper bends."""
    if len(one) <= _LEAST or len(other) <= _LEAST:
        return 0
    import cv2

    apart, nearest = _index(other.codes).search(one.codes, 2)
    distinct = apart[:, 0] < _DISTINCT * apart[:, 1]
    if int(distinct.sum()) <= _LEAST:
        return 0
    here, there = one.places[distinct], other.places[nearest[distinct, 0]]
    _, inlying = cv2.findHomography(
        here.astype(np.float32),
        there.astype(np.float32),
        cv2.USAC_MAGSAC,
        _LOOSE * FULL,
        maxIters=_ROUNDS,
        confidence=0.99,
    )
    return 0 if inlying is None else int(inlying.sum())


def _voted(points: Points, others: Sequence[Points]) -> list[int]:
    """Pictures with any votes, those with the most first, at most `_VOTED`."""
    counts = [len(one) for one in others]
    if not len(points) or not sum(counts):
        return []
    owners = np.repeat(np.arange(len(others)), counts)
    every = _index(np.concatenate([one.codes for one in others]))
    apart, nearest = every.search(points.codes, min(_NEIGHBOURS + 1, len(owners)))
    # Of few points all vote: there is no telling what is like by chance.
    liker = apart <= _LIKER * apart[:, -1:] if len(owners) > _NEIGHBOURS else apart >= 0
    voters = np.repeat(np.arange(len(points)), apart.shape[1]).reshape(apart.shape)
    # One point has one vote for a picture, however many of its points are like it.
    votes = np.unique(voters[liker] * len(others) + owners[nearest[liker]]) % len(others)
    tally = np.bincount(votes, minlength=len(others))
    order = np.argsort(-tally, kind="stable")[:_VOTED]
    return [int(at) for at in order if tally[at]]


def _index(codes: NDArray[np.uint8]) -> Any:
    index = faiss.IndexBinaryFlat(_BITS)
    index.add(codes)
    return index
