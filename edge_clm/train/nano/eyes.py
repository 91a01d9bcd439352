"""Teaches the vision tower to say, cell by cell, what only pixels tell, in the model's own words.

What the tower gives for a cell is drawn towards the embeddings of the words for what the cell holds: so
the text branch meets pictures as something like words that it knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from edge_clm.model.nano import VISION
from edge_clm.train.nano.sights import CLASSES

_RARE = 6.0
"""By how much a thing that is there counts more than one that is not."""
_PAGE = 0.3
"""What being right about the page as a whole counts."""
_NORM = 0.05
_LAST = "merger.mlp.2.weight"


@dataclass(frozen=True, slots=True)
class Look:
    """A picture with what its cells hold."""

    patches: torch.Tensor
    grid: torch.Tensor
    cells: torch.Tensor
    """float32, (cells, classes)."""


class Eyes(nn.Module):
    """The vision tower with the words that its cells are measured against."""

    words: torch.Tensor
    norm: torch.Tensor

    def __init__(self, model: Any, plain: Any) -> None:
        """`plain` makes the tokens of a word."""
        super().__init__()
        self.tower = model.model.visual
        table = model.get_input_embeddings().weight.detach().float()
        words = torch.stack([table[plain(f" {name}")].mean(0) for name in CLASSES])
        self.register_buffer("norm", table.norm(dim=-1).mean())
        words = words - table.mean(0)
        self.register_buffer("words", nn.functional.normalize(words, dim=-1))
        self.scale = nn.Parameter(torch.tensor(8.0))
        self.bias = nn.Parameter(torch.full((len(CLASSES),), -3.0))

    def forward(
        self, patches: torch.Tensor, grid: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Features in the length of words, (cells, hidden), and logits, (cells, classes)."""
        seen = self.tower(patches, grid_thw=grid).pooler_output / self.norm
        return seen, self.scale * seen @ self.words.T + self.bias


def awake(model: Any, seed: int) -> None:
    """Gives the tower's last layer, which starts at almost nothing, weights to learn from."""
    weight = model.model.visual.get_parameter(_LAST)
    nn.init.normal_(weight, std=0.02, generator=torch.Generator().manual_seed(seed))


class Oculist:
    """Trains eyes: AdamW with a one-cycle rate."""

    def __init__(self, eyes: Eyes, rate: float, steps: int) -> None:
        self._eyes = eyes
        self._parameters = [one for one in eyes.parameters() if one.requires_grad]
        self._optimizer = torch.optim.AdamW(self._parameters, lr=rate, weight_decay=0.02)
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._optimizer, rate, total_steps=steps + 1
        )

    def learn(self, batches: Iterable[list[Look]]) -> Iterator[float]:
        """Learns from batches of pictures, a step each; yields the loss."""
        for batch in batches:
            patches = torch.cat([look.patches for look in batch])
            grid = torch.cat([look.grid for look in batch])
            features, logits = self._eyes(patches, grid)
            loss = _loss(features, logits, [look.cells for look in batch])
            self._optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(self._parameters, 1.0)
            self._optimizer.step()
            self._schedule.step()
            yield float(loss.detach())

    def state(self) -> dict[str, Any]:
        """What is needed to go on later, the eyes themselves aside."""
        return {"optimizer": self._optimizer.state_dict(), "schedule": self._schedule.state_dict()}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Goes on from a state."""
        self._optimizer.load_state_dict(state["optimizer"])
        self._schedule.load_state_dict(state["schedule"])


@torch.no_grad()
def seen_right(eyes: Eyes, looks: Iterable[Look]) -> Mapping[str, tuple[float, float, int]]:
    """By class: share of pages with it on which it is seen, of those without on which it is not; and how many have it."""
    there, told = [], []
    for look in looks:
        _, logits = eyes(look.patches, look.grid)
        there.append(look.cells.amax(0) > 0)
        told.append(logits.amax(0) > 0)
    truth, said = torch.stack(there), torch.stack(told)
    return {
        name: (
            float((said & truth)[:, at].sum() / truth[:, at].sum().clamp(min=1)),
            float((~said & ~truth)[:, at].sum() / (~truth)[:, at].sum().clamp(min=1)),
            int(truth[:, at].sum()),
        )
        for at, name in enumerate(CLASSES)
    }


def tower_of(model: Any) -> dict[str, torch.Tensor]:
    """The tower's tensors as a part of an adapter, float16; see `model.adapter`."""
    tower = model.model.visual.state_dict()
    return {VISION + name: one.detach().half().contiguous() for name, one in tower.items()}


def _loss(features: torch.Tensor, logits: torch.Tensor, cells: list[torch.Tensor]) -> torch.Tensor:
    there = torch.cat(cells)
    weight = torch.where(there > 0, _RARE, 1.0)
    each = nn.functional.binary_cross_entropy_with_logits(logits, there, weight)
    pages = zip(torch.split(logits, [len(one) for one in cells]), cells, strict=True)
    page = torch.stack(
        [
            nn.functional.binary_cross_entropy_with_logits(told.amax(0), one.amax(0))
            for told, one in pages
        ]
    ).mean()
    norm = (features.norm(dim=-1) - 1).square().mean()
    return torch.as_tensor(each + _PAGE * page + _NORM * norm)
