"""The engine's child process at the other end of a socket pair, and the calls under way in it."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
import socket
import time
from asyncio.subprocess import DEVNULL, Process
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from edge_clm import worker
from edge_clm.config import PREFIX, Config
from edge_clm.errors import DeviceFault, EngineHung, EngineLost
from edge_clm.types import Embedder

_UNANSWERED = 6
"""Pings in a row after which an engine that answers none is taken for dead, and killed."""
_DEATH_S = 10.0
"""How long a killed child may take to end; one that waits for a device may never do so."""
_SOCKET_BUFFER = 1 << 20


@dataclass(frozen=True, slots=True)
class ModelInfo:
    """A model that the engine runs."""

    role: str
    name: str
    fingerprint: str
    device: str


@dataclass(frozen=True, slots=True)
class Ready:
    """What the engine's process tells once it has answered its warm-up."""

    fingerprint: str
    ocr_fingerprint: str
    models: tuple[ModelInfo, ...]
    embedder: Embedder | None = None
    """None where captures are not recalled."""


class _Pulse:
    """In how many pongs in a row each lane of the child has stood still."""

    def __init__(self) -> None:
        self._lanes: dict[str, tuple[int | None, int]] = {}

    @property
    def still(self) -> int:
        """The most of all lanes."""
        return max((count for _, count in self._lanes.values()), default=0)

    def take(self, pulses: dict[str, int | None]) -> None:
        """Compares a pong with the one before."""
        for lane, pulse in pulses.items():
            before, count = self._lanes.get(lane, (None, 0))
            still = pulse is not None and pulse == before
            self._lanes[lane] = (pulse, count + 1 if still else 0)


class Link:
    """One child process and the calls that are under way in it; `open` starts one."""

    def __init__(
        self, process: Process, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        self.process = process
        self.ready = False
        self._reader = reader
        self._writer = writer
        self._numbers = itertools.count(1)
        self._calls: dict[int, asyncio.Queue[tuple[str, Any]]] = {}
        self._heard = time.monotonic()
        self._pulse = _Pulse()
        self._begun = False
        self._hung = ""

    @property
    def silent_s(self) -> float:
        """Seconds since anything came from the child."""
        return time.monotonic() - self._heard

    @classmethod
    async def open(cls, config: Config, module: str) -> Link:
        """Starts `module` in a child; raises OSError where the system has no room for one."""
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *worker.child_command(module, theirs.fileno()),
                pass_fds=(theirs.fileno(),),
                stdin=DEVNULL,
                stdout=DEVNULL,
                env=_child_environment(),
            )
        reader, writer = await asyncio.open_connection(sock=ours, limit=_SOCKET_BUFFER)
        writer.write(worker.pack(("config", config.model_dump_json())))
        return cls(process, reader, writer)

    async def handshake(self, within_s: float) -> Ready:
        """What the child tells once it can answer; raises what kept it from that, or EngineHung."""
        try:
            async with asyncio.timeout(within_s):
                message = await self._receive()
        except TimeoutError as error:
            raise EngineHung(f"the engine has not come up within {within_s:g} s") from error
        if message is None:
            await self._ended()
            raise self.loss()
        kind, _, value = message
        if kind == worker.FAIL:
            raise value
        self.ready = self._begun = True
        self._heard = time.monotonic()
        ready: Ready = value
        return ready

    async def serve(self) -> None:
        """Hands what the child sends to whoever waits for it; returns when the child has ended."""
        try:
            while (message := await self._receive()) is not None:
                kind, number, value = message
                self._heard = time.monotonic()
                if kind == worker.PONG:
                    self._pulse.take(value)
                elif number in self._calls:
                    self._calls[number].put_nowait((kind, value))
        finally:
            self.ready = False
            for call in self._calls.values():
                call.put_nowait((worker.FAIL, self._broken("the engine ended while it worked")))

    async def ping(self, stall_s: float, every_s: float) -> None:
        """Kills a child that has gone silent, or one of whose calls has made no progress for `stall_s`.

        Pings are counted and not seconds, or a machine that slept, or a daemon that was itself held
        up, would blame the child.
        """
        unanswered = 0
        while unanswered < _UNANSWERED and self._pulse.still * every_s < stall_s:
            heard = self._heard
            # Never waits for room: what a stopped child has not read stands in the way for ever.
            self._writer.write(worker.pack((worker.PING, 0)))
            await asyncio.sleep(every_s)
            unanswered = unanswered + 1 if self._heard == heard else 0
        self._hung = f"the engine has made no progress for {stall_s:g} s"
        if unanswered == _UNANSWERED:
            self._hung = f"the engine has answered none of {_UNANSWERED} pings"
        self._kill()

    def loss(self) -> EngineLost:
        """How the child was lost, told by its end."""
        code = self.process.returncode
        if self._hung:
            return EngineHung(self._hung)
        if code == DeviceFault.exit_code:
            return DeviceFault("the device failed under the engine")
        return EngineLost(
            f"the engine ended with {code}" + ("" if self._begun else " while starting")
        )

    async def stream(
        self, method: str, *arguments: object
    ) -> AsyncGenerator[tuple[str, Any], None]:
        """Yields (kind, value) until the call is done; closing it early cancels the call."""
        number = next(self._numbers)
        call: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
        self._calls[number] = call
        ended = False
        try:
            await self._send((worker.CALL, number, method, arguments))
            while not ended:
                kind, value = await call.get()
                ended = kind != worker.ITEM
                if kind == worker.FAIL:
                    raise value
                yield kind, value
        finally:
            del self._calls[number]
            if not ended and self.ready:
                self._writer.write(worker.pack((worker.CANCEL, number)))

    async def close(self) -> bool:
        """Ends the child; False where it does not end."""
        self._writer.close()
        self._kill()
        ended = await self._ended()
        with suppress(OSError):
            await self._writer.wait_closed()
        return ended

    def _broken(self, message: str) -> EngineLost:
        """What a call that is under way fails with."""
        return (EngineHung if self._hung else EngineLost)(message, retry_after_s=5.0)

    def _kill(self) -> None:
        # Process.kill would poll first, and so take the exit code from where asyncio waits for it.
        if self.process.returncode is None:
            with suppress(ProcessLookupError):
                os.kill(self.process.pid, signal.SIGKILL)

    async def _ended(self, within_s: float = _DEATH_S) -> bool:
        with suppress(TimeoutError):
            await asyncio.wait_for(self.process.wait(), within_s)
        return self.process.returncode is not None

    async def _send(self, message: tuple[object, ...]) -> None:
        try:
            self._writer.write(worker.pack(message))
            await self._writer.drain()
        except OSError as error:
            raise self._broken("the engine is gone") from error

    async def _receive(self) -> tuple[Any, ...] | None:
        try:
            head = await self._reader.readexactly(worker.head_size())
            return worker.unpack(await self._reader.readexactly(worker.body_size(head)))
        except (asyncio.IncompleteReadError, OSError):
            return None


def _child_environment() -> dict[str, str]:
    # The configuration travels over the socket, resolved; the child must not resolve it again.
    kept = {key: value for key, value in os.environ.items() if not key.startswith(PREFIX)}
    # Threads that wait by spinning take the cores from the event loop, and from each other's library.
    kept.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    # Each of glibc's arenas keeps the most that a thread has ever needed; an hour of pages showed it.
    kept.setdefault("MALLOC_ARENA_MAX", "2")
    # Blocks that are mapped one by one are cleared page by page, a fifth of an OCR's time; in large
    # pages, where the kernel grants them, it is next to nothing.
    kept.setdefault("GLIBC_TUNABLES", "glibc.malloc.hugetlb=1")
    return {**kept, "ORT_DISABLE_TELEMETRY": "1", "HF_HUB_OFFLINE": "1"}
