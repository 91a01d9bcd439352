"""The engine as the event loop sees it: a process of its own that is started, watched and restarted.

Decoding, OCR and the model run there, so that neither a heavy model nor a hostile file can hold up
or take down the daemon.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import signal
import socket
import time
from asyncio.subprocess import DEVNULL, Process
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

from edge_clm import worker
from edge_clm.config import PREFIX, Config
from edge_clm.errors import DeviceFault, EdgeClmError, EngineHung, EngineLost
from edge_clm.paper import Extraction, PageText
from edge_clm.types import File, Seen, Step, Task

log = logging.getLogger(__name__)

_LOSSES = 3
_LOSS_WINDOW_S = 300.0
_RECURS_S = 3600.0
"""A hang or a fault of the device that comes again within this is none that another child heals."""
_BACKOFF_S = 2.0
_SPAWN_BACKOFF_S = 5.0
_PING_S = 5.0
_UNANSWERED = 6
"""Pings in a row after which an engine that answers none is taken for dead, and killed."""
_DEATH_S = 10.0
"""How long a killed child may take to end; one that waits for a device may never do so."""
_SOCKET_BUFFER = 1 << 20
_WORKSHOP = "edge_clm.workshop"


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


class EngineProcess:
    """Runs the workshop in a child process; implements `types.Engine`.

    A child that ends is started again and what was under way fails with EngineLost. So is one whose
    device fails and, once it has been ended, one that answers no ping or shows no progress for
    `limits.stall_s`. One that ends three times in five minutes is given up, and so is a device
    fault or a hang that comes again within an hour. Belongs to one event loop.
    """

    def __init__(self, config: Config, *, module: str = _WORKSHOP, ping_s: float = _PING_S) -> None:
        """`module` is what the child runs, `ping_s` how often it is asked whether it gets on."""
        self.restarts = 0
        self._config = config
        self._module = module
        self._ping_s = ping_s
        self._link: _Link | None = None
        self._ready: Ready | None = None
        self._fatal: EdgeClmError | None = None
        self._losses = _Losses()
        self._changed = asyncio.Event()
        self._keeper: asyncio.Task[None] | None = None

    @property
    def fingerprint(self) -> str:
        """Hex SHA-256 of everything that shapes an answer; raises EngineLost before the first start."""
        return self._known().fingerprint

    @property
    def ocr_fingerprint(self) -> str:
        """Hex SHA-256 of everything that shapes a page's text; raises like `fingerprint`."""
        return self._known().ocr_fingerprint

    @property
    def models(self) -> tuple[ModelInfo, ...]:
        """The models that run; raises like `fingerprint`."""
        return self._known().models

    @property
    def pid(self) -> int | None:
        """The child's process id while it runs."""
        return self._link.process.pid if self._link else None

    @property
    def silent_s(self) -> float:
        """Seconds since the child was last heard, which is pinged every 5; 0 while none is ready."""
        return self._link.silent_s if self._link and self._link.ready else 0.0

    def start(self) -> None:
        """Begins to start the child; `wait_ready` tells when it can answer."""
        self._keeper = asyncio.create_task(self._keep())

    async def close(self) -> None:
        """Ends the child and whatever it was doing."""
        if self._keeper:
            self._keeper.cancel()
            with suppress(asyncio.CancelledError):
                await self._keeper

    async def wait_ready(self) -> None:
        """Returns once a real answer has come out of the model.

        Raises what keeps the engine from starting: ModelMissing, ModelDamaged, ConfigInvalid,
        MemoryExhausted, or EngineLost, DeviceFault or EngineHung when it was given up.
        """
        while self._link is None or not self._link.ready:
            if self._fatal:
                raise self._fatal
            await self._changed.wait()

    async def wait_lost(self) -> None:
        """Returns once the child that is ready now has ended."""
        link = self._link
        while link is not None and self._link is link:
            await self._changed.wait()

    async def decode(self, file: File, page: int) -> tuple[Seen, float]:
        """Checks and unpacks one page, in so many milliseconds; raises the image errors of `errors`."""
        seen: tuple[Seen, float] = await self._call("decode", file, page)
        return seen

    async def read(self, file: File, page: int) -> tuple[PageText, float]:
        """Reads the text of one page, in so many milliseconds."""
        text: tuple[PageText, float] = await self._call("read", file, page)
        return text

    async def extract(self, pages: Sequence[tuple[int, PageText]]) -> tuple[Extraction, float]:
        """What stands on the pages of a document, in so many milliseconds of work."""
        extraction: tuple[Extraction, float] = await self._call("extract", pages)
        return extraction

    async def answer(self, task: Task) -> AsyncGenerator[Step, None]:
        """Answers a question about a page; closing it stops the model within one token."""
        async with aclosing(self._open().stream("answer", task)) as steps:
            async for kind, value in steps:
                if kind == worker.ITEM:
                    yield value

    async def _call(self, method: str, *arguments: object) -> Any:
        async with aclosing(self._open().stream(method, *arguments)) as steps:
            async for kind, value in steps:
                if kind == worker.DONE:
                    return value
        raise EngineLost("the engine ended while it worked")

    def _open(self) -> _Link:
        if self._link is None or not self._link.ready:
            raise EngineLost("the engine is not running", retry_after_s=5.0)
        return self._link

    def _known(self) -> Ready:
        if self._ready is None:
            raise EngineLost("the engine has not started yet", retry_after_s=5.0)
        return self._ready

    def _tell(self) -> None:
        changed, self._changed = self._changed, asyncio.Event()
        changed.set()

    async def _keep(self) -> None:
        """Runs one child after another until closed or given up."""
        while self._fatal is None:
            pause_s = await self._run_one()
            self._tell()
            if self._fatal is None:
                await asyncio.sleep(pause_s)

    async def _run_one(self) -> float:
        """Runs one child to its end; returns how long to wait before the next, in seconds."""
        try:
            self._note(await self._run_child())
        except EngineLost as error:
            self._note(error)
            return _BACKOFF_S
        except OSError as error:
            # Too few descriptors or processes for now, most likely: it is worth waiting for some.
            self._note(EngineLost(f"the engine cannot be spawned: {error.strerror}"))
            return _SPAWN_BACKOFF_S * self._losses.count
        except EdgeClmError as error:
            self._fatal = self._losses.unhealed(error)
        except Exception:
            # Whatever it is, those who wait must hear of it.
            log.exception("the engine cannot be run")
            self._fatal = EngineLost("the engine cannot be run")
        return 0.0

    def _note(self, loss: EngineLost) -> None:
        log.error("the engine was lost: %s", loss.message)
        self._fatal = self._fatal or self._losses.verdict(loss)
        if self._fatal is None:
            self.restarts += 1

    async def _run_child(self) -> EngineLost:
        """Starts a child and returns how it was lost; raises what keeps it from starting."""
        limits = self._config.limits
        link = await _Link.open(self._config, self._module)
        self._link = link
        try:
            self._ready = await link.handshake(limits.load_s)
            self._tell()
            pinging = asyncio.create_task(link.ping(limits.stall_s, self._ping_s))
            try:
                await link.serve()
            finally:
                pinging.cancel()
        finally:
            self._link = None
            self._tell()
            if not await link.close():
                # Another one could not have the device either.
                self._fatal = EngineHung("the engine does not end, though it was killed")
        return link.loss()


class _Losses:
    """How the engine was lost so far, and when that is too much."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=_LOSSES)
        self._last: EngineLost | None = None
        self._kinds: dict[type[EngineLost], float] = {}

    @property
    def count(self) -> int:
        """How many losses are remembered."""
        return len(self._times)

    def verdict(self, loss: EngineLost) -> EngineLost | None:
        """Takes a loss in; returns with what the engine is to be given up, or None to try again."""
        kind, now = type(loss), time.monotonic()
        recurs = now - self._kinds.get(kind, -_RECURS_S) < _RECURS_S
        self._times.append(now)
        self._kinds[kind] = now
        self._last = loss
        if recurs and kind is not EngineLost:
            return kind(f"{loss.message}, and not for the first time; given up")
        if len(self._times) == _LOSSES and now - self._times[0] < _LOSS_WINDOW_S:
            return kind(f"{loss.message}; given up after {_LOSSES} ends in a row")
        return None

    def unhealed(self, error: EdgeClmError) -> EdgeClmError:
        """What keeps the engine from starting; after a hang or a device fault that is the cause."""
        if self._last is None or type(self._last) is EngineLost:
            return error
        return type(self._last)(f"{self._last.message}, and now: {error.message}")


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


class _Link:
    """One child process and the calls that are under way in it."""

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
        return time.monotonic() - self._heard

    @classmethod
    async def open(cls, config: Config, module: str) -> _Link:
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
    return {**kept, "ORT_DISABLE_TELEMETRY": "1", "HF_HUB_OFFLINE": "1"}
