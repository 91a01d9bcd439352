"""Finding the lines of text in a picture."""

from __future__ import annotations

import numpy as np

from edge_clm.page.engine import OcrEngine
from edge_clm.page.geometry import Quads, bgr, shrunk
from edge_clm.types import Pixels


class Detector:
    """An engine's detector on pictures of any size. Not thread-safe."""

    def __init__(self, engine: OcrEngine, side: int) -> None:
        self._engine = engine
        self._side = side

    def find(self, pixels: Pixels) -> Quads:
        """Boxes of lines in no order, in the picture's own coordinates, from the picture's top left."""
        small, scale = shrunk(pixels, self._side)
        return self._engine.find(bgr(small)) * np.float32(scale)
