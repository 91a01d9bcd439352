"""Pages drawn with a real font, for the real OCR."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image, ImageDraw, ImageFont

from edge_clm.types import Pixels

SIZE = 26
"""Height of the print, pixels."""
STEP = 52
WIDTH = 1300
_FONTS = Path("/usr/share/fonts/truetype/dejavu")

Row = str | Sequence[tuple[float, str]]


def sheet(
    *rows: Row, font: str = "DejaVuSans.ttf", rules: bool = False, turn: float = 0.0
) -> Pixels:
    """A page of rows: a string starts at the left edge, pairs say at which x (pixels) a text stands.

    `rules` draws a line under each row; `turn` turns the page by so many degrees counter-clockwise.
    """
    if not (_FONTS / font).is_file():
        pytest.skip(f"no font {font}")
    face = ImageFont.truetype(str(_FONTS / font), SIZE)
    image = Image.new("RGB", (WIDTH, STEP * len(rows) + 120), "white")
    draw = ImageDraw.Draw(image)
    for place, row in enumerate(rows):
        top = 60 + place * STEP
        for left, text in [(50.0, row)] if isinstance(row, str) else row:
            draw.text((left, top), text, fill="black", font=face)
        if rules:
            draw.line((40, top + STEP - 10, WIDTH - 40, top + STEP - 10), fill="gray", width=2)
    turned = image.rotate(turn, expand=True, fillcolor="white", resample=Image.Resampling.BICUBIC)
    return np.array(turned)
