"""Loads any Qwen2-VL, Qwen2.5-VL or Qwen3-VL directory with stock transformers, offline."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError

from edge_clm.config import Model
from edge_clm.errors import ConfigInvalid, DeviceMissing, ModelDamaged
from edge_clm.model.quiet import transformers
from edge_clm.model.vectors import Projection, read_projection
from edge_clm.weights import fingerprint, locate

FAMILIES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")
ATTENTION = "sdpa"
_DTYPES = {"float32": torch.float32, "bfloat16": torch.bfloat16, "float16": torch.float16}


@dataclass(frozen=True, slots=True)
class Loaded:
    """A model in memory with what belongs to it."""

    model: Any
    tokenizer: Any
    pictures: Any
    """Its image processor."""
    weights: str
    """Hex SHA-256 of its files."""
    device: torch.device
    dtype: str
    projection: Projection | None = None
    """What vectors of its answers are made by; None where it was not trained for it."""


def load(config: Model) -> Loaded:
    """Loads the configured model onto its device.

    Raises ModelMissing where it is not on this machine, ModelDamaged where its files are not whole,
    ConfigInvalid where it is of another architecture or the device is not there.
    """
    directory = locate(Path(config.models), config.name)
    check_architecture(directory)
    device = pick_device(config.device)
    dtype = config.dtype
    if dtype == "auto":
        dtype = "float32" if device.type == "cpu" else "bfloat16"
    torch.set_num_threads(config.threads or len(os.sched_getaffinity(0)))
    weights = fingerprint(directory)
    try:
        model = _read_model(directory, device, _DTYPES[dtype])
        tokenizer = transformers().AutoTokenizer.from_pretrained(directory, local_files_only=True)
        pictures = transformers().AutoImageProcessor.from_pretrained(
            directory, local_files_only=True
        )
    # transformers says what a damaged file makes it stumble over, in whatever words it has
    except (SafetensorError, OSError, RuntimeError, ValueError, KeyError, TypeError) as error:
        raise ModelDamaged(f"the model in {directory} cannot be loaded") from error
    projection = read_projection(directory, model.config.get_text_config().hidden_size)
    return Loaded(model, tokenizer, pictures, weights, device, dtype, projection)


def check_architecture(directory: Path) -> None:
    """Raises ConfigInvalid naming an architecture that is none of ours, ModelDamaged for an unreadable one."""
    path = directory / "config.json"
    try:
        kind = json.loads(path.read_text(encoding="utf-8"))["model_type"]
    except FileNotFoundError as error:
        raise ConfigInvalid(
            f"{directory} holds no vision-language model: no config.json"
        ) from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelDamaged(f"{path} cannot be read") from error
    if kind not in FAMILIES:
        raise ConfigInvalid(f"{directory} holds a {kind!r} model; known are {', '.join(FAMILIES)}")


def pick_device(name: str) -> torch.device:
    """auto: the first GPU where there is one, else the CPU; raises DeviceMissing for one that is not there."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    device = torch.device(name)
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise DeviceMissing(f"model.device {name!r} is not on this machine")
    return device


def _read_model(directory: Path, device: torch.device, dtype: torch.dtype) -> Any:
    model, info = transformers().AutoModelForImageTextToText.from_pretrained(
        directory,
        dtype=dtype,
        device_map={"": device} if device.type == "cuda" else None,
        attn_implementation=ATTENTION,
        local_files_only=True,
        output_loading_info=True,
    )
    # Left alone, transformers fills what a file lacks with random numbers and goes on.
    if lacking := [*info["missing_keys"], *info["mismatched_keys"]]:
        raise ModelDamaged(f"the weights in {directory} lack {len(lacking)} tensors")
    kinds = getattr(model.config.get_text_config(), "layer_types", None) or ()
    if any(kind != "full_attention" for kind in kinds):
        raise ConfigInvalid(f"{directory} uses sliding attention, whose states cannot be restored")
    return model.eval()
