"""Plates without a capture: what is asked of them does not depend on it."""

from __future__ import annotations

import cv2
import numpy as np

from edge_clm.train.look.gallery import Plate
from edge_clm.train.pages.page import Box


def plate(rows: int = 12) -> Plate:
    """A sheet of numbers that all its looks show alike."""
    sheet = np.full((900, 640, 3), 245, np.uint8)
    lines: list[Box] = []
    for row in range(rows):
        foot = 70 + 66 * row
        text = f"Item {row}   {row * 137 % 1000}.{row * 29 % 100:02}"
        cv2.putText(sheet, text, (40, foot), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (25, 25, 30), 2)
        lines.append((40.0, foot - 20.0, 300.0, foot + 4.0))
    return Plate((sheet, sheet, sheet), tuple(lines), tuple(lines))
