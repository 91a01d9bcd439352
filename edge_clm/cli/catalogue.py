"""The models that 'edge-clm models pull' knows by name, and how each is made."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from edge_clm.config import Config
from edge_clm.weights import Role

MIB = 1024 * 1024

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done, 0…1."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How models are made that come out of one download."""

    key: str
    """Short name of what it makes."""
    names: tuple[str, ...]
    """Directories that it makes below the directory of models."""
    room: int
    """Bytes needed while it works: the download, its unpacked parts and the models."""
    build: Callable[[Path, Progress], None]


@dataclass(frozen=True, slots=True)
class Known:
    """A model as the list shows it before it is there."""

    name: str
    role: Role
    licence: str
    recipe: Recipe


def _nano(models: Path, progress: Progress) -> None:
    # transformers draws a bar of its own while it reads the source, over our line.
    os.environ.setdefault("TQDM_DISABLE", "1")
    from edge_clm.model.nano import build_nano

    build_nano(models, progress)


def _ocr(models: Path, progress: Progress) -> None:
    from edge_clm.page.weights import build_ocr

    build_ocr(models, progress)


DETECTOR = "PP-OCRv6_small_det"
RECOGNISER = "PP-OCRv6_small_rec"
ORIENTER = "PP-LCNet_x1_0_doc_ori"

NANO = Recipe("nano", ("nano",), 1024 * MIB, _nano)
OCR = Recipe("ocr", (DETECTOR, RECOGNISER, ORIENTER), 256 * MIB, _ocr)

CATALOGUE = (
    Known("nano", "vision_language", "Apache-2.0", NANO),
    Known(DETECTOR, "ocr_detect", "Apache-2.0", OCR),
    Known(RECOGNISER, "ocr_recognise", "Apache-2.0", OCR),
    Known(ORIENTER, "ocr_orient", "Apache-2.0", OCR),
)


def recipe_of(name: str) -> Recipe | None:
    """The recipe that makes a model, also by the recipe's own name; None for an unknown one."""
    for known in CATALOGUE:
        if name in (known.name, known.recipe.key):
            return known.recipe
    return None


def needed(config: Config) -> list[str]:
    """Names of the models that a configuration asks for, as it writes them."""
    named = (config.model.name, config.ocr.detector, config.ocr.recogniser, config.ocr.orienter)
    return [name for name in named if name]
