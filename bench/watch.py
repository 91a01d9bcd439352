"""Threads that look at a daemon while others work it: its health, and what it holds."""

from __future__ import annotations

import time
import urllib.request
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import psutil

from bench.beside import Beside
from bench.daemon import Daemon
from bench.failure import BenchError
from edge_clm.client import Client, ClientError

MIB = 2**20
_ENGINE = "edge_clm.workshop"
"""The module that the engine's process runs."""


class Watch(Beside):
    """Looks every `every_s` seconds while entered; a look that is late delays the next."""

    def __init__(self, every_s: float) -> None:
        super().__init__()
        self._every_s = every_s

    @abstractmethod
    def look(self) -> None:
        """Takes one look."""

    def run(self) -> None:
        """One look after the other."""
        while not self._stop.is_set():
            self.look()
            self._stop.wait(self._every_s)


class HealthWatch(Watch):
    """Asks for health as an orchestrator does, over a connection of its own."""

    def __init__(self, client: Client, every_s: float = 0.1) -> None:
        super().__init__(every_s)
        self._client = client
        self._started = time.monotonic()
        self.times_ms: list[list[float]] = []
        """Of every Check, minute by minute."""
        self.wrong: list[str] = []
        """Everything but SERVING that was said."""

    def look(self) -> None:
        """One Check."""
        started = time.monotonic()
        try:
            status = self._client.health()
        except ClientError as error:
            status = error.reason
        while len(self.times_ms) <= (started - self._started) // 60:
            self.times_ms.append([])
        self.times_ms[-1].append((time.monotonic() - started) * 1000)
        if status != "SERVING":
            self.wrong.append(status)


@dataclass(frozen=True, slots=True)
class Holding:
    """What one process holds."""

    rss_mib: float
    own_mib: float
    """Of that, what is in no file: weights that are mapped come and go as the kernel likes."""
    descriptors: int
    threads: int


@dataclass(frozen=True, slots=True)
class Held:
    """What a daemon and its engine hold at a moment."""

    at: float
    """Seconds on a clock that only goes forward."""
    daemon: Holding
    engine: Holding
    others: int
    """Further processes, such as the one that draws a PDF page; they come and go."""

    @property
    def rss_mib(self) -> float:
        """Of daemon and engine; pages that both map count twice."""
        return self.daemon.rss_mib + self.engine.rss_mib

    @property
    def own_mib(self) -> float:
        """Of daemon and engine, what is in no file."""
        return self.daemon.own_mib + self.engine.own_mib

    @property
    def descriptors(self) -> int:
        """Of daemon and engine."""
        return self.daemon.descriptors + self.engine.descriptors

    @property
    def threads(self) -> int:
        """Of daemon and engine."""
        return self.daemon.threads + self.engine.threads


class HoldingWatch(Watch):
    """Samples memory, file descriptors and threads."""

    def __init__(self, daemon: Daemon, every_s: float) -> None:
        super().__init__(every_s)
        self._daemon = daemon
        self.samples: list[Held] = []

    def look(self) -> None:
        """One sample; none while a process comes or goes."""
        try:
            self.samples.append(held(self._daemon))
        except psutil.NoSuchProcess:
            return


def held(daemon: Daemon) -> Held:
    """What the daemon and its engine hold now; raises psutil.NoSuchProcess while one is not there."""
    process, *others = daemon.family()
    engine = _engine(process)
    return Held(time.monotonic(), holding(process), holding(engine), len(others) - 1)


def _engine(daemon: psutil.Process) -> psutil.Process:
    """Only among the daemon's own children: what the engine starts looks like it for a moment."""
    for child in daemon.children():
        if _ENGINE in child.cmdline():
            return child
    raise psutil.NoSuchProcess(daemon.pid, msg="the daemon has no engine now")


def holding(process: psutil.Process) -> Holding:
    """What a process holds now; raises psutil.NoSuchProcess where it is gone."""
    with process.oneshot():
        memory = process.memory_info()
        own = memory.rss - memory.shared
        return Holding(memory.rss / MIB, own / MIB, process.num_fds(), process.num_threads())


def metric(address: str, name: str) -> float:
    """One figure from the daemon's Prometheus page; raises BenchError where it is missing."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as page:
        lines: Sequence[str] = page.read().decode().splitlines()
    for line in lines:
        if line.startswith(f"{name} "):
            return float(line.split()[1])
    raise BenchError(f"the daemon's metrics have no {name}")


def until(holds: Callable[[], bool], timeout_s: float) -> bool:
    """Waits for a condition; whether it came to hold."""
    give_up = time.monotonic() + timeout_s
    while not holds():
        if time.monotonic() > give_up:
            return False
        time.sleep(0.1)
    return True
