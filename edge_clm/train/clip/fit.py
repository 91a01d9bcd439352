"""The training itself: captures of one sheet together, captures and words of one page together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from edge_clm.train.clip.tower import MEAN, STD

_TEXT = 0.2
"""What a page's words count beside a second capture of the sheet: pictures this small cannot be read."""
_DECAY = 0.05
_HOTTEST = 4.6052
"""Logarithm of 100, beyond which open_clip lets no temperature go."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Sheets seen twice: first all pages, then their look-alikes."""

    ink: torch.Tensor
    """uint8, (2, sheets, side, side)."""
    words: torch.Tensor
    """int64, (pages, 128)."""


@dataclass(frozen=True, slots=True)
class Told:
    """What one step has told."""

    loss: float
    right: float
    """Share of captures whose nearest of the other captures shows the same sheet."""


class Trainer:
    """Learns with open_clip's loss; AdamW with a one-cycle rate."""

    def __init__(self, model: Any, rate: float, steps: int, *, half: bool) -> None:
        """`half` works in bfloat16 where that is enough."""
        import open_clip

        self._model = model.to(memory_format=torch.channels_last).train()
        self._half = half
        self._loss = open_clip.ClipLoss()
        named = list(model.named_parameters())
        groups = [
            {"params": [one for _, one in named if one.ndim > 1], "weight_decay": _DECAY},
            {"params": [one for _, one in named if one.ndim <= 1], "weight_decay": 0.0},
        ]
        self._optimizer = torch.optim.AdamW(groups, lr=rate)
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._optimizer, rate, total_steps=steps + 1, pct_start=0.15
        )

    @torch.no_grad()
    def centre(self, batch: Batch) -> None:
        """Takes from all vectors what those of a batch have in common, before anything is learnt.

        Untrained, all pictures have almost one vector, and the loss hardly tells which way to go.
        """
        seen = self._model.encode_image(self._pictures(batch))
        self._model.visual.attnpool.c_proj.bias -= seen.mean(dim=0)

    def learn(self, batches: Iterable[Batch]) -> Iterator[Told]:
        """Learns from batches, a step each."""
        for batch in batches:
            first, second, text = self._features(batch)
            scale = self._model.logit_scale.exp()
            same = self._loss(first, second, scale)
            # A look-alike has the words of its page: only pages are told from each other by them.
            said = self._loss(first[: len(text)], text, scale)
            loss = same + _TEXT * said
            self._optimizer.zero_grad(set_to_none=True)
            loss.backward()
            torch.nn.utils.clip_grad_norm_(self._model.parameters(), 1.0)
            self._optimizer.step()
            self._schedule.step()
            with torch.no_grad():
                self._model.logit_scale.clamp_(0, _HOTTEST)
                right = (first @ second.T).argmax(1) == torch.arange(len(first))
            yield Told(float(loss.detach()), float(right.float().mean()))

    def state(self) -> dict[str, Any]:
        """What is needed to go on later."""
        parts = {"model": self._model, "optimizer": self._optimizer, "schedule": self._schedule}
        return {name: part.state_dict() for name, part in parts.items()}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Goes on from a state."""
        self._model.load_state_dict(state["model"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._schedule.load_state_dict(state["schedule"])

    def _features(self, batch: Batch) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        """Unit vectors of both captures and of the words, float32."""
        sheets = batch.ink.shape[1]
        with torch.autocast("cpu", torch.bfloat16, enabled=self._half):
            seen = self._model.encode_image(self._pictures(batch)).float()
            text = self._model.encode_text(batch.words).float()
        seen, text = (torch.nn.functional.normalize(one, dim=-1) for one in (seen, text))
        return seen[:sheets], seen[sheets:], text

    @staticmethod
    def _pictures(batch: Batch) -> torch.Tensor:
        pictures = (batch.ink.flatten(0, 1)[:, None].float() / 255 - MEAN) / STD
        return pictures.expand(-1, 3, -1, -1).contiguous(memory_format=torch.channels_last)
