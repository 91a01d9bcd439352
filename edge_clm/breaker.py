"""The cache breaker: a memory that cannot be reached costs misses, never errors and never the wait."""

from __future__ import annotations

import logging
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

from edge_clm.errors import DiskFull, StoreUnavailable

T = TypeVar("T")

OPEN_S = 10.0
"""Seconds for which a memory that could not be reached is left alone."""

log = logging.getLogger(__name__)


class CacheBreaker:
    """Asks memory, and takes a fault for a miss; after one it does not ask again for a while."""

    def __init__(self, open_s: float = OPEN_S) -> None:
        self.faults = 0
        self._open_s = open_s
        self._open_until = 0.0

    async def ask(self, work: Coroutine[Any, Any, T], otherwise: T) -> T:
        """What memory says, or `otherwise` where it cannot be reached or was not a moment ago."""
        if time.monotonic() < self._open_until:
            work.close()
            return otherwise
        try:
            return await work
        except (StoreUnavailable, DiskFull) as error:
            self.faults += 1
            self._open_until = time.monotonic() + self._open_s
            log.warning("memory is left alone for %.0f s: %s", self._open_s, error.reason)
            return otherwise
