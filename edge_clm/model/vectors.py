"""Vectors of snapshots: what a model's last layer says of a question and its answer, along its main directions.

Principal component analysis: K. Pearson, On lines and planes of closest fit to systems of points in space, 1901.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file

from edge_clm.errors import ModelDamaged

FILE = "snapshot_pca.safetensors"
"""In a model's directory, since it holds for its weights alone; made by `python -m edge_clm.train.pca`."""
_MEAN, _AXES = "mean", "axes"
_KEPT = np.dtype("<f2")


@dataclass(frozen=True, slots=True)
class Projection:
    """A model's main directions."""

    mean: torch.Tensor = field(repr=False)
    """What the last layer says on average: (hidden,), float32."""
    axes: torch.Tensor = field(repr=False)
    """Directions of unit length, the one along which most varies first: (dimensions, hidden), float32."""

    def of(self, said: torch.Tensor) -> bytes:
        """What the last layer says, (hidden,), as it is kept: float16 of (dimensions,)."""
        along = self.axes @ (said.float().cpu() - self.mean)
        return along.numpy().astype(_KEPT).tobytes()


class Course:
    """What the last layer has said of the tokens of one request, of which the last may be taken back."""

    def __init__(self) -> None:
        self._rows: list[torch.Tensor] = []

    def add(self, said: torch.Tensor) -> None:
        """More tokens: (tokens, hidden)."""
        self._rows += said.unbind(0)

    def forget(self, count: int) -> None:
        """Takes the last `count` tokens back."""
        del self._rows[len(self._rows) - count :]

    @property
    def mean(self) -> torch.Tensor:
        """Of all tokens that are left: (hidden,), float32. Raises ValueError where none is."""
        if not self._rows:
            raise ValueError("nothing has been said")
        return torch.stack(self._rows).float().mean(0)


def read_projection(directory: Path, hidden: int) -> Projection | None:
    """The directions that lie beside a model's weights; None without any.

    Raises ModelDamaged for a file that is not whole, or for a model of another width than `hidden`.
    """
    path = directory / FILE
    if not path.is_file():
        return None
    try:
        read: Mapping[str, torch.Tensor] = load_file(path)
        mean, axes = read[_MEAN].float(), read[_AXES].float()
    except (SafetensorError, OSError, KeyError) as error:
        raise ModelDamaged(f"{path} cannot be read") from error
    if mean.shape != (hidden,) or axes.shape[1:] != (hidden,):
        raise ModelDamaged(f"{path} is of another model than the weights beside it")
    return Projection(mean, axes)


def write_projection(path: Path, projection: Projection, about: Mapping[str, str]) -> None:
    """Writes directions, float16, with what is to be known about them."""
    tensors = {_MEAN: projection.mean.half(), _AXES: projection.axes.half().contiguous()}
    save_file(tensors, path, metadata=dict(about))
    # safetensors writes for its user alone; the daemon may run as another.
    path.chmod(0o644)
