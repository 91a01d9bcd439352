"""Lines that stand once on a known page and once, letter for letter, on a capture: both texts tell where."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from edge_clm.page.geometry import turned_points
from edge_clm.page.keypoints import Points
from edge_clm.paper import Line, PageText

_LETTERS = 5
"""Letters and digits of a line that is unlikely to be read out of something else."""
_PLACES = (0.0, 0.5, 1.0)
"""Shares of a line's length at which its middle is a landmark."""


@dataclass(frozen=True, slots=True, eq=False)
class Landmarks:
    """Points that are known to be the same, row by row."""

    known: Points
    """On the page."""
    seen: Points
    """On the capture."""


_NOWHERE = np.zeros((0, 2), np.float32)
NO_LANDMARKS = Landmarks(_NOWHERE, _NOWHERE)


def landmarks(known: PageText, seen: PageText) -> Landmarks:
    """The landmarks of two texts; those of the capture lie on its canonical pixels, as it was taken."""
    here, there = _single(known), _single(seen)
    both = [(here[text], there[text]) for text in here if text in there]
    if not both:
        return NO_LANDMARKS
    points = np.array([list(_middles(line)) for line, _ in both], np.float32).reshape(-1, 2)
    found = np.array([list(_middles(line)) for _, line in both], np.float32).reshape(-1, 2)
    return Landmarks(points, _as_taken(found, seen))


def _single(text: PageText) -> dict[str, Line]:
    """The lines whose letters stand on no other line, by these."""
    letters = {at: _letters(line.text) for at, line in enumerate(text.lines)}
    often = Counter(letters.values())
    return {
        what: text.lines[at]
        for at, what in letters.items()
        if often[what] == 1 and len(what) >= _LETTERS
    }


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum())


def _middles(line: Line) -> Iterator[tuple[float, float]]:
    a, b, c, d = line.quad
    first = ((a[0] + d[0]) / 2, (a[1] + d[1]) / 2)
    last = ((b[0] + c[0]) / 2, (b[1] + c[1]) / 2)
    for share in _PLACES:
        yield (
            first[0] + share * (last[0] - first[0]),
            first[1] + share * (last[1] - first[1]),
        )


def _as_taken(points: Points, text: PageText) -> Points:
    """Points of the upright capture on the capture as it was taken."""
    return turned_points(points, -text.turn, text.width, text.height)
