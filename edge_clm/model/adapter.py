"""What training adds to a model's weights: low-rank changes of its linear layers, and tensors it replaces.

LoRA: E. Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, 2021.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors.torch import load_file

DOWN, UP = ".lora_down", ".lora_up"
"""Endings of the two factors of a change, (rank, in) and (out, rank); they stand in for `.weight`."""


def adapted(
    weights: Mapping[str, torch.Tensor], adapter: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The weights (float32) with an adapter (float16) merged into them; the same bits on every machine.

    Raises ValueError for a tensor of the adapter that the weights have no place for.
    """
    merged = dict(weights)
    for name, tensor in adapter.items():
        if name.endswith(UP):
            continue
        place = f"{name.removesuffix(DOWN)}.weight" if name.endswith(DOWN) else name
        change = _product(adapter, name) if name.endswith(DOWN) else tensor.float()
        if place not in merged or merged[place].shape != change.shape:
            raise ValueError(f"the adapter's {name} fits nothing of the model")
        merged[place] = merged[place] + change if name.endswith(DOWN) else change
    return merged


def read_adapter(path: Path) -> dict[str, torch.Tensor]:
    """The tensors of an adapter file, float16."""
    tensors: dict[str, torch.Tensor] = load_file(path)
    return tensors


def _product(adapter: Mapping[str, torch.Tensor], down: str) -> torch.Tensor:
    """A change of a weight.

    Products of halves are multiples of 2⁻⁴⁸, and double precision holds sums of them below 32
    exactly: so the order of the sum, which differs by machine, cannot show.
    """
    up = adapter[down.removesuffix(DOWN) + UP]
    return (up.double() @ adapter[down].double()).float()
