"""What a page looks like, as one vector: an open_clip image tower, loaded from a directory."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from edge_clm.errors import ConfigInvalid, ModelDamaged, ModelMissing
from edge_clm.features import Vector
from edge_clm.page.ink import RECIPE, ink_of
from edge_clm.page.level import levelled
from edge_clm.types import Pixels
from edge_clm.weights import fingerprint, locate, shipped

DIMENSIONS = 512
CONFIG = "open_clip_config.json"
WEIGHTS = "open_clip_model.safetensors"
INK = "edge_clm_ink"
"""Key beside open_clip's own in a model's configuration: it sees the print (`page.ink`), not the picture."""
LEAST = "edge_clm_least"
"""Another: the cosine that nearly all pairs of captures of one page have at least."""


class Clip:
    """An image tower with its preprocessing. Not thread-safe; compares nothing and proves nothing."""

    def __init__(
        self,
        tower: Any,
        prepare: Callable[[Image.Image], Any],
        *,
        ink: bool,
        least: float,
        fingerprint: str,
    ) -> None:
        """`tower` maps what `prepare` makes of pictures, as a batch, to vectors of 512."""
        self._tower = tower
        self._prepare = prepare
        self._ink = ink
        self.least = least
        """Cosine below which two captures are taken to show two pages; −1 where none was measured."""
        self.fingerprint = fingerprint
        """Hex SHA-256 of weights and preprocessing: vectors of equal ones can be compared."""

    @classmethod
    def load(cls, models: Path, name: str) -> Clip:
        """Loads a model in `models`, one that comes with this package, or one in a directory of its own.

        Nothing is fetched. Raises ModelMissing where there is none or its weights are not there,
        ModelDamaged for what open_clip cannot load, ConfigInvalid for a model that does not give
        vectors of 512, that would fetch a part of itself, or that sees another ink.
        """
        directory = _located(models, name)
        said = _configuration(directory)
        tower, prepare = _opened(directory)
        parts = [fingerprint(directory), str(RECIPE if INK in said else 0)]
        parts += [f"{package}=={version(package)}" for package in ("open_clip_torch", "pillow")]
        digest = hashlib.sha256("\n".join(parts).encode()).hexdigest()
        least = float(said.get(LEAST, -1.0))
        return cls(tower, prepare, ink=INK in said, least=least, fingerprint=digest)

    def embed(self, pixels: Pixels) -> Vector:
        """The vector of a picture as it was captured, of any size: float32, (512,), of length 1."""
        import torch

        # Print has one channel and an open_clip tower three.
        seen = np.repeat(levelled(ink_of(pixels))[..., None], 3, axis=2) if self._ink else pixels
        batch = self._prepare(Image.fromarray(seen))[None]
        with torch.inference_mode():
            found = self._tower(batch)[0].float().numpy()
        return np.asarray(found / max(float(np.linalg.norm(found)), 1e-12), np.float32)


def _located(models: Path, name: str) -> Path:
    own = shipped(name)
    if own.is_dir() and not (models / name).is_dir():
        return own
    return locate(models, name)


def _configuration(directory: Path) -> dict[str, Any]:
    for file in (CONFIG, WEIGHTS):
        if not (directory / file).is_file():
            raise ModelMissing(f"{directory} has no {file}: it is no open_clip model with weights")
    try:
        said: dict[str, Any] = json.loads((directory / CONFIG).read_text(encoding="utf-8"))
        model = said["model_cfg"]
        wide, text = model["embed_dim"], model["text_cfg"]
        float(said.get(LEAST, 0))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelDamaged(f"{directory / CONFIG} is no configuration of open_clip") from error
    if wide != DIMENSIONS:
        raise ConfigInvalid(f"{directory} gives vectors of {wide}, not of {DIMENSIONS}")
    if "hf_model_name" in text:
        raise ConfigInvalid(f"{directory} would fetch its text tower from a hub")
    if said.get(INK, RECIPE) != RECIPE:
        raise ConfigInvalid(f"{directory} has learnt from another ink than number {RECIPE}")
    return said


def _opened(directory: Path) -> tuple[Any, Callable[[Image.Image], Any]]:
    import open_clip
    from safetensors import SafetensorError

    try:
        model, prepare = open_clip.create_model_from_pretrained(f"local-dir:{directory}")
    except (OSError, ValueError, RuntimeError, TypeError, SafetensorError) as error:
        raise ModelDamaged(f"open_clip cannot load {directory}: {error}") from error
    # Serving looks at pictures only.
    return model.visual.eval(), prepare
