"""The engine as the event loop sees it: a process of its own that is started, watched and restarted.

Decoding, OCR and the model run there, so that neither a heavy model nor a hostile file can hold up
or take down the daemon.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing, suppress
from typing import Any

from edge_clm import worker
from edge_clm.config import Config
from edge_clm.errors import EdgeClmError, EngineHung, EngineLost
from edge_clm.features import Features
from edge_clm.link import Link, ModelInfo, Ready
from edge_clm.paper import Difference, Extraction, Named, PageText, Quad
from edge_clm.types import Embedder, File, Judged, Known, Seen, Step, Task

log = logging.getLogger(__name__)

_LOSSES = 3
_LOSS_WINDOW_S = 300.0
_RECURS_S = 3600.0
"""A hang or a fault of the device that comes again within this is none that another child heals."""
_BACKOFF_S = 2.0
_SPAWN_BACKOFF_S = 5.0
_PING_S = 5.0
_WORKSHOP = "edge_clm.workshop"


class EngineProcess:
    """Runs the workshop in a child process; implements `ports.Engine`.

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
        self._link: Link | None = None
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
    def embedder(self) -> Embedder | None:
        """What makes vectors of captures; None where they are not recalled; raises like `fingerprint`."""
        return self._known().embedder

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

    async def embed(self, file: File, page: int) -> tuple[Features, float]:
        """What a page looks like, in so many milliseconds."""
        features: tuple[Features, float] = await self._call("embed", file, page)
        return features

    async def names(self, text: PageText) -> tuple[Named, float]:
        """What tells a page from all others, as read, in so many milliseconds."""
        named: tuple[Named, float] = await self._call("names", text)
        return named

    async def differ(self, before: PageText, now: PageText) -> tuple[tuple[Difference, ...], float]:
        """What reads otherwise on a page than on one of the same names, in so many milliseconds."""
        told: tuple[tuple[Difference, ...], float] = await self._call("differ", before, now)
        return told

    async def prepare(self, known: Known) -> None:
        """Makes ready what captures of a known page will be compared with."""
        await self._call("prepare", known)

    async def judge(
        self,
        known: Known,
        file: File,
        page: int,
        evidence: Sequence[Quad] | None,
        text: PageText | None = None,
    ) -> tuple[Judged, float]:
        """Whether a capture shows a known page and what boxes of that show, in so many milliseconds."""
        judged: tuple[Judged, float] = await self._call("judge", known, file, page, evidence, text)
        return judged

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

    def _open(self) -> Link:
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
        link = await Link.open(self._config, self._module)
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
