"""Page states: the KV of a page up to where a question starts, shared and never written to again."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from transformers.cache_utils import Cache, DynamicLayer

from edge_clm.errors import PageStateGone


class RoomyLayer(DynamicLayer):  # type: ignore[misc]
    """One layer's keys and values in a buffer with room, written in place as tokens come.

    (1, KV heads, tokens, head size) each. The stock layer copies everything at every token.
    """

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self._capacity = capacity
        self._room: tuple[torch.Tensor, torch.Tensor] = (torch.empty(0), torch.empty(0))

    def lazy_initialization(self, keys: torch.Tensor, values: torch.Tensor) -> None:
        """Takes the room at the first write, when shape and type are known."""
        super().lazy_initialization(keys, values)
        self._room = (_room_like(keys, self._capacity), _room_like(values, self._capacity))
        self.keys, self.values = (room[:, :, :0] for room in self._room)

    def update(
        self, keys: torch.Tensor, values: torch.Tensor, *_: Any, **__: Any
    ) -> tuple[torch.Tensor, torch.Tensor]:
        """Appends, and returns everything so far."""
        if not self.is_initialized:
            self.lazy_initialization(keys, values)
        start = self.keys.shape[-2]
        end = start + keys.shape[-2]
        for room, new in zip(self._room, (keys, values), strict=True):
            room[:, :, start:end].copy_(new)
        self.keys, self.values = (room[:, :, :end] for room in self._room)
        return self.keys, self.values


@dataclass(frozen=True, slots=True)
class PageState:
    """The page before any question, as the model holds it."""

    kv: tuple[tuple[torch.Tensor, torch.Tensor], ...] = field(repr=False)
    """Keys and values of each layer, (1, KV heads, tokens, head size)."""
    ids: tuple[int, ...] = field(repr=False)
    """Its tokens."""
    delta: int
    """What to add to a token's index for its position: a picture takes fewer positions than tokens."""
    dropped_lines: int

    @property
    def bytes(self) -> int:
        """Bytes of its tensors."""
        return sum(part.nbytes for pair in self.kv for part in pair)

    def to(self, device: Any) -> PageState:
        """The same on a device."""
        kv = tuple((keys.to(device), values.to(device)) for keys, values in self.kv)
        return replace(self, kv=kv)

    def opened(self, room: int) -> Cache:
        """A cache of its own for one request: a copy of the page with room for `room` more tokens."""
        cache = empty_cache(len(self.kv), len(self.ids) + room)
        for i, (keys, values) in enumerate(self.kv):
            cache.layers[i].update(keys, values)
        return cache


class PageStates:
    """The page states of the last pages, by key, within a byte budget that is never exceeded.

    A state larger than the budget is lent to the request that made it and kept only until the next
    one is made.
    """

    def __init__(self, budget: int) -> None:
        """`budget`: bytes."""
        self._budget = budget
        self._kept: OrderedDict[str, PageState] = OrderedDict()
        self._lent: tuple[str, PageState] | None = None
        self.bytes = 0

    def __contains__(self, key: str) -> bool:
        return key in self._kept

    def put(self, key: str, state: PageState) -> None:
        """Keeps a state in place of an older one of that key; the least recently used make room."""
        self._drop(key)
        self._lent = None
        if state.bytes > self._budget:
            self.lend(key, state)
            return
        while self.bytes + state.bytes > self._budget:
            self._drop(next(iter(self._kept)))
        self._kept[key] = state
        self.bytes += state.bytes

    def lend(self, key: str, state: PageState) -> None:
        """Has a state serve the request that made it, and no other; one of that key that was kept is gone."""
        self._drop(key)
        self._lent = (key, state)

    def get(self, key: str) -> PageState:
        """The state of a key, which is thereby the most recently used; raises PageStateGone."""
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        if self._lent and self._lent[0] == key:
            return self._lent[1]
        raise PageStateGone("the page state is no longer in memory")

    def _drop(self, key: str) -> None:
        if key in self._kept:
            self.bytes -= self._kept.pop(key).bytes


def empty_cache(layers: int, capacity: int) -> Cache:
    """A cache for `capacity` tokens."""
    return Cache(layers=[RoomyLayer(capacity) for _ in range(layers)])


def _room_like(part: torch.Tensor, capacity: int) -> torch.Tensor:
    batch, heads, _, size = part.shape
    return part.new_empty(batch, heads, capacity, size)
