"""The judge at work: one known page after the other, in processes of their own."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.twins.known import Rig, open_rig
from bench.twins.pairs import Pairs, pair_trials
from bench.twins.sources import Source
from bench.twins.trials import Page
from bench.twins.tried import Extent, twin_trials

Unit = Source | Pairs


@dataclass(frozen=True, slots=True)
class Settings:
    """How much is tried on each page."""

    models: Path
    extent: Extent
    reads: bool
    """Whether captures are read whole before they are compared."""

    def name(self, unit: Unit) -> str:
        """Names a unit's trials among those of a revision."""
        return self._name(unit) + (", read" if self.reads else "")

    def _name(self, unit: Unit) -> str:
        if isinstance(unit, Pairs):
            others = " ".join(one.name for one in unit.others)
            return f"{unit.name} seed {unit.anchor.seed}: {others}"
        extent = self.extent
        tried = f"{extent.twins} twins, {extent.compared} compared, {extent.scrawls} scrawls"
        tried += f", {extent.retouched} retouched"
        served = f", served by {extent.served}" if extent.served else ""
        served += "" if extent.elsewhere else ", nothing elsewhere"
        return f"{unit.name} seed {unit.seed}: {tried}{served}"


_workers: list[tuple[Rig, Settings]] = []
"""What this process works with: one entry, once it has started as a worker."""


def work(units: Sequence[Unit], settings: Settings, workers: int) -> Iterator[tuple[Unit, Page]]:
    """Tries units, each in one of `workers` processes of one thread; yields them as they are done."""
    os.environ["OMP_NUM_THREADS"] = "1"
    context = multiprocessing.get_context("spawn")
    with context.Pool(workers, _start, (settings,)) as pool:
        yield from pool.imap_unordered(_try, units)


def _start(settings: Settings) -> None:
    import cv2

    cv2.setNumThreads(1)
    _workers.append((open_rig(settings.models, reads=settings.reads), settings))


def _try(unit: Unit) -> tuple[Unit, Page]:
    rig, settings = _workers[0]
    if isinstance(unit, Pairs):
        return unit, pair_trials(rig, unit)
    return unit, twin_trials(rig, unit, settings.extent)
