"""The training itself: batches of lessons, every cell asked, and the stretch as a whole."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from edge_clm.page.comparator import Comparator
from edge_clm.train.look.lesson import Lesson

_RARE = 3.0
"""By how much a cell with a mark counts more than one without."""
_WHOLE = 0.3
"""What being right about the stretch as a whole counts."""
_WARM_UP = 0.04
_LEAST = 0.02
"""Of the learning rate, at the end."""


class Trainer:
    """Learns the weights of a comparator; AdamW with a warm-up and a cosine."""

    def __init__(self, comparator: Comparator, rate: float, steps: int, *, half: bool) -> None:
        """`half` works in bfloat16 where that is enough."""
        self._half = half
        self._comparator = comparator
        self._optimizer = torch.optim.AdamW(comparator.parameters(), lr=rate, weight_decay=0.02)
        self._schedule = torch.optim.lr_scheduler.LambdaLR(
            self._optimizer, lambda step: _course(step / steps)
        )

    def learn(self, batches: Iterable[Sequence[Lesson]]) -> Iterator[float]:
        """Takes a step for each batch; yields its loss."""
        self._comparator.train()
        for lessons in batches:
            known, seen = (
                pictures([getattr(one, name) for one in lessons]) for name in ("known", "seen")
            )
            wanted = torch.from_numpy(np.stack([one.wanted for one in lessons]))
            marked = torch.tensor([bool(one.sort) for one in lessons])
            with torch.autocast("cpu", torch.bfloat16, enabled=self._half):
                told = self._comparator(known, seen)
            loss = loss_of(told.float(), wanted, marked)
            self._optimizer.zero_grad(set_to_none=True)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self._comparator.parameters(), 1.0)
            self._optimizer.step()
            self._schedule.step()
            yield float(loss.detach())

    def state(self) -> dict[str, Any]:
        """What is needed to go on later."""
        return {
            "comparator": self._comparator.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "schedule": self._schedule.state_dict(),
        }

    def resume(self, state: Mapping[str, Any]) -> None:
        """Goes on from a state."""
        self._comparator.load_state_dict(state["comparator"])
        self._optimizer.load_state_dict(state["optimizer"])
        self._schedule.load_state_dict(state["schedule"])


def loss_of(told: Tensor, wanted: Tensor, marked: Tensor) -> Tensor:
    """How wrong logits are, (pairs, rows, columns), cell by cell and pair by pair.

    `wanted`: 1, 0 or, where nobody can say, NaN; `marked`, (pairs,): which have a change. A pair is
    not asked as a whole where its change can be seen plainly nowhere.
    """
    asked = ~torch.isnan(wanted)
    weight = torch.where(wanted > 0.5, _RARE, 1.0) * asked
    each = functional.binary_cross_entropy_with_logits(
        told, torch.nan_to_num(wanted), reduction="none"
    )
    cells = (each * weight).sum() / weight.sum().clamp(min=1)
    plain = (torch.nan_to_num(wanted) > 0.5).flatten(1).any(1)
    sure = plain | ~marked
    whole = functional.binary_cross_entropy_with_logits(
        told.flatten(1).amax(1), plain.float(), reduction="none"
    )
    pairs = (whole * sure).sum() / sure.sum().clamp(min=1)
    return cells + _WHOLE * pairs


def pictures(looks: Sequence[np.ndarray[Any, np.dtype[np.uint8]]]) -> Tensor:
    """Pictures of one size as the comparator takes them."""
    return torch.from_numpy(np.stack(looks)).permute(0, 3, 1, 2).float()


def _course(share: float) -> float:
    """The learning rate's share after that share of all steps."""
    if share < _WARM_UP:
        return max(share, 1e-3) / _WARM_UP
    along = min(1.0, (share - _WARM_UP) / (1 - _WARM_UP))
    return _LEAST + (1 - _LEAST) * 0.5 * (1 + math.cos(math.pi * along))
