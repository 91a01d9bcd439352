"""How long each stage of a request took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from edge_clm.types import Stage


class Trace:
    """The stages of one request, in the order in which they ended."""

    def __init__(self) -> None:
        self._stages: list[Stage] = []

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Times what happens inside; a stage that fails is not counted."""
        started = time.perf_counter()
        yield
        self.add(Stage(name, (time.perf_counter() - started) * 1000))

    def add(self, stage: Stage) -> None:
        """Notes a stage that was timed elsewhere."""
        self._stages.append(stage)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What has been timed so far."""
        return tuple(self._stages)
