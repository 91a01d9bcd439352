"""A private daemon: the real one, as a process of its own, on a directory of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import psutil

from bench.failure import BenchError
from edge_clm.client import Client, ClientError

READY_S = 300.0
_POLL_S = 0.2
_STOP_S = 60.0


class Daemon:
    """Starts and stops `edge_clm serve`; the directory outlives restarts and goes with the object."""

    def __init__(self, models: Path, model: str, settings: Mapping[str, str] | None = None) -> None:
        # A unix socket's path may have 107 bytes, so the directory has a short name.
        self.home = Path(tempfile.mkdtemp(prefix="edge-clm-"))
        self.address = f"unix:{self.home / 'sock'}"
        self._settings = {
            "server.socket": str(self.home / "sock"),
            "server.tcp": "",
            "memory.directory": str(self.home / "memory"),
            "model.models": str(models),
            "model.name": model,
            "log.format": "json",
            **(settings or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None
        self._log: IO[bytes] | None = None

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.stop()
        finally:
            shutil.rmtree(self.home, ignore_errors=True)

    @property
    def log(self) -> Path:
        """What the daemon wrote to standard error."""
        return self.home / "log"

    def client(self, timeout_s: float = 300.0) -> Client:
        """A client with a connection of its own."""
        return Client(self.address, timeout_s=timeout_s)

    def start(self) -> None:
        """Starts it and waits until health says SERVING; raises BenchError with its last words."""
        command = [sys.executable, "-m", "edge_clm", "serve"]
        for key, value in self._settings.items():
            command += ["--set", f"{key}={value}"]
        self._log = self.log.open("ab")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env=_environment(),
        )
        self._await_ready(self._process)

    def stop(self) -> int:
        """SIGTERM, and the exit status; killed with its children where it does not end in time."""
        if self._process is None:
            return 0
        if self._process.poll() is None:
            self._process.terminate()
        return self.wait(_STOP_S)

    def terminate(self) -> None:
        """SIGTERM without waiting."""
        self._running().terminate()

    def kill(self) -> list[psutil.Process]:
        """SIGKILL to the daemon's own process alone; returns the children that it left behind."""
        process = self._running()
        children = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        self.wait(_STOP_S)
        return children

    def wait(self, timeout_s: float) -> int:
        """Waits for the end and returns the exit status; raises BenchError where it does not come."""
        process = self._running()
        family = _family(process.pid)
        try:
            return process.wait(timeout_s)
        except subprocess.TimeoutExpired as error:
            for member in family:
                _kill(member)
            process.wait()
            raise BenchError(f"the daemon did not end within {timeout_s:.0f} s; killed") from error
        finally:
            self._process = None
            if self._log is not None:
                self._log.close()

    def family(self) -> list[psutil.Process]:
        """The daemon and its children."""
        return _family(self._running().pid)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None:
            raise BenchError("the daemon is not running")
        return self._process

    def _await_ready(self, process: subprocess.Popen[bytes]) -> None:
        give_up = time.monotonic() + READY_S
        with self.client() as client:
            while not _serving(client):
                if process.poll() is not None:
                    self.wait(_STOP_S)
                    raise BenchError(f"the daemon ended while starting: {self._last_words()}")
                if time.monotonic() > give_up:
                    self.stop()
                    raise BenchError(f"the daemon was not ready within {READY_S:.0f} s")
                time.sleep(_POLL_S)

    def _last_words(self) -> str:
        lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
        return " | ".join(lines[-3:]) or "it said nothing"


def _serving(client: Client) -> bool:
    try:
        return client.health() == "SERVING"
    except ClientError:
        return False  # It does not listen yet; whether it ever will, the caller watches.


def _environment() -> dict[str, str]:
    """The caller's, less settings of the daemon: a bench measures the defaults."""
    return {key: value for key, value in os.environ.items() if not key.startswith("EDGE_CLM_")}


def _family(pid: int) -> list[psutil.Process]:
    try:
        process = psutil.Process(pid)
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _kill(process: psutil.Process) -> None:
    try:
        process.kill()
    except psutil.NoSuchProcess:
        return
