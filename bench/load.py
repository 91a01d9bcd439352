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
    """CPU-seconds used since each process started."""

    at: float
    seconds: dict[tuple[int, float], float]
    """By process id and start time, so that a reused id is not taken for its predecessor."""
    names: dict[tuple[int, float], str]


def usage(own: set[int]) -> Usage:
    """What every process but `own` has used so far."""
    seconds: dict[tuple[int, float], float] = {}
    names: dict[tuple[int, float], str] = {}
    for process in psutil.process_iter(["pid", "create_time", "cpu_times", "name"]):
        info = process.info
        if info["pid"] in own or info["cpu_times"] is None:
            continue
        key = (info["pid"], info["create_time"])
        seconds[key] = info["cpu_times"].user + info["cpu_times"].system
        names[key] = info["name"] or "?"
    return Usage(time.monotonic(), seconds, names)


def between(before: Usage, after: Usage) -> tuple[float, list[str]]:
    """Cores kept busy between two looks, and who kept them busy, the busiest first.

    A process that ended in between is missed; the next look catches what replaced it.
    """
    wall = max(after.at - before.at, 1e-9)
    used = {key: now - before.seconds.get(key, 0.0) for key, now in after.seconds.items()}
    busiest = sorted(used, key=lambda key: used[key], reverse=True)[:3]
    named = [
        f"{after.names[key]} ({key[0]}) {used[key] / wall:.2f}" for key in busiest if used[key]
    ]
    return sum(used.values()) / wall, named


def own_processes() -> set[int]:
    """This process, its parents (the shell that started it) and its descendants."""
    me = psutil.Process()
    family = [me, *me.parents(), *me.children(recursive=True)]
    return {process.pid for process in family}


class Quiet:
    """Holds measuring until the machine is idle, and knows whether it stayed so."""

    def __init__(self, wait_s: float, *, any_load: bool) -> None:
        self._wait_s = wait_s
        self._any_load = any_load
        self._since: Usage | None = None

    def wait(self) -> None:
        """Returns once others use less than the limit; raises BenchError when they go on."""
        give_up = time.monotonic() + self._wait_s
        load, busiest = self._look()
        told = False
        while load > LIMIT and not self._any_load:
            if not told:
                say(f"waiting for the machine to fall idle: {_who(load, busiest)}")
                told = True
            if time.monotonic() > give_up:
                raise BenchError(
                    f"the machine did not fall idle within {duration(self._wait_s)}: "
                    f"{_who(load, busiest)}. Stop that, wait longer (--wait), or take figures that "
                    "say they are not comparable (--any-load)"
                )
            load, busiest = self._look()
        say(f"load besides this bench {load:.2f}, load average {os.getloadavg()[0]:.2f}")
        self._since = usage(own_processes())

    def note(self) -> str:
        """What a reader must know beside every figure; empty when the machine was idle throughout."""
        if self._since is None:
            return ""
        load, _ = between(self._since, usage(own_processes()))
        say(f"load besides this bench while measuring {load:.2f}")
        return f"others kept {load:.1f} cores busy: not comparable" if load > LIMIT else ""

    def _look(self) -> tuple[float, list[str]]:
        before = usage(own_processes())
        time.sleep(_WINDOW_S)
        return between(before, usage(own_processes()))


def _who(load: float, busiest: list[str]) -> str:
    return f"others keep {load:.2f} cores busy, {LIMIT} are allowed ({', '.join(busiest)})"
