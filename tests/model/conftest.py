"""Models to test with: nano as pulled, and small random ones of each family."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from edge_clm.config import Model, models_home
from edge_clm.model.nano import build_nano
from edge_clm.model.quiet import transformers
from edge_clm.model.vlm import QwenModel
from edge_clm.paper import Line, PageText

FAMILIES = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl")


def line(text: str, x: float, y: float, width: float = 100, height: float = 20) -> Line:
    """A level line of text with its top left corner at (x, y)."""
    right, bottom = x + width, y + height
    return Line(text, ((x, y), (right, y), (right, bottom), (x, bottom)), 1.0)


def page_of(*texts: str) -> PageText:
    """A page with one line of text under the other."""
    lines = tuple(line(text, 10, 30 * i) for i, text in enumerate(texts))
    return PageText(lines, 0, 400, 600)


@pytest.fixture(scope="session")
def models() -> Path:
    """The models' home, with nano in it."""
    build_nano(models_home(), lambda what, share: None)
    return models_home()


@pytest.fixture(scope="session")
def nano(models: Path) -> QwenModel:
    return QwenModel.load(Model(name="nano", models=str(models), device="cpu", threads=1))


@pytest.fixture(scope="session")
def tiny(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Directory of a small random model of a family, with nano's tokenizer; made once each."""
    home = tmp_path_factory.mktemp("tiny")

    def directory(family: str) -> Path:
        if not (home / family).is_dir():
            _save_tiny(family, models / "nano", home / family)
        return home / family

    return directory


@pytest.fixture(params=FAMILIES)
def family(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="session")
def loaded() -> dict[str, QwenModel]:
    """Small models that are loaded with default options, by family."""
    return {}


@pytest.fixture
def load_tiny(
    tiny: Callable[[str], Path], loaded: dict[str, QwenModel], family: str
) -> Callable[..., QwenModel]:
    """Loads the small model of the family under test; without options it is shared by the tests."""

    def load(**options: Any) -> QwenModel:
        if not options and family in loaded:
            return loaded[family]
        # One thread: with more, small models wait for each other's threads more than they work.
        given = {"device": "cpu", "threads": 1} | options
        model = QwenModel.load(Model(name=str(tiny(family)), **given))
        return model if options else loaded.setdefault(family, model)

    return load


@pytest.fixture(scope="session")
def receipt() -> PageText:
    """The labelled text of a real receipt."""
    root = os.environ.get("EDGE_CLM_DATA") or Path(__file__).parents[2].parent / "shared/data"
    path = Path(root) / "sroie/box/000.csv"
    if not path.is_file():
        pytest.skip(f"no real documents at {root}; EDGE_CLM_DATA names another place")
    rows = list(csv.reader(path.read_text(encoding="utf-8").splitlines(), quoting=csv.QUOTE_NONE))
    lines = []
    for row in rows:
        x = [float(value) for value in row[:8]]
        quad = ((x[0], x[1]), (x[2], x[3]), (x[4], x[5]), (x[6], x[7]))
        lines.append(Line(",".join(row[8:]), quad, 1.0))
    return PageText(tuple(lines), 0, 463, 1013)


def _save_tiny(family: str, nano: Path, directory: Path) -> None:
    hf = transformers()
    base = hf.AutoConfig.from_pretrained(nano)
    hf.AutoTokenizer.from_pretrained(nano).save_pretrained(directory)
    _processor(hf, family).save_pretrained(directory)
    torch.manual_seed(7)
    config = _CONFIGS[family](hf, base)
    model = hf.AutoModelForImageTextToText.from_config(config)
    # Large enough that a wrong position or a wrong neighbour changes the answer.
    for name, weight in model.named_parameters():
        if weight.ndim > 1:
            torch.nn.init.normal_(weight, std=0.5 if "lm_head" in name else 0.15)
    model.save_pretrained(directory)


def _processor(hf: Any, family: str) -> Any:
    patch = 16 if family == "qwen3_vl" else 14
    size = {"shortest_edge": 4 * (2 * patch) ** 2, "longest_edge": 64 * (2 * patch) ** 2}
    return hf.Qwen2VLImageProcessor(size=size, patch_size=patch, merge_size=2)


def _text(base: Any, sections: list[int]) -> dict[str, Any]:
    return {
        "vocab_size": base.text_config.vocab_size,
        "hidden_size": 64,
        "intermediate_size": 128,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": 2048,
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": 10000.0,
            "mrope_section": sections,
            "mrope_interleaved": True,
        },
        "bos_token_id": 1,
        "eos_token_id": 2,
        "pad_token_id": 2,
    }


def _markers(base: Any) -> dict[str, Any]:
    return {
        "image_token_id": base.image_token_id,
        "video_token_id": base.video_token_id,
        "vision_start_token_id": base.vision_start_token_id,
        "vision_end_token_id": base.vision_end_token_id,
        "tie_word_embeddings": False,
        "dtype": "float32",
    }


def _qwen2_vl(hf: Any, base: Any) -> Any:
    text = _text(base, [2, 3, 3])
    del text["head_dim"], text["rope_parameters"]["mrope_interleaved"]
    vision = {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 2, "mlp_ratio": 2}
    return hf.Qwen2VLConfig(text_config=text, vision_config=vision, **_markers(base))


def _qwen2_5_vl(hf: Any, base: Any) -> Any:
    text = _text(base, [2, 3, 3])
    del text["head_dim"], text["rope_parameters"]["mrope_interleaved"]
    vision = {
        "depth": 3,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_heads": 2,
        "window_size": 112,
        "fullatt_block_indexes": [2],
        "out_hidden_size": 64,
    }
    return hf.Qwen2_5_VLConfig(text_config=text, vision_config=vision, **_markers(base))


def _qwen3_vl(hf: Any, base: Any) -> Any:
    vision = {
        "depth": 3,
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_heads": 2,
        "patch_size": 16,
        "num_position_embeddings": 64,
        "out_hidden_size": 64,
        "deepstack_visual_indexes": [0, 1, 2],
    }
    return hf.Qwen3VLConfig(
        text_config=_text(base, [4, 2, 2]), vision_config=vision, **_markers(base)
    )


_CONFIGS: dict[str, Callable[[Any, Any], Any]] = {
    "qwen2_vl": _qwen2_vl,
    "qwen2_5_vl": _qwen2_5_vl,
    "qwen3_vl": _qwen3_vl,
}
