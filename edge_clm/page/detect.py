"""Finding the lines of text in a picture."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from edge_clm.page.geometry import Quads, shrunk
from edge_clm.page.runtime import load_predictor
from edge_clm.types import Pixels


class Detector:
    """A PP-OCR text detector, with the thresholds of its directory's inference.yml. Not thread-safe."""

    def __init__(self, directory: Path, engine: str, threads: int, side: int) -> None:
        self._module = load_predictor("detector", directory, engine, threads)
        self._side = side

    def find(self, pixels: Pixels) -> Quads:
        """Boxes of lines in no order, in the picture's own coordinates, from the picture's top left."""
        small, scale = shrunk(pixels, self._side)
        found = self._module.predict(
            np.ascontiguousarray(small[:, :, ::-1]),
            limit_side_len=self._side,
            limit_type="max",
        )
        quads = np.asarray(found[0]["dt_polys"], np.float32).reshape(-1, 4, 2)
        return quads * np.float32(scale)
