"""Pages written by hand: words laid on a grid."""

from __future__ import annotations

import math
from collections.abc import Sequence

from edge_clm.paper import Line, PageText, Quad

ADVANCE, HEIGHT, STEP = 10.0, 20.0, 34.0
"""Width of a character, height of a line, distance between rows; pixels."""


def page(
    *rows: str | Sequence[tuple[float, str]], tilt: float = 0.0, confidence: float = 1.0
) -> PageText:
    """A page of rows: a string starts at the left edge, pairs say at which x (pixels) a text stands.

    An empty string leaves a row free. `tilt` turns the page by so many degrees clockwise.
    """
    lines = []
    for place, row in enumerate(rows):
        parts = [(40.0, row)] if isinstance(row, str) else row
        top = 40 + place * STEP
        for left, text in parts:
            if text:
                lines.append(Line(text, _quad(left, top, len(text), tilt), confidence))
    return PageText(tuple(lines), 0, 1000, round(80 + STEP * max(len(rows), 1)))


def _quad(left: float, top: float, length: int, tilt: float) -> Quad:
    right, bottom = left + ADVANCE * length, top + HEIGHT
    corners = ((left, top), (right, top), (right, bottom), (left, bottom))
    cos, sin = math.cos(math.radians(tilt)), math.sin(math.radians(tilt))
    a, b, c, d = ((x * cos - y * sin, x * sin + y * cos) for x, y in corners)
    return a, b, c, d
