"""Things that are kept at hand while the bytes that they hold fit."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shelf(Generic[T]):
    """The things that were used last, as many as fit; the very last one stays however large it is."""

    def __init__(self, room: int, most: int | None = None) -> None:
        """`room`: bytes; `most`: how many things at most, None for any number."""
        self._room = room
        self._most = most
        self._things: OrderedDict[Hashable, tuple[T, int]] = OrderedDict()

    def get(self, key: Hashable) -> T | None:
        """What is kept under a key, which is then the last one used."""
        if key not in self._things:
            return None
        self._things.move_to_end(key)
        return self._things[key][0]

    def put(self, key: Hashable, thing: T, size: int) -> None:
        """Keeps a thing that holds so many bytes; those that were not used for longest make room."""
        self._things[key] = thing, size
        self._things.move_to_end(key)
        while len(self._things) > 1 and self._over():
            self._things.popitem(last=False)

    def _over(self) -> bool:
        held = sum(size for _, size in self._things.values())
        return held > self._room or (self._most is not None and len(self._things) > self._most)
