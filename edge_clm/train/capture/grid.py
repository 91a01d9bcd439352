"""Smooth fields over a picture, known at nodes and bilinear between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Field = NDArray[np.float32]
Points = NDArray[np.float64]
"""float64, (…, 2): points as (x, y) in pixels, counted from the picture's top left corner: its first
pixel spans 0…1."""
Size = tuple[int, int]
"""Width and height, pixels."""


@dataclass(frozen=True, slots=True, eq=False)
class Grid:
    """Values at nodes `step` pixels apart; node k of a row lies at x = (k − ½) · step."""

    values: Field
    """float32, (rows, columns, channels)."""
    step: int

    def at(self, points: Points) -> Points:
        """The values at points, (…, channels); beyond the outermost nodes the field goes on straight."""
        shape = np.array(self.values.shape[1::-1])
        at = np.asarray(points, np.float64) / self.step + 0.5
        node = np.clip(np.floor(at), 0, shape - 2).astype(np.intp)
        right, down = np.moveaxis(at - node, -1, 0)[..., None]
        x, y = np.moveaxis(node, -1, 0)
        values = self.values
        above = values[y, x] * (1 - right) + values[y, x + 1] * right
        below = values[y + 1, x] * (1 - right) + values[y + 1, x + 1] * right
        found: Points = above * (1 - down) + below * down
        return found

    def dense(self, size: Size) -> Field:
        """The field at the middle of every pixel: float32, (height, width, channels)."""
        import cv2

        rows, columns, channels = self.values.shape
        whole = cv2.resize(self.values, (columns * self.step, rows * self.step))
        width, height = size
        part = whole[self.step : self.step + height, self.step : self.step + width]
        return np.ascontiguousarray(part, np.float32).reshape(height, width, channels)

    def under(self, places: Field) -> Field:
        """The field at places, (height, width, 2); faster than `at`, and true to a 64th of a step."""
        import cv2

        maps = places / np.float32(self.step) + np.float32(0.5)
        found = cv2.remap(
            self.values, maps, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(found, np.float32).reshape(*places.shape[:2], -1)


def nodes(size: Size, step: int) -> Field:
    """Where the nodes of a grid over a picture lie, one beyond each edge: float32, (rows, columns, 2)."""
    xs, ys = ((np.arange(-(-side // step) + 2, dtype=np.float32) - 0.5) * step for side in size)
    return np.stack(np.meshgrid(xs, ys), axis=-1)


def step_for(size: Size, most: int) -> int:
    """The step at which no side has more than about `most` nodes."""
    return max(1, -(-max(size) // most))
