"""How long each stage of a request took, and what was decided on the way."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from edge_clm.types import Reason, Stage


class Trace:
    """The stages of one request, in the order in which they first ended; each name once. And its reasons."""

    def __init__(self) -> None:
        self.reasons: tuple[Reason, ...] = ()
        self._ms: dict[str, float] = {}

    def decided(self, step: str, outcome: str, detail: str = "") -> None:
        """Notes what was decided; nothing of what page or question say may be in it."""
        self.reasons += (Reason(step, outcome, detail),)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Times what happens inside; a stage that fails is not counted."""
        started = time.perf_counter()
        yield
        self.add([Stage(name, _ms_since(started))])

    @contextmanager
    def waiting(self) -> Iterator[Trace]:
        """Counts as `queue` what happens inside, less the stages that are added there."""
        started, before = time.perf_counter(), sum(self._ms.values())
        yield self
        worked = sum(self._ms.values()) - before
        self.add([Stage("queue", max(0.0, _ms_since(started) - worked))])

    def add(self, stages: Iterable[Stage]) -> None:
        """Notes stages that were timed elsewhere."""
        for stage in stages:
            self._ms[stage.name] = self._ms.get(stage.name, 0.0) + stage.ms

    def ms(self, *names: str) -> float:
        """Milliseconds of some stages so far, together."""
        return sum(self._ms.get(name, 0.0) for name in names)

    @property
    def stages(self) -> tuple[Stage, ...]:
        """What has been timed so far."""
        return tuple(Stage(name, ms) for name, ms in self._ms.items())


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
