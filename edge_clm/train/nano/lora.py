"""Low-rank changes of linear layers, learnt while the layers themselves stay as they are.

E. Hu et al., LoRA: Low-Rank Adaptation of Large Language Models, 2021.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import torch
from torch import nn

from edge_clm.model.adapter import DOWN, UP

SCALE = 2.0
"""By how much a change counts; it is part of the factors once they are saved."""


class LoraLinear(nn.Module):
    """A frozen linear layer plus a change of low rank."""

    def __init__(self, frozen: nn.Linear, rank: int, generator: torch.Generator) -> None:
        super().__init__()
        self.frozen = frozen
        bound = 1 / math.sqrt(frozen.in_features)
        down = torch.empty(rank, frozen.in_features).uniform_(-bound, bound, generator=generator)
        self.down = nn.Parameter(down)
        self.up = nn.Parameter(torch.zeros(frozen.out_features, rank))

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        """(…, in) to (…, out)."""
        low = nn.functional.linear(hidden, self.down.to(hidden.dtype))
        change = nn.functional.linear(low, self.up.to(hidden.dtype))
        return torch.add(self.frozen(hidden), change, alpha=SCALE)


def attach(model: Any, rank: int, seed: int) -> dict[str, LoraLinear]:
    """Freezes a model and wraps every linear layer of its text branch; returns them by name."""
    model.requires_grad_(requires_grad=False)
    generator = torch.Generator().manual_seed(seed)
    branch = model.model.language_model
    found = {name: part for name, part in branch.named_modules() if isinstance(part, nn.Linear)}
    wrapped = {}
    for name, linear in found.items():
        parent, _, own = name.rpartition(".")
        layer = LoraLinear(linear, rank, generator)
        setattr(branch.get_submodule(parent), own, layer)
        wrapped[f"model.language_model.{name}"] = layer
    return wrapped


@torch.no_grad()
def begin(layers: Mapping[str, LoraLinear], adapter: Mapping[str, torch.Tensor]) -> None:
    """Starts from an adapter of the same rank; raises ValueError for another one."""
    for name, layer in layers.items():
        down, up = adapter.get(name + DOWN), adapter.get(name + UP)
        if down is None or up is None or down.shape != layer.down.shape:
            raise ValueError(f"the adapter has no change of this rank for {name}")
        layer.down.copy_(down)
        layer.up.copy_(up.to(layer.up) / SCALE)


def adapter_of(layers: Mapping[str, LoraLinear]) -> dict[str, torch.Tensor]:
    """The learnt changes as an adapter, float16; see `model.adapter`."""
    adapter = {}
    for name, layer in layers.items():
        adapter[name + DOWN] = layer.down.detach().half().cpu().contiguous()
        adapter[name + UP] = (SCALE * layer.up.detach()).half().cpu().contiguous()
    return adapter
