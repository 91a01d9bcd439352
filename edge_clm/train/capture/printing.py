"""What a printer makes of a page: fainter ink on tinted paper, a little run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from edge_clm.train.capture.chance import between, stream
from edge_clm.train.capture.grid import Size
from edge_clm.train.capture.hardness import Hardness
from edge_clm.types import Pixels


@dataclass(frozen=True, slots=True)
class Printing:
    """How a page is printed."""

    ink: float
    """0…1, how much of the ink there is."""
    paper: tuple[float, float, float]
    """0…1, what white paper gives back of each colour."""
    run: float
    """By how much ink has run, thousandths of the page's longest side."""

    def prints(self, pixels: Pixels) -> Pixels:
        """The printed page, of the same size."""
        import cv2

        steps = 255 - (255 - np.arange(256)) * self.ink
        table = np.rint(steps[:, None] * np.array(self.paper)).astype(np.uint8)[None]
        printed = np.asarray(cv2.LUT(np.ascontiguousarray(pixels), table), np.uint8)
        spread = self.run / 1000 * max(pixels.shape[:2])
        if spread < 0.3:
            return printed
        return np.asarray(cv2.GaussianBlur(printed, (0, 0), spread), np.uint8)


def draw_printing(seed: int, hardness: Hardness) -> Printing:
    """How one page is printed."""
    chance = stream(seed, "printing")
    white = between(chance, 0.92, 1.0)
    red, green, blue = white - chance.uniform(0, 0.03, 3)
    fading = between(chance, 0.0, 0.28) * hardness.severity
    run = between(chance, 0.0, 0.45) * hardness.severity
    return Printing(1 - min(fading, 0.8), (red, green, blue), run)


def reduced(pixels: Pixels, share: float) -> Pixels:
    """A picture with `share` of its pixels along each side, as a lens would mix them."""
    import cv2

    if share >= 1:
        return pixels
    height, width = pixels.shape[:2]
    size: Size = (max(1, round(width * share)), max(1, round(height * share)))
    return np.asarray(cv2.resize(pixels, size, interpolation=cv2.INTER_AREA), np.uint8)
