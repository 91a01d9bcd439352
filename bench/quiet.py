"""Whether anything else runs on this machine: a figure taken beside other work is no figure."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass

import psutil

from bench.failure import BenchError
from bench.progress import duration, say

LIMIT = 0.5
"""Cores that others may keep busy."""
_WINDOW_S = 3.0


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU-seconds spent so far."""

    at: float
    """Seconds on a clock that only goes forward."""
    machine: float
    """By everything, and so also by what has ended meanwhile."""
    own: float
    """By this bench and what it started, whether it still runs or not."""
    others: dict[tuple[int, float, str], float]
    """By every other process that runs: id, start time and name, to say who it is."""


def usage() -> Usage:
    """What has been used so far."""
    family = [psutil.Process(), *psutil.Process().children(recursive=True)]
    times = psutil.cpu_times()
    return Usage(
        time.monotonic(),
        times.user + times.nice + times.system + times.irq + times.softirq,
        sum(_spent(process) for process in family),
        _others({process.pid for process in family}),
    )


def between(before: Usage, after: Usage) -> tuple[float, list[str]]:
    """Cores that others kept busy between two looks, and who they are, the busiest first."""
    wall = max(after.at - before.at, 1e-9)
    others = (after.machine - before.machine) - (after.own - before.own)
    used = {who: spent - before.others.get(who, 0.0) for who, spent in after.others.items()}
    busiest = sorted(used, key=lambda who: used[who], reverse=True)[:3]
    named = [f"{who[2]} ({who[0]}) {used[who] / wall:.2f}" for who in busiest if used[who] > 0]
    return max(0.0, others / wall), named


class Quiet:
    """Holds measuring until the machine is idle, and knows whether it stayed so."""

    def __init__(self, wait_s: float, *, any_load: bool) -> None:
        self._wait_s = wait_s
        self._any_load = any_load
        self._since: Usage | None = None

    def wait(self) -> None:
        """Returns once others use less than the limit; raises BenchError when they go on."""
        give_up = time.monotonic() + self._wait_s
        load, busiest = _look()
        if load > LIMIT and not self._any_load:
            say(f"waiting for the machine to fall idle: {_who(load, busiest)}")
        while load > LIMIT and not self._any_load:
            if time.monotonic() > give_up:
                raise BenchError(
                    f"the machine did not fall idle within {duration(self._wait_s)}: "
                    f"{_who(load, busiest)}. Stop that, wait longer (--wait), or take figures that "
                    "say they are not comparable (--any-load)"
                )
            load, busiest = _look()
        say(f"load besides this bench {load:.2f}, load average {os.getloadavg()[0]:.2f}")
        self._since = usage()

    def note(self) -> str:
        """What a reader must know beside every figure; empty when the machine was idle throughout."""
        if self._since is None:
            return ""
        load, _ = between(self._since, usage())
        say(f"load besides this bench while measuring {load:.2f}")
        return f"others kept {load:.1f} cores busy: not comparable" if load > LIMIT else ""


def _look() -> tuple[float, list[str]]:
    before = usage()
    time.sleep(_WINDOW_S)
    return between(before, usage())


def _spent(process: psutil.Process) -> float:
    """By a process and by those of its children that have ended."""
    try:
        return float(sum(process.cpu_times()[:4]))
    except psutil.NoSuchProcess:
        return 0.0  # It has just ended: whoever started it has taken over its time.


def _others(own: set[int]) -> dict[tuple[int, float, str], float]:
    found = {}
    for process in psutil.process_iter(["pid", "create_time", "cpu_times", "name"]):
        info = process.info
        if info["pid"] not in own and info["cpu_times"] is not None:
            who = (info["pid"], info["create_time"], info["name"] or "?")
            found[who] = float(sum(info["cpu_times"][:2]))
    return found


def _who(load: float, busiest: list[str]) -> str:
    return f"others keep {load:.2f} cores busy, {LIMIT} are allowed ({', '.join(busiest)})"
