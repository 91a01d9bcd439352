"""Inks of stamps and pens."""

from __future__ import annotations

from edge_clm.train.pages.type import Colour

INKS: dict[str, Colour] = {
    "red": (200, 30, 40),
    "blue": (30, 60, 170),
    "green": (20, 130, 70),
    "purple": (110, 40, 140),
    "black": (30, 30, 30),
}
"""Names as people say them."""
