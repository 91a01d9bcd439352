"""Pictures whose values are wider than a byte, brought to eight bits.

Pillow's own conversion cuts such values off at 255, which turns most pages blank.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from PIL import Image

WIDE_MODES = frozenset({"I", "I;16", "I;16B", "I;16L", "I;16N", "F"})
_CEILINGS = (1.0, 255.0, 65535.0, 4294967295.0)


@dataclass(frozen=True, slots=True)
class Samples:
    """What a file says about its values beyond what Pillow's mode tells."""

    bits: int = 16
    """Bits of one value."""
    signed: bool = False
    white_is_zero: bool = False


def to_eight_bits(image: Image.Image, samples: Samples) -> Image.Image:
    """Scales a picture of a wide mode to grey ("L"), or to grey with alpha where a value is clear.

    Values of up to 16 bits keep their place in the declared range; wider ones, for which there is
    no such custom, are scaled by the smallest usual range that holds them.
    """
    values = np.asarray(image)
    grey = _narrow(values, samples.bits) if values.dtype.kind == "u" else _wide(values, samples)
    if samples.white_is_zero:
        np.subtract(255, grey, out=grey)
    return _with_alpha(Image.fromarray(grey), values, image.info.get("transparency"))


def _narrow(values: NDArray[np.unsignedinteger], bits: int) -> NDArray[np.uint8]:
    top = (1 << min(max(bits, 1), 16)) - 1
    table = np.minimum((np.arange(65536, dtype=np.uint32) * 255 + top // 2) // top, 255)
    grey: NDArray[np.uint8] = table.astype(np.uint8)[values]
    return grey


def _wide(values: NDArray[np.generic], samples: Samples) -> NDArray[np.uint8]:
    if values.dtype.kind == "i" and not samples.signed and samples.bits == 32:
        values = values.view(np.uint32)  # Pillow holds them as signed and lets the top half wrap
    scaled = np.nan_to_num(values.astype(np.float32), nan=0.0, posinf=0.0, neginf=0.0)
    low, high = float(scaled.min()), float(scaled.max())
    if low < 0:
        scaled -= low
        span = high - low
    else:
        span = next((top for top in _ceilings(values) if high <= top), high)
    scaled *= 255.0 / span if span else 0.0
    return np.rint(np.clip(scaled, 0.0, 255.0)).astype(np.uint8)


def _ceilings(values: NDArray[np.generic]) -> tuple[float, ...]:
    """Only fractions are ever meant to end at 1."""
    return _CEILINGS if values.dtype.kind == "f" else _CEILINGS[1:]


def _with_alpha(grey: Image.Image, values: NDArray[np.generic], clear: object) -> Image.Image:
    if not isinstance(clear, int):
        return grey
    alpha = np.where(values == clear, 0, 255).astype(np.uint8)
    return Image.merge("LA", (grey, Image.fromarray(alpha)))
