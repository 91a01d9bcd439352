"""Threads that look at a daemon while others work it: its health, and what it holds."""

from __future__ import annotations

import threading
import time
import urllib.request
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import psutil

from bench.daemon import Daemon
from bench.failure import BenchError
from edge_clm.client import Client, ClientError

MIB = 2**20


class Watch(ABC):
    """Looks every `every_s` seconds while entered; a look that is late delays the next."""

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=type(self).__name__)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    @abstractmethod
    def look(self) -> None:
        """Takes one look."""

    def _run(self) -> None:
        while not self._stop.is_set():
            self.look()
            self._stop.wait(self._every_s)


class HealthWatch(Watch):
    """Asks for health as an orchestrator does, over a connection of its own."""

    def __init__(self, client: Client, every_s: float = 0.1) -> None:
        super().__init__(every_s)
        self._client = client
        self.times_ms: list[float] = []
        self.wrong: list[str] = []
        """Everything but SERVING that was said."""

    def look(self) -> None:
        """One Check."""
        started = time.perf_counter()
        try:
            status = self._client.health()
        except ClientError as error:
            status = error.reason
        self.times_ms.append((time.perf_counter() - started) * 1000)
        if status != "SERVING":
            self.wrong.append(status)


@dataclass(frozen=True, slots=True)
class Held:
    """What a daemon and its children hold together."""

    rss_mib: float
    descriptors: int
    threads: int


class HoldingWatch(Watch):
    """Samples memory, file descriptors and threads."""

    def __init__(self, daemon: Daemon, every_s: float = 1.0) -> None:
        super().__init__(every_s)
        self._daemon = daemon
        self.samples: list[Held] = []

    def look(self) -> None:
        """One sample; none while a child comes or goes."""
        try:
            self.samples.append(held(self._daemon))
        except psutil.NoSuchProcess:
            return


def held(daemon: Daemon) -> Held:
    """What the daemon and its children hold now; raises psutil.NoSuchProcess while one goes."""
    family = daemon.family()
    return Held(
        sum(process.memory_info().rss for process in family) / MIB,
        sum(process.num_fds() for process in family),
        sum(process.num_threads() for process in family),
    )


def metric(address: str, name: str) -> float:
    """One figure from the daemon's Prometheus page; raises BenchError where it is missing."""
    with urllib.request.urlopen(f"http://{address}/metrics", timeout=10) as page:
        lines = page.read().decode().splitlines()
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
