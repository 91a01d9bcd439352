"""What a model directory in PaddleOCR's layout says of itself, read without PaddleOCR."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from edge_clm.errors import ModelDamaged
from edge_clm.types import Pixels


@dataclass(frozen=True, slots=True)
class Spelling:
    """How a recogniser's crops are made and its classes are spelt."""

    height: int
    """Of crops, pixels."""
    alphabet: tuple[str, ...]
    """Characters of classes 1…"""


@dataclass(frozen=True, slots=True)
class Glance:
    """How a classifier of pages is shown a page, and what its classes mean."""

    short: int
    """Pixels of the shorter side that a page is scaled to."""
    size: int
    """Pixels of the square that is cut from its middle."""
    mean: NDArray[np.float32]
    deviation: NDArray[np.float32]
    labels: tuple[int, ...]
    """Degrees clockwise by which a page of each class is turned."""

    def of(self, picture: Pixels) -> NDArray[np.float32]:
        """A BGR picture as the classifier takes it: (1, 3, size, size), RGB."""
        import cv2

        scale = self.short / min(picture.shape[:2])
        height, width = (round(side * scale) for side in picture.shape[:2])
        small = cv2.resize(picture, (width, height), interpolation=cv2.INTER_LINEAR)
        top, left = (height - self.size) // 2, (width - self.size) // 2
        square = small[top : top + self.size, left : left + self.size, ::-1]
        normal = (square.astype(np.float32) / 255 - self.mean) / self.deviation
        return np.ascontiguousarray(normal.transpose(2, 0, 1)[None], np.float32)


def read_spelling(directory: Path) -> Spelling:
    """A recogniser's, from its inference.yml; raises ModelDamaged."""
    content = _content(directory)
    try:
        characters = content["PostProcess"]["character_dict"]
        shape = _operation(content, "RecResizeImg")["image_shape"]
        # The space is no line of PP-OCR's lists, and the last class of its models.
        return Spelling(int(shape[1]), (*map(str, characters), " "))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise _damaged(directory) from error


def read_glance(directory: Path) -> Glance:
    """A page classifier's, from its inference.yml; raises ModelDamaged."""
    content = _content(directory)
    try:
        normal = _operation(content, "NormalizeImage")
        return Glance(
            int(_operation(content, "ResizeImage")["resize_short"]),
            int(_operation(content, "CropImage")["size"]),
            np.asarray(normal["mean"], np.float32),
            np.asarray(normal["std"], np.float32),
            tuple(int(label) for label in content["PostProcess"]["Topk"]["label_list"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise _damaged(directory) from error


def _content(directory: Path) -> Any:
    try:
        text = (directory / "inference.yml").read_text(encoding="utf-8")
        # An alphabet of 18 000 characters takes the loader in Python over a second.
        return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))  # noqa: S506
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise _damaged(directory) from error


def _operation(content: Any, name: str) -> dict[str, Any]:
    """The settings of one step before the model; raises KeyError where there is no such step."""
    for step in content["PreProcess"]["transform_ops"]:
        if name in step:
            settings: dict[str, Any] = step[name]
            return settings
    raise KeyError(name)


def _damaged(directory: Path) -> ModelDamaged:
    return ModelDamaged(f"{directory / 'inference.yml'} cannot be read")
