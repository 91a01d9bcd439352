"""The cache breaker: a memory that cannot be reached costs misses, never errors and never a long wait."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from edge_clm.errors import DiskFull, StoreUnavailable

T = TypeVar("T")

OPEN_S = 10.0
"""Seconds for which a memory that could not be reached is left alone."""
PATIENCE_S = 0.5
"""Seconds after which a look-up that has not come back is a miss."""
WRITE_PATIENCE_S = 3.0
"""Seconds that an answer waits for being kept; the write itself goes on."""

log = logging.getLogger(__name__)


class CacheBreaker:
    """Asks memory, and takes a fault for a miss; after one it does not ask again for a while.

    Reading and writing break apart: a full disk takes no answer but still gives those it has.
    """

    def __init__(
        self,
        open_s: float = OPEN_S,
        patience_s: float = PATIENCE_S,
        write_patience_s: float = WRITE_PATIENCE_S,
    ) -> None:
        self._reading = _Breaker(open_s)
        self._writing = _Breaker(open_s)
        self._patience_s = patience_s
        self._write_patience_s = write_patience_s

    @property
    def faults(self) -> int:
        """How often memory could not be reached."""
        return self._reading.faults + self._writing.faults

    @property
    def reading_stopped(self) -> bool:
        """Whether nothing is looked up just now."""
        return self._reading.is_open

    @property
    def writing_stopped(self) -> bool:
        """Whether nothing is kept just now."""
        return self._writing.is_open

    async def read(self, work: Coroutine[Any, Any, T], otherwise: T) -> T:
        """What memory says; `otherwise` where it cannot say it soon, or could not a moment ago."""
        return await self._reading.run(work, otherwise, self._patience_s)

    async def write(self, work: Coroutine[Any, Any, T], otherwise: T) -> T:
        """What writing returned; `otherwise` where that takes long, fails, or failed a moment ago."""
        return await self._writing.run(work, otherwise, self._write_patience_s)


class _Breaker:
    """One of the two."""

    def __init__(self, open_s: float) -> None:
        self.faults = 0
        self._open_s = open_s
        self._open_until = 0.0

    @property
    def is_open(self) -> bool:
        return time.monotonic() < self._open_until

    async def run(self, work: Coroutine[Any, Any, T], otherwise: T, patience_s: float) -> T:
        if self.is_open:
            work.close()
            return otherwise
        patience = asyncio.timeout(patience_s)
        try:
            async with patience:
                return await work
        except (StoreUnavailable, DiskFull) as error:
            self._break(error.reason)
        except TimeoutError:
            if not patience.expired():
                raise
            self._break("SLOW")
        return otherwise

    def _break(self, reason: str) -> None:
        self.faults += 1
        self._open_until = time.monotonic() + self._open_s
        log.warning("memory is left alone for %.0f s: %s", self._open_s, reason)
