"""What the C library's allocator keeps for itself, and how it is made to give it back."""

from __future__ import annotations

import asyncio
import ctypes
import time

_M_MMAP_THRESHOLD = -3
"""Of glibc's mallopt: blocks from this size on are mapped one by one, and unmapped when freed."""


def map_large_blocks(size: int) -> None:
    """Maps blocks of `size` bytes and more one by one; glibc, left to itself, soon keeps them."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)  # another C library has none, and no need
    if mallopt is not None:
        mallopt(_M_MMAP_THRESHOLD, size)


class Heap:
    """The allocator's free pages, given back to the system now and then.

    glibc keeps an arena for each of many threads, and what a large page of a document once took there
    it keeps: the process stays as large as the worst it has met in every arena.
    """

    def __init__(self, every_s: float = 5.0) -> None:
        """`every_s` seconds lie between two times at least: it takes some milliseconds."""
        self._trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
        self._every_s = every_s
        self._next = 0.0

    def give_back(self) -> None:
        """Gives free pages back, unless that was done a moment ago; other threads go on meanwhile."""
        now = time.monotonic()
        if self._trim is not None and now >= self._next:
            self._next = now + self._every_s
            self._trim(0)


async def tend(every_s: float = 5.0) -> None:
    """Gives free pages back every so many seconds, until cancelled."""
    heap = Heap(0.0)
    while True:
        await asyncio.sleep(every_s)
        await asyncio.to_thread(heap.give_back)
