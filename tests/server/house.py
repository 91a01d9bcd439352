"""A real daemon on real sockets over a scripted answerer, for tests of the server wing alone.

The engine's part is played, since loading a model for every test would take minutes; what the real
one does over these sockets is tested end to end elsewhere.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import grpc
from google.rpc import error_details_pb2
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

from edge_clm.admission import Admission
from edge_clm.config import Config
from edge_clm.document import ReadPage
from edge_clm.errors import AnswerUnknown, StoreUnavailable
from edge_clm.extractor import Extracted, Order
from edge_clm.identify import Shown
from edge_clm.inquiry import Inquiry
from edge_clm.link import ModelInfo
from edge_clm.paper import (
    Candidate,
    Check,
    Difference,
    Evidence,
    Extraction,
    Field,
    Flaw,
    Grounded,
    Grounding,
    Notice,
    NoticeKind,
    PageKind,
    PageText,
    Table,
)
from edge_clm.server import listen
from edge_clm.server.auth import new_token
from edge_clm.server.daemon import Daemon
from edge_clm.server.listen import Bound
from edge_clm.types import (
    Answer,
    Capture,
    Drafted,
    File,
    Finish,
    Outcome,
    Reason,
    ServeMode,
    Stage,
    View,
)
from edge_clm.v1 import admin_pb2_grpc, edge_clm_pb2_grpc
from edge_clm.v1 import edge_clm_pb2 as pb
from edge_clm.values.value import Day, Money, Quantity, Value
from tests.certificates import Made

Script = Callable[[Inquiry], AsyncGenerator[str | Answer, None]]


NOTICE = Notice(
    NoticeKind.CHANGED, "c_0", 3, 1_750_000_000.5, (Difference("total", "$4.10", "$4.20"),)
)


def an_answer(text: str, **changes: Any) -> Answer:
    """A whole answer with every field set to something telling."""
    values: dict[str, Any] = {
        "id": "a_1",
        "text": text,
        "outcome": Outcome.ANSWERED,
        "mode": ServeMode.WARM,
        "finish": Finish.STOP,
        "stages": (Stage("receive", 1.5), Stage("generate", 20.0)),
        "page": 2,
        "pages": 3,
        "handle": "c_1",
        "prompt_tokens": 40,
        "answer_tokens": 5,
        "dropped_lines": 1,
        "drafted": Drafted(3, 2),
        "notices": (NOTICE,),
        "reasons": (Reason("lookup", "too_old", "3 s"),),
        "stored": True,
        "age_s": 7.0,
        "turn": 90,
        "width": 800,
        "height": 600,
        "grounding": Grounding(
            Grounded.YES, Money(Decimal("4.20"), "USD"), (Evidence("$4.20", BOX),)
        ),
    }
    return Answer(**{**values, **changes})


async def echo(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
    """Answers with the question, in two pieces."""
    text = inquiry.question or "a page"
    yield text[:3]
    yield text[3:]
    yield an_answer(text)


@dataclass
class Scripted:
    """An answerer that does what a script says, and remembers what it was asked."""

    script: Script = echo
    inquiries: list[Inquiry] = field(default_factory=list)
    uploads: list[tuple[str, bytes]] = field(default_factory=list)
    judgements: list[tuple[str, str, bool, str]] = field(default_factory=list)
    open: int = 0
    """Answers that were begun and neither ended nor were closed."""
    changed: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def answer(self, inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        self.inquiries.append(inquiry)
        await self._count(1)
        try:
            async for event in self.script(inquiry):
                yield event
        finally:
            await self._count(-1)

    async def has_open(self, count: int) -> None:
        """Waits until that many answers are under way."""
        async with self.changed, asyncio.timeout(20):
            await self.changed.wait_for(lambda: self.open == count)

    async def _count(self, change: int) -> None:
        async with self.changed:
            self.open += change
            self.changed.notify_all()

    async def put_capture(self, tenant: str, data: bytes, deadline: float) -> Capture:
        self.uploads.append((tenant, data))
        return Capture(tenant, "c_up", "0" * 64, "image/png", 1, len(data), True)

    async def feedback(self, tenant: str, answer_id: str, right: bool, correction: str) -> None:
        if answer_id != "a_1":
            raise AnswerUnknown("no such answer", field="answer_id")
        self.judgements.append((tenant, answer_id, right, correction))


PAGE = PageText((), 90, 800, 600, (Flaw.GLARE,))
BOX = ((1.0, 2.0), (30.0, 2.0), (30.0, 12.0), (1.0, 12.0))


def a_candidate(raw: str, value: Value | None, confidence: float = 0.75) -> Candidate:
    return Candidate(raw, value, (Evidence(raw, BOX, 2),), confidence)


EXTRACTION = Extraction(
    PageKind.INVOICE,
    "en",
    fields=(
        Field("total", a_candidate("$4.20", Money(Decimal("4.20"), "USD"))),
        Field(
            "date",
            a_candidate("04/05/26", Day((date(2026, 5, 4), date(2026, 4, 5)))),
            alternatives=(a_candidate("1 May 2026", Day((date(2026, 5, 1),)), 0.5),),
            ambiguous=True,
            look_again=True,
        ),
    ),
    tables=(Table("lines", ((Field("quantity", a_candidate("2", Quantity(Decimal(2)))),),)),),
    checks=(Check("lines_subtotal", False, Money(Decimal("4.00")), Money(Decimal("4.20"))),),
)


@dataclass
class ScriptedExtractor:
    """An extractor that finds the same on every page, and remembers what it was asked."""

    orders: list[Order] = field(default_factory=list)

    async def extract(self, order: Order) -> Extracted:
        self.orders.append(order)

        async def no_file() -> File:
            raise AssertionError("nobody needs the file")

        shown = Shown(View("c_1", 2, "0" * 64, 600, 800, "k"), 3, no_file, keepable=True)
        page = ReadPage(shown, PAGE, known=True)
        return Extracted(
            EXTRACTION, (page,), ((NOTICE,),), ServeMode.WARM, (Stage("extract", 4.0),)
        )


class Machine:
    """Stands where the engine's process would: ready or lost at a test's word."""

    def __init__(self, ready: bool) -> None:
        self.fingerprint = "f" * 64
        self.models = (ModelInfo("vision_language", "nano", "e" * 64, "cpu"),)
        self.restarts = 0
        self.silent_s = 0.0
        self.fatal: Exception | None = None
        self._up = asyncio.Condition()
        self._is_up = ready

    async def set(self, up: bool, fatal: Exception | None = None) -> None:
        async with self._up:
            self._is_up, self.fatal = up, fatal
            self._up.notify_all()

    async def wait_ready(self) -> None:
        async with self._up:
            await self._up.wait_for(lambda: self._is_up or self.fatal is not None)
        if self.fatal:
            raise self.fatal

    async def wait_lost(self) -> None:
        async with self._up:
            await self._up.wait_for(lambda: not self._is_up)


class Counting:
    """The store, as far as the server wing knows it."""

    fails = False

    async def counts(self) -> dict[str, int]:
        if self.fails:
            raise StoreUnavailable("locked")
        return {"captures": 3, "snapshots": 4}

    async def counts_by_tenant(self) -> dict[str, dict[str, int]]:
        return {"acme": {"captures": 2}, "shop": {"captures": 1}}


@dataclass
class Breaker:
    """The cache breaker, as far as the server wing knows it."""

    faults: int = 0
    reading_stopped: bool = False
    writing_stopped: bool = False


@dataclass
class ScriptedParts:
    """The shape of `build.Parts`."""

    answerer: Scripted
    engine: Machine
    extractor: ScriptedExtractor = field(default_factory=ScriptedExtractor)
    admission: Admission = field(default_factory=lambda: Admission(1, 8, 4))
    decoding: Admission = field(default_factory=lambda: Admission(1, 8, 4))
    breaker: Breaker = field(default_factory=Breaker)
    store: Counting = field(default_factory=Counting)


@dataclass
class House:
    """A running daemon and the ways to it."""

    config: Config
    parts: ScriptedParts
    token: str
    bound: asyncio.Future[Bound]
    task: asyncio.Task[int]
    channels: list[grpc.aio.Channel] = field(default_factory=list)

    def channel(self, address: str = "") -> grpc.aio.Channel:
        """A connection to `address`, or over the unix socket."""
        target = address or f"unix:{self.config.server.socket}"
        made = grpc.aio.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)])
        self.channels.append(made)
        return made

    def secure(self, address: str, ca: Path, who: Made | None = None) -> grpc.aio.Channel:
        """A connection with TLS, as `who`."""
        own = (who.key.read_bytes(), who.certificate.read_bytes()) if who else ()
        credentials = grpc.ssl_channel_credentials(ca.read_bytes(), *own)
        options = [("grpc.use_local_subchannel_pool", 1)]
        made = grpc.aio.secure_channel(address, credentials, options=options)
        self.channels.append(made)
        return made

    def stub(self, address: str = "", channel: grpc.aio.Channel | None = None) -> Any:
        return edge_clm_pb2_grpc.EdgeClmServiceStub(channel or self.channel(address))

    def admin(self, channel: grpc.aio.Channel | None = None) -> Any:
        return admin_pb2_grpc.EdgeClmAdminServiceStub(channel or self.channel())

    async def health(self, service: str = "", address: str = "") -> str:
        stub = health_pb2_grpc.HealthStub(self.channel(address))
        request = health_pb2.HealthCheckRequest(service=service)
        response = await stub.Check(request, timeout=5)
        return health_pb2.HealthCheckResponse.ServingStatus.Name(response.status)

    async def serving(self) -> Bound:
        """Where it listens, once it answers questions."""
        return await asyncio.wait_for(asyncio.shield(self.bound), 10)

    async def stop(self) -> int:
        """Ends it the way systemd would, and hurries; returns its exit code."""
        while not self.task.done():
            signal.raise_signal(signal.SIGTERM)
            await asyncio.wait({self.task}, timeout=2)
        return self.task.result()


def configured(tmp_path: Path, **sections: dict[str, Any]) -> Config:
    """A configuration whose every path is in `tmp_path`."""
    server = {
        "socket": str(tmp_path / "run" / "d.sock"),
        "tcp": "127.0.0.1:0",
        "grace_s": 5.0,
        **sections.pop("server", {}),
    }
    memory = {"directory": str(tmp_path / "memory")}
    return Config(server=server, memory=memory, **sections)


@asynccontextmanager
async def house(
    tmp_path: Path, script: Script = echo, *, ready: bool = True, **sections: dict[str, Any]
) -> AsyncIterator[House]:
    """Runs a daemon over a script until left."""
    token, line = new_token("acme")
    tokens = tmp_path / "tokens"
    tokens.write_text(line + "\n")
    tokens.chmod(0o600)
    sections["server"] = {"tokens": str(tokens), **sections.get("server", {})}
    config = configured(tmp_path, **sections)
    parts = ScriptedParts(Scripted(script), Machine(ready))
    bound: asyncio.Future[Bound] = asyncio.get_running_loop().create_future()
    with listen.claimed(Path(config.server.socket)):
        task = asyncio.create_task(Daemon(config, parts).run(bound.set_result))
        running = House(config, parts, token, bound, task)
        try:
            reached = asyncio.ensure_future(running.channel().channel_ready())
            await asyncio.wait(
                {task, bound if ready else reached}, return_when=asyncio.FIRST_COMPLETED
            )
            reached.cancel()
            yield running
        finally:
            for channel in running.channels:
                await channel.close()
            await running.stop()


def bearer(token: str) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


def asking(question: str = "What is the total?", **fields: Any) -> pb.AskRequest:
    return pb.AskRequest(**{"question": question, "page": pb.Page(image=b"img"), **fields})


def streaming(question: str = "What is the total?") -> pb.AskStreamRequest:
    return pb.AskStreamRequest(question=question, page=pb.Page(image=b"img"))


@dataclass(frozen=True)
class Told:
    """What an error told the caller."""

    code: str
    reason: str
    message: str
    remedy: str
    fields: tuple[str, ...]
    retry_after_s: float | None


async def refused(call: Any) -> Told:
    """The error that awaiting `call` ends in."""
    try:
        await call
    except grpc.aio.AioRpcError as error:
        return told(error)
    raise AssertionError("the call was answered")


def told(error: grpc.aio.AioRpcError) -> Told:
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    retry, wait = error_details_pb2.RetryInfo(), None
    status = rpc_status.from_call(_Call(error))
    for detail in status.details if status else ():
        detail.Unpack(info)
        detail.Unpack(bad)
        if detail.Unpack(retry):
            wait = retry.retry_delay.ToMilliseconds() / 1000
    return Told(
        error.code().name,
        info.reason,
        error.details() or "",
        info.metadata["remedy"],
        tuple(violation.field for violation in bad.field_violations),
        wait,
    )


class _Call:
    """An aio error in the shape that grpc_status reads."""

    def __init__(self, error: grpc.aio.AioRpcError) -> None:
        self.code, self.details = error.code, error.details
        self.trailing_metadata = error.trailing_metadata
