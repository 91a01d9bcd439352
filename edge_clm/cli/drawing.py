"""Two captures side by side, with what became of every line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PIL import Image, ImageDraw

if TYPE_CHECKING:
    from edge_clm.compared import Compared
    from edge_clm.types import Pixels

_HIGH = 1400
"""Pixels of either picture's height."""
_AGREES, _CONFLICTS = 2.0, -2.0
"""Nats; the verdict has bounds of its own, these only choose colours."""
_GREEN, _AMBER, _RED = (0, 150, 60), (230, 150, 0), (220, 30, 30)

Polygon = Sequence[tuple[float, float]]


def drawn(found: Compared) -> Image.Image:
    """The known page on the left, the capture on the right; lines in the colour of their ratio."""
    known, first = _shown(found.known)
    capture, second = _shown(found.capture)
    for quad, ribbon, ratio in found.lines:
        colour = _colour(ratio)
        around = [*ribbon[:, 0].tolist(), *ribbon[::-1, 1].tolist()]
        _frame(known, list(quad), first, colour)
        _frame(capture, around, second, colour)
    whole = Image.new("RGB", (known.width + capture.width, _HIGH), "white")
    whole.paste(known, (0, 0))
    whole.paste(capture, (known.width, 0))
    return whole


def _shown(pixels: Pixels) -> tuple[Image.Image, float]:
    """A picture at the height of the drawing, and how many of its pixels one of the old ones is."""
    scale = _HIGH / pixels.shape[0]
    size = (max(1, round(pixels.shape[1] * scale)), _HIGH)
    return Image.fromarray(pixels).resize(size, Image.Resampling.BOX), scale


def _frame(
    picture: Image.Image, corners: Polygon, scale: float, colour: tuple[int, int, int]
) -> None:
    points = [(x * scale, y * scale) for x, y in corners]
    ImageDraw.Draw(picture).polygon(points, outline=colour, width=2)


def _colour(ratio: float) -> tuple[int, int, int]:
    if ratio >= _AGREES:
        return _GREEN
    return _RED if ratio <= _CONFLICTS else _AMBER
