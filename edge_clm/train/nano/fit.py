"""The training itself: one packed page after another, loss on answers only."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from edge_clm.train.nano.lora import LoraLinear
from edge_clm.train.nano.pack import Packed

_WARM_UP = 0.03
_LEAST = 0.05
"""Of the learning rate, at the end."""


@dataclass(frozen=True, slots=True)
class Step:
    """What one page has told."""

    page: int
    loss: float
    exact: float
    """Share of its turns whose every token was the likeliest: what greedy decoding would have said."""


class Trainer:
    """Learns the changes of a model's linear layers; AdamW with a warm-up and a cosine."""

    def __init__(
        self, model: Any, layers: Mapping[str, LoraLinear], rate: float, pages: int, batch: int
    ) -> None:
        """`pages`: how many there will be; `batch`: after how many of them a step is taken."""
        self._model = model
        self._batch = batch
        self._parameters = [p for layer in layers.values() for p in (layer.down, layer.up)]
        self._optimizer = torch.optim.AdamW(
            self._parameters, lr=rate, betas=(0.9, 0.98), weight_decay=0.01
        )
        steps = max(1, pages // batch)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: _course(step / steps)
        )

    def learn(self, pages: Iterator[tuple[Packed, torch.Tensor]], done: int = 0) -> Iterator[Step]:
        """Learns from packed pages with the pictures' features, (picture tokens, hidden), one after another."""
        for number, (packed, features) in enumerate(pages, start=done + 1):
            loss, exact = answer_loss(self._model, packed, features)
            (loss / self._batch).backward()  # type: ignore[no-untyped-call]
            if number % self._batch == 0:
                torch.nn.utils.clip_grad_norm_(self._parameters, 1.0)
                self._optimizer.step()
                self._optimizer.zero_grad(set_to_none=True)
                self._schedule.step()
            yield Step(number, float(loss.detach()), float(exact.float().mean()))

    def state(self) -> dict[str, Any]:
        """What is needed to go on later."""
        return {"optimizer": self._optimizer.state_dict(), "schedule": self._schedule.state_dict()}

    def resume(self, state: Mapping[str, Any]) -> None:
        """Goes on from a state."""
        self._optimizer.load_state_dict(state["optimizer"])
        self._schedule.load_state_dict(state["schedule"])


def answer_loss(
    model: Any, packed: Packed, features: torch.Tensor
) -> tuple[torch.Tensor, torch.Tensor]:
    """The weighted mean loss of all answer tokens, and for each turn whether it is exact.

    Logits are worked out only where an answer's token comes.
    """
    device = model.device
    embedded = model.get_input_embeddings()(packed.ids.to(device))
    first, last = packed.image
    embedded[0, first:last] = features.to(embedded)
    hidden = model.model.language_model(
        inputs_embeds=embedded,
        position_ids=packed.positions.to(device),
        attention_mask={"full_attention": packed.mask.to(device)},
        use_cache=False,
    ).last_hidden_state
    logits = model.lm_head(hidden[0, packed.asked.to(device)]).float()
    wanted, weight = packed.wanted.to(device), packed.weight.to(device)
    loss = torch.nn.functional.cross_entropy(logits, wanted, reduction="none")
    right = (logits.argmax(-1) == wanted).long()
    turns = int(packed.turn.max()) + 1
    exact = torch.ones(turns, dtype=torch.long, device=device)
    exact = exact.scatter_reduce(0, packed.turn.to(device), right, "amin")
    return (loss * weight).sum() / weight.sum(), exact.bool()


def _course(share: float) -> float:
    """The learning rate's share after that share of all steps."""
    if share < _WARM_UP:
        return max(share, 1e-3) / _WARM_UP
    along = min(1.0, (share - _WARM_UP) / (1 - _WARM_UP))
    return _LEAST + (1 - _LEAST) * 0.5 * (1 + math.cos(math.pi * along))
