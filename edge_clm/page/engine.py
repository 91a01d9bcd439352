"""What reading a page asks of an OCR engine; PaddleOCR and RapidOCR are two that can do it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from edge_clm.page.geometry import Quads
from edge_clm.types import Pixels


@dataclass(frozen=True, slots=True)
class Places:
    """The directories of the models, in PaddleOCR's layout whichever engine runs them."""

    detector: Path
    recogniser: Path
    orienter: Path | None

    def all(self) -> list[Path]:
        """Those that are there, in a fixed order."""
        return [self.detector, self.recogniser, *([self.orienter] if self.orienter else [])]


@dataclass(frozen=True, slots=True)
class OcrEngine:
    """An engine with its models loaded, driven model by model. Not thread-safe.

    Pictures are BGR as OpenCV has them: uint8, (height, width, 3), C-contiguous.
    """

    find: Callable[[Pixels], Quads]
    """Boxes of lines in no order, in the picture's own coordinates."""
    spell: Callable[[NDArray[np.float32]], NDArray[np.float32]]
    """Crops, (count, 3, `height`, width), BGR in −1…1, to probabilities, (count, steps, classes)."""
    classify: Callable[[Pixels], tuple[int, float]] | None
    """By how many degrees clockwise the page seems turned, and how sure that is; None to not ask."""
    alphabet: tuple[str, ...]
    """Characters of classes 1…; class 0 is the blank."""
    height: int
    """Of crops, pixels."""
    packages: Mapping[str, str]
    """Versions of all that shapes the text."""
