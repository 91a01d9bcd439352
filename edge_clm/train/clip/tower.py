"""docclip before it has learnt anything, and how it is kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from edge_clm.page.clip import CONFIG, DIMENSIONS, INK, LEAST, WEIGHTS
from edge_clm.page.ink import RECIPE
from edge_clm.train.clip.words import CONTEXT, VOCABULARY
from edge_clm.train.nano.base import keep
from edge_clm.weights import staging

NAME = "docclip"
SIDE = 192
"""Pixels a side of what the image tower sees."""
MEAN, STD = 0.1, 0.25
"""Of ink, about, as shares of 255."""
_WIDTH = 24
_LAYERS = (1, 1, 1, 1)
_HEAD = 16
_APART = 2.0
"""How long the vectors of places are at first, beside what is seen there."""


def configuration(side: int = SIDE) -> dict[str, Any]:
    """What open_clip makes the model and its preprocessing from; its text tower is for training alone."""
    return {
        "model_cfg": {
            "embed_dim": DIMENSIONS,
            "vision_cfg": {
                "image_size": side,
                "layers": list(_LAYERS),
                "width": _WIDTH,
                "head_width": _HEAD,
            },
            "text_cfg": {
                "context_length": CONTEXT,
                "vocab_size": VOCABULARY,
                "width": 128,
                "heads": 2,
                "layers": 1,
            },
        },
        "preprocess_cfg": {
            "size": side,
            "mean": [MEAN] * 3,
            "std": [STD] * 3,
            "interpolation": "bicubic",
            # All of the picture, on paper.
            "resize_mode": "longest",
            "fill_color": 0,
        },
        INK: RECIPE,
    }


def make(seed: int, side: int = SIDE) -> Any:
    """The model with weights drawn by `seed`, float32."""
    import open_clip

    torch.manual_seed(seed)
    model = open_clip.CLIP(**configuration(side)["model_cfg"])
    _look_everywhere(model.visual.attnpool)
    return model


@torch.no_grad()
def _look_everywhere(pool: Any) -> None:
    """Lets each head of the last layer look at one place of the picture, those left over at all of it.

    Drawn by chance all heads look everywhere at first, and pages are told apart by what is where: that
    alone would take most of a short training to find out.
    """
    places, wide = pool.positional_embedding.shape
    directions = torch.linalg.qr(torch.randn(wide, places - 1)).Q.T
    pool.positional_embedding[1:] = _APART * directions
    pool.q_proj.weight *= 0.1
    pool.k_proj.weight *= 0.1
    pool.q_proj.bias.fill_(1.0)
    for head, direction in enumerate(directions[: wide // _HEAD]):
        pool.k_proj.weight[head * _HEAD : (head + 1) * _HEAD] += direction / _APART


def set_least(directory: Path, least: float) -> None:
    """Writes into a saved model from which cosine on its captures may show one page."""
    path = directory / CONFIG
    said = json.loads(path.read_text(encoding="utf-8")) | {LEAST: round(least, 4)}
    keep(path, lambda part: part.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8"))


def save(model: Any, out: Path, side: int = SIDE) -> Path:
    """Writes the model as open_clip's `local-dir:` wants it, float16, to `out`/docclip, whole or not at all."""
    said = json.dumps(configuration(side), indent=1)
    tensors = {
        name: one.detach().to(torch.float16 if one.is_floating_point() else one.dtype).contiguous()
        for name, one in model.state_dict().items()
    }
    with staging(out, NAME) as part:
        (part / CONFIG).write_text(said + "\n", encoding="utf-8")
        save_file(tensors, part / WEIGHTS)
    return out / NAME
