"""Marks that the words of a page do not show: a stamp, a struck-out value, a correction by hand, something erased."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import cv2
import numpy as np
import torch
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.torch import load_file

from edge_clm.errors import ModelDamaged, ModelMissing
from edge_clm.page.comparator import CELL, Comparator
from edge_clm.types import Pixels
from edge_clm.weights import sha256_of

HIGH: Final = 32
"""Pixels of a line's height at which two looks at it are compared."""
ABOVE: Final = 1.3
"""Line heights above a line that a look at it takes in: what is written over a value stands there."""
BELOW: Final = 0.3
ASIDE: Final = 0.5
"""Line heights at either end."""
FILE: Final = "look.safetensors"
_UNSEEN: Final = -20.0
"""The logit of a cell that the capture does not show."""


class Look:
    """Compares a known look of a place with a new one, both straightened."""

    def __init__(self, comparator: Comparator, fingerprint: str) -> None:
        self.comparator = comparator.eval()
        self.fingerprint = fingerprint
        """Hex SHA-256 of the weights."""

    @classmethod
    def load(cls, place: Path) -> Look:
        """The look whose weights lie in a directory.

        Raises ModelMissing where they do not, ModelDamaged where they are not this network's.
        """
        path = place / FILE
        if not path.is_file():
            raise ModelMissing(f"there is no {FILE} in {place}")
        comparator = Comparator()
        try:
            tensors = load_file(path)
            comparator.load_state_dict({name: value.float() for name, value in tensors.items()})
        except (OSError, SafetensorError, RuntimeError) as error:
            raise ModelDamaged(f"the weights {path} do not load") from error
        return cls(comparator, sha256_of(path))

    def lines(self, pairs: Sequence[tuple[Pixels, Pixels]]) -> list[float]:
        """For each pair (known, seen) of one size the logit that either has a mark that the other has not.

        A line is to be `HIGH` pixels high, with `ABOVE`, `BELOW` and `ASIDE` of it around. Raises ValueError
        where the looks of a pair differ in size.
        """
        return [float(self._map(known, seen).max()) for known, seen in pairs]

    def page(self, known: Pixels, seen: Pixels, valid: NDArray[np.bool_]) -> NDArray[np.float32]:
        """The same over a whole page, a logit for every square of `CELL` pixels.

        `seen`: the capture laid over the known page, both about 1000 pixels at their longest side;
        `valid`, (height, width): where it shows the page. A square that it does not show whole, with those
        around it, has a logit of −20: of those nothing is known.
        """
        told = self._map(known, np.where(valid[..., None], seen, known))
        rows, columns = told.shape
        more = [
            (0, count * CELL - side) for count, side in zip(told.shape, valid.shape, strict=True)
        ]
        whole = np.pad(valid, more, mode="edge")
        shown = whole.reshape(rows, CELL, columns, CELL).all(axis=(1, 3))
        # Where a capture ends its light ends too, and that is no mark.
        inside = np.asarray(cv2.erode(shown.astype(np.uint8), np.ones((3, 3), np.uint8)), np.bool_)
        return np.where(inside, told, np.float32(_UNSEEN))

    def _map(self, known: Pixels, seen: Pixels) -> NDArray[np.float32]:
        if known.shape != seen.shape:
            raise ValueError(f"looks of {known.shape[:2]} and {seen.shape[:2]} are not of one size")
        with torch.inference_mode():
            one, other = (
                torch.from_numpy(np.ascontiguousarray(look)).permute(2, 0, 1)[None].float()
                for look in (known, seen)
            )
            told: NDArray[np.float32] = self.comparator(one, other)[0].numpy()
        return told
