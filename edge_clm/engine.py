"""The engine as the event loop sees it: a process of its own that is started, watched and restarted.

Decoding, OCR and the model run there, so that neither a heavy model nor a hostile file can hold up
or take down the daemon.
"""

from __future__ import annotations

import asyncio
import itertools
import logging
import os
import socket
import time
from asyncio.subprocess import DEVNULL, Process
from collections import deque
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from dataclasses import dataclass
from typing import Any

from edge_clm import worker
from edge_clm.config import PREFIX, Config
from edge_clm.errors import EdgeClmError, EngineLost
from edge_clm.paper import PageText
from edge_clm.types import File, Seen, Step, Task

log = logging.getLogger(__name__)

_LOSSES = 3
_LOSS_WINDOW_S = 300.0
_BACKOFF_S = 2.0
_SPAWN_BACKOFF_S = 5.0
_PING_S = 5.0
_UNANSWERED = 6
"""Pings in a row after which an engine that answers none is taken for dead, and killed."""
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


class EngineProcess:
    """Runs the workshop in a child process; implements `types.Engine`.

    A child that ends is started again and what was under way fails with EngineLost; one that ends
    three times in five minutes is given up. Belongs to one event loop.
    """

    def __init__(self, config: Config) -> None:
        self.restarts = 0
        self._config = config
        self._link: _Link | None = None
        self._ready: Ready | None = None
        self._fatal: EdgeClmError | None = None
        self._losses: deque[float] = deque(maxlen=_LOSSES)
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

        Raises what keeps the engine from starting: ModelMissing, ModelDamaged, ConfigInvalid, or
        EngineLost when it was given up.
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
            try:
                await self._run_child()
                self._note_loss()
            except EngineLost:
                self._note_loss()
                await asyncio.sleep(_BACKOFF_S)
            except OSError as error:
                # Too few descriptors or processes for now, most likely: it is worth waiting for some.
                log.error("the engine cannot be spawned: %s", error.strerror)  # noqa: TRY400
                self._note_loss()
                await asyncio.sleep(_SPAWN_BACKOFF_S * len(self._losses))
            except EdgeClmError as error:
                self._fatal = error
            except Exception:
                # Whatever it is, those who wait must hear of it.
                log.exception("the engine cannot be run")
                self._fatal = EngineLost("the engine cannot be run")
            finally:
                self._tell()

    def _note_loss(self) -> None:
        now = asyncio.get_running_loop().time()
        self._losses.append(now)
        if len(self._losses) == _LOSSES and now - self._losses[0] < _LOSS_WINDOW_S:
            self._fatal = EngineLost(f"the engine ended {_LOSSES} times in a row; given up")
        else:
            self.restarts += 1

    async def _run_child(self) -> None:
        """Starts a child and returns when it has ended; raises what keeps it from starting."""
        link = await _Link.open(self._config)
        self._link = link
        try:
            self._ready = await link.handshake()
            self._tell()
            pinging = asyncio.create_task(link.ping())
            try:
                await link.serve()
            finally:
                pinging.cancel()
        finally:
            self._link = None
            self._tell()
            await link.close()


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

    @property
    def silent_s(self) -> float:
        return time.monotonic() - self._heard

    @classmethod
    async def open(cls, config: Config) -> _Link:
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                *worker.child_command("edge_clm.workshop", theirs.fileno()),
                pass_fds=(theirs.fileno(),),
                stdin=DEVNULL,
                stdout=DEVNULL,
                env=_child_environment(),
            )
        reader, writer = await asyncio.open_connection(sock=ours, limit=_SOCKET_BUFFER)
        writer.write(worker.pack(("config", config.model_dump_json())))
        return cls(process, reader, writer)

    async def handshake(self) -> Ready:
        message = await self._receive()
        if message is None:
            raise EngineLost(f"the engine ended with {await self.process.wait()} while starting")
        kind, _, value = message
        if kind == worker.FAIL:
            raise value
        self.ready = True
        self._heard = time.monotonic()
        ready: Ready = value
        return ready

    async def serve(self) -> None:
        """Hands what the child sends to whoever waits for it; returns when the child has ended."""
        try:
            while (message := await self._receive()) is not None:
                kind, number, value = message
                self._heard = time.monotonic()
                if number in self._calls:
                    self._calls[number].put_nowait((kind, value))
        finally:
            self.ready = False
            for call in self._calls.values():
                lost = EngineLost("the engine ended while it worked", retry_after_s=5.0)
                call.put_nowait((worker.FAIL, lost))

    async def ping(self, every_s: float = _PING_S) -> None:
        """Kills a child that has gone silent: stopped, or stuck where no call will ever end.

        Pings are counted and not seconds, or a daemon that was itself held up would blame the child.
        """
        unanswered = 0
        while unanswered < _UNANSWERED:
            heard = self._heard
            # Never waits for room: what a stopped child has not read stands in the way for ever.
            self._writer.write(worker.pack((worker.PING, 0)))
            await asyncio.sleep(every_s)
            unanswered = unanswered + 1 if self._heard == heard else 0
        log.error("the engine has answered none of %d pings and is ended", _UNANSWERED)
        with suppress(ProcessLookupError):
            self.process.kill()

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

    async def close(self) -> None:
        self._writer.close()
        with suppress(ProcessLookupError):
            self.process.kill()
        await self.process.wait()
        with suppress(OSError):
            await self._writer.wait_closed()

    async def _send(self, message: tuple[object, ...]) -> None:
        try:
            self._writer.write(worker.pack(message))
            await self._writer.drain()
        except OSError as error:
            raise EngineLost("the engine is gone", retry_after_s=5.0) from error

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
