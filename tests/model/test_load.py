"""Loading a directory, and refusing one."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from safetensors.torch import load_file, save_file

from edge_clm.config import Model
from edge_clm.errors import ConfigInvalid, DeviceMissing, EdgeClmError, ModelDamaged, ModelMissing
from edge_clm.model.vlm import QwenModel


@pytest.fixture
def directory(tiny: Callable[[str], Path], tmp_path: Path) -> Path:
    """A model directory to spoil."""
    return Path(shutil.copytree(tiny("qwen2_5_vl"), tmp_path / "model"))


def refused(directory: Path, error: type[EdgeClmError], match: str, **options: Any) -> None:
    with pytest.raises(error, match=match):
        QwenModel.load(Model(name=str(directory), **options))


def test_missing(tmp_path: Path) -> None:
    """A model that is not there is missing."""
    refused(tmp_path / "nowhere", ModelMissing, "nowhere")


def test_another_architecture(directory: Path) -> None:
    """A directory of another architecture is refused by that architecture's name."""
    path = directory / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"model_type": "llama"}))
    refused(directory, ConfigInvalid, "llama")


def test_no_vision_language_model(tmp_path: Path) -> None:
    """A directory without a configuration is no vision-language model."""
    refused(tmp_path, ConfigInvalid, r"config\.json")


def test_unreadable_configuration(directory: Path) -> None:
    """A configuration that is no JSON is damage."""
    (directory / "config.json").write_text("{")
    refused(directory, ModelDamaged, r"config\.json")


def test_truncated_weights(directory: Path) -> None:
    """Weights cut short are damage."""
    path = directory / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-1000])
    refused(directory, ModelDamaged, "cannot be loaded")


def test_garbage_weights(directory: Path) -> None:
    """Weights that are something else are damage."""
    (directory / "model.safetensors").write_bytes(b"\xff" * 4096)
    refused(directory, ModelDamaged, "cannot be loaded")


def test_no_weights(directory: Path) -> None:
    """A directory without weights is damaged."""
    (directory / "model.safetensors").unlink()
    refused(directory, ModelDamaged, "cannot be loaded")


def test_lacking_tensor(directory: Path) -> None:
    """A tensor that is not in the file is damage, not a random one."""
    path = directory / "model.safetensors"
    weights = load_file(path)
    weights.pop(next(name for name in weights if name.endswith("blocks.0.attn.proj.weight")))
    save_file(weights, path, metadata={"format": "pt"})
    refused(directory, ModelDamaged, "lack 1 tensor")


def test_tensor_of_another_shape(directory: Path) -> None:
    """A tensor of another shape than configured is damage."""
    path = directory / "model.safetensors"
    weights = load_file(path)
    name = next(name for name in weights if name.endswith("layers.0.input_layernorm.weight"))
    weights[name] = weights[name][:32]
    save_file(weights, path, metadata={"format": "pt"})
    refused(directory, ModelDamaged, "model")


def test_no_tokenizer(directory: Path) -> None:
    """A directory without its tokenizer is damaged."""
    (directory / "tokenizer.json").unlink()
    refused(directory, ModelDamaged, "cannot be loaded")


def test_device_that_is_not_there(directory: Path) -> None:
    """A device that is not on this machine is refused by name."""
    refused(directory, DeviceMissing, "cuda:99", device="cuda:99")


def test_device_is_told(directory: Path) -> None:
    """The device that was picked can be asked for."""
    assert QwenModel.load(Model(name=str(directory), device="cpu")).device == "cpu"
