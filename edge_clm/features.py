"""What a capture is recalled by: one vector of the whole, and points of its print."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float32]
"""float32, (dimensions,), of length 1: what a page looks like."""

CODE = 16
"""Bytes that tell what is around a point."""
_ROW = CODE + 4
_PLACE = np.dtype("<u2")
FULL = 65535
"""Where a picture's longest side ends, in the units of places."""


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Points of a picture, strongest first."""

    codes: NDArray[np.uint8]
    """uint8, (points, 16), C-contiguous: 128 bits, of which fewer differ the more alike two places are."""
    places: NDArray[np.uint16]
    """uint16, (points, 2): x and y, of a picture whose longest side spans 0…65535."""

    def __len__(self) -> int:
        return len(self.codes)

    def encoded(self) -> bytes:
        """All of it, 20 bytes a point."""
        places = np.ascontiguousarray(self.places.astype(_PLACE)).view(np.uint8)
        return bytes(np.concatenate([self.codes, places], axis=1).tobytes())

    @classmethod
    def decoded(cls, data: bytes) -> Points:
        """What was encoded; raises ValueError for anything else."""
        rows = np.frombuffer(data, np.uint8).reshape(-1, _ROW)
        places = np.ascontiguousarray(rows[:, CODE:]).view(_PLACE).astype(np.uint16)
        return cls(np.ascontiguousarray(rows[:, :CODE]), places)


@dataclass(frozen=True, slots=True, eq=False)
class Features:
    """Of one capture's page, as its pixels lie."""

    vector: Vector
    points: Points
