"""Canonical pixels to what the vision tower takes, within limits that are ours."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from edge_clm.types import Pixels

MOST_TOKENS = 1280
"""Tokens of a picture where the model's own processor allows more: about a megapixel."""
MAX_RATIO = 190
"""Largest ratio of sides; the processors refuse 200 and above."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A page as patches."""

    pixel_values: torch.Tensor
    """float32, (patches, channels × frames × patch²)."""
    grid: torch.Tensor
    """int64, (1, 3): frames, rows and columns of patches."""
    tokens: int
    """How many tokens of the prompt it takes."""


class Pictures:
    """Makes pictures of at most a given number of pixels."""

    def __init__(self, processor: Any, pixels: int, page_tokens: int) -> None:
        """`pixels` 0 takes what suits the model; a picture never takes more than half the page state."""
        self._processor = processor
        self._side = processor.patch_size * processor.merge_size
        area = self._side**2
        least, most = int(processor.size["shortest_edge"]), int(processor.size["longest_edge"])
        most = min(pixels or min(most, MOST_TOKENS * area), page_tokens // 2 * area)
        self.max_pixels = max(most, area)
        self.min_pixels = min(least, self.max_pixels)

    def make(self, pixels: Pixels) -> Picture:
        """The picture of upright pixels, padded with white where they are too narrow for the processor."""
        size = {"shortest_edge": self.min_pixels, "longest_edge": self.max_pixels}
        # torch takes no array that it could not write to
        image = np.require(self._padded(pixels), requirements=["C", "W"])
        made = self._processor(
            images=[image], size=size, input_data_format="channels_last", return_tensors="pt"
        )
        grid = made["image_grid_thw"]
        tokens = int(grid.prod()) // self._processor.merge_size**2
        return Picture(made["pixel_values"], grid, tokens)

    def _padded(self, pixels: Pixels) -> Pixels:
        height, width, _ = pixels.shape
        ratio = min(MAX_RATIO, self.max_pixels // self._side**2)
        least = -(-max(height, width) // ratio)
        pad = ((0, max(0, least - height)), (0, max(0, least - width)), (0, 0))
        if not any(after for _, after in pad):
            return pixels
        return np.pad(pixels, pad, constant_values=255)
