"""Tenant isolation: every call of the contract with every name of another tenant's that it can carry.

The table below says of each field of each request what it is. A call or a field that is not in it fails
`test_the_table_is_whole`; everything else runs off the table. The daemon is the real one, with its
sockets, its layers and its memory; only the engine is played, so that it can be seen what is asked of it.

There is nothing yet that names a dialogue. A snapshot is named by the id of its answer.
"""

from __future__ import annotations

import asyncio
import importlib
import pkgutil
import signal
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from enum import Enum
from itertools import product
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2

import edge_clm.v1
from edge_clm import build
from edge_clm.admission import Admission
from edge_clm.memory.store import Store
from edge_clm.server import listen
from edge_clm.server.auth import new_token
from edge_clm.server.daemon import Daemon
from edge_clm.server.roles import Role
from edge_clm.v1 import edge_clm_pb2 as pb
from tests.server.house import Machine, Told, bearer, configured, told
from tests.test_answer import Engine

FILE = b"three pages of the clinic's"
"""Of three pages, as the played engine sees it."""
PAGES = 3
QUESTION = "What is the total?"
FILL: Mapping[str, Any] = {"question": QUESTION, "judgement": pb.JUDGEMENT_WRONG}
"""Values of fields without which a request is refused whatever it names."""
ASK = "/edge_clm.v1.EdgeClmService/Ask"
ENDLESS = "/grpc.health.v1.Health/Watch"
NEIGHBOURS = ("shop", "shop's operator", "the socket")
"""All who are not the clinic; the last comes without a token, hence as the tenant `local`."""


class Kind(Enum):
    """What a field of a request is to another tenant."""

    HANDLE = "the name of a capture"
    NUMBER = "a page of the capture that is named beside it"
    ANSWER = "the name of an answer, hence of its snapshot"
    BYTES = "a document itself, which another tenant may have too"
    PLAIN = "nothing that anything is found by"


PAGE = {
    "page.image": Kind.BYTES,
    "page.handle": Kind.HANDLE,
    "page.number": Kind.NUMBER,
    "reuse.fresh": Kind.PLAIN,
    "reuse.no_store": Kind.PLAIN,
    "reuse.max_age_s": Kind.PLAIN,
}
GENERATION = {
    "generation.max_tokens": Kind.PLAIN,
    "generation.temperature": Kind.PLAIN,
    "generation.seed": Kind.PLAIN,
}
QUESTIONED = {**PAGE, **GENERATION, "question": Kind.PLAIN}
TABLE: Mapping[str, Mapping[str, Kind]] = {
    "/edge_clm.v1.EdgeClmService/Describe": {**PAGE, **GENERATION},
    "/edge_clm.v1.EdgeClmService/Extract": PAGE,
    "/edge_clm.v1.EdgeClmService/Ask": QUESTIONED,
    "/edge_clm.v1.EdgeClmService/AskStream": QUESTIONED,
    "/edge_clm.v1.EdgeClmService/PutCapture": {"chunk": Kind.BYTES},
    "/edge_clm.v1.EdgeClmService/GetInfo": {},
    "/edge_clm.v1.EdgeClmService/Feedback": {
        "answer_id": Kind.ANSWER,
        "judgement": Kind.PLAIN,
        "correction": Kind.PLAIN,
    },
    "/edge_clm.v1.EdgeClmAdminService/Stats": {"by_tenant": Kind.PLAIN},
    "/edge_clm.v1.EdgeClmAdminService/Explain": {"id": Kind.PLAIN},
    "/grpc.health.v1.Health/Check": {"service": Kind.PLAIN},
    "/grpc.health.v1.Health/List": {},
    "/grpc.health.v1.Health/Watch": {"service": Kind.PLAIN},
}


def contract() -> dict[str, MethodDescriptor]:
    """Every method that is declared under edge_clm.v1, and health's, by path."""
    found = [
        importlib.import_module(f"edge_clm.v1.{one.name}")
        for one in pkgutil.iter_modules(edge_clm.v1.__path__)
        if one.name.endswith("_pb2")
    ]
    services = [
        service
        for module in (*found, health_pb2)
        for service in module.DESCRIPTOR.services_by_name.values()
    ]
    return {f"/{s.full_name}/{method.name}": method for s in services for method in s.methods}


def fields(message: Descriptor, before: str = "") -> Iterator[str]:
    """The paths of all fields that carry a value, those of messages within messages too."""
    for one in message.fields:
        if one.type == FieldDescriptor.TYPE_MESSAGE:
            yield from fields(one.message_type, f"{before}{one.name}.")
        else:
            yield before + one.name


def with_kind(*kinds: Kind) -> list[str]:
    """The methods that have a field of such a kind."""
    return [path for path, row in TABLE.items() if set(kinds) & set(row.values())]


def for_operators() -> list[str]:
    """The methods that no device may call: all but those of the devices' service and health."""
    open_to_all = ("/edge_clm.v1.EdgeClmService/", "/grpc.health.v1.Health/")
    return [path for path in TABLE if not path.startswith(open_to_all)]


def filled(path: str) -> dict[str, Any]:
    """The values that a request of that method needs whatever it names."""
    return {name: value for name, value in FILL.items() if name in TABLE[path]}


def one_of(path: str, kind: Kind) -> str:
    """The field of that kind, with its dots written as __."""
    (found,) = (name for name, what in TABLE[path].items() if what is kind)
    return found.replace(".", "__")


def names(messages: Iterable[Message]) -> set[str]:
    """Every handle and every answer's id in what was answered."""
    every = list(messages)
    found = {
        getattr(one, name) for name in ("handle", "answer_id") for one in parts_of(every, name)
    }
    return found - {""}


def parts_of(messages: Iterable[Message], name: str) -> Iterator[Any]:
    """Every message in what was answered that has a field of that name."""
    for message in messages:
        if name in message.DESCRIPTOR.fields_by_name:
            yield message
        for one, value in message.ListFields():
            if one.type == FieldDescriptor.TYPE_MESSAGE:
                yield from parts_of(value if one.is_repeated else [value], name)


class Played(Machine, Engine):
    """An engine that is always ready and does as it is told."""

    def __init__(self) -> None:
        Machine.__init__(self, ready=True)
        models, fingerprint = self.models, self.fingerprint
        Engine.__init__(self)
        self.named = "number\n4711"
        self.models, self.fingerprint = models, fingerprint

    @property
    def page_keys(self) -> set[str]:
        """Under which keys it was asked for page states."""
        return {task.page_key for task in self.tasks}

    @property
    def done(self) -> tuple[int, int, int]:
        """How often it was asked to unpack, to read and to answer."""
        return self.decoded, self.read_pages, len(self.tasks)


@dataclass(frozen=True)
class End:
    """How a call ended: with messages, or with an error as it came over the wire."""

    messages: tuple[Message, ...] = ()
    told: Told | None = None
    status: bytes = b""
    """The whole google.rpc.Status: code, message and details."""
    headers: frozenset[str] = frozenset()
    """Names of the trailing metadata."""

    @property
    def code(self) -> str:
        return self.told.code if self.told else "OK"

    @property
    def reason(self) -> str:
        return self.told.reason if self.told else ""


@dataclass
class Street:
    """A daemon and those who live by it."""

    engine: Played
    address: str
    channel: grpc.aio.Channel
    tokens: Mapping[str, str]
    """By caller; a caller without one comes as the socket's tenant."""
    store: Store
    admission: Admission
    paths: Mapping[str, MethodDescriptor] = field(default_factory=contract)

    async def ask(self, caller: str, file: bytes = FILE) -> pb.Answer:
        """What a caller is told about the total of a file."""
        values = {"page__image": file, "page__number": PAGES, "question": QUESTION}
        (message,) = (await self.call(caller, ASK, **values)).messages
        assert isinstance(message, pb.AskResponse)
        return message.answer

    async def everything(self, caller: str, file: bytes = FILE) -> set[str]:
        """Has a caller do all that can be done with a file; returns the names that it is told."""
        told_names: set[str] = set()
        for path in with_kind(Kind.BYTES):
            end = await self.call(caller, path, **filled(path), **{one_of(path, Kind.BYTES): file})
            told_names |= names(end.messages)
        return told_names

    async def call(self, caller: str, path: str, **values: Any) -> End:
        """Makes one call, with `values` by the paths of their fields, dots written as __."""
        method = self.paths[path]
        request = GetMessageClass(method.input_type)()
        for name, value in values.items():
            *parts, last = name.split("__")
            place: Any = request
            for part in parts:
                place = getattr(place, part)
            setattr(place, last, value)
        try:
            return End(tuple(await self._send(method, path, caller, request)))
        except grpc.aio.AioRpcError as error:
            trailing = dict(error.trailing_metadata() or ())
            status = bytes(trailing.get("grpc-status-details-bin", b""))
            return End((), told(error), status, frozenset(trailing))

    async def _send(
        self, method: MethodDescriptor, path: str, caller: str, request: Message
    ) -> list[Message]:
        ways = {
            (False, False): self.channel.unary_unary,
            (False, True): self.channel.unary_stream,
            (True, False): self.channel.stream_unary,
        }
        way: Any = ways[method.client_streaming, method.server_streaming]
        answer = GetMessageClass(method.output_type)
        sent: Any = [request] if method.client_streaming else request
        call = way(path, type(request).SerializeToString, answer.FromString)(
            iter(sent) if method.client_streaming else sent,
            metadata=bearer(self.tokens[caller]) if caller in self.tokens else (),
            timeout=30,
        )
        if path == ENDLESS:
            first = [await call.read()]
            call.cancel()
            return first
        if method.server_streaming:
            return [message async for message in call]
        return [await call]


@asynccontextmanager
async def running(tmp_path: Path) -> AsyncIterator[Street]:
    """The daemon as it is built for real, but for the engine."""
    made = {
        "clinic": new_token("clinic"),
        "shop": new_token("shop"),
        "shop's operator": new_token("shop", Role.OPERATOR),
    }
    tokens = tmp_path / "tokens"
    tokens.write_text("".join(f"{line}\n" for _, line in made.values()))
    tokens.chmod(0o600)
    config = configured(tmp_path, server={"tokens": str(tokens), "tcp": ""})
    engine, bound = Played(), asyncio.get_running_loop().create_future()
    async with await Store.open(config.memory) as store:
        parts = build._wire(config, store, engine)  # type: ignore[arg-type]
        with listen.claimed(Path(config.server.socket)):
            daemon = asyncio.create_task(Daemon(config, parts).run(bound.set_result))
            await asyncio.wait({daemon, bound}, return_when=asyncio.FIRST_COMPLETED)
            address = f"unix:{config.server.socket}"
            async with grpc.aio.insecure_channel(address) as channel:
                secrets = {who: token for who, (token, _) in made.items()}
                yield Street(engine, address, channel, secrets, store, parts.admission)
            while not daemon.done():
                signal.raise_signal(signal.SIGTERM)
                await asyncio.wait({daemon}, timeout=2)


@pytest.fixture
async def street(tmp_path: Path) -> AsyncIterator[Street]:
    async with running(tmp_path) as started:
        yield started


WISHES: tuple[Mapping[str, Any], ...] = (
    {},
    {"reuse__fresh": True},
    {"reuse__no_store": True},
    {"reuse__max_age_s": 9.0},
)


def never(name: str) -> str:
    """A name of the same kind that nothing has ever had."""
    kind, split, digits = name.partition("_")
    return kind + split + "0" * len(digits)


NUMBERS = (0, 1, PAGES, PAGES + 1, 99)


def test_the_table_is_whole() -> None:
    """Every call of the contract is in the table with every field that its request can carry."""
    declared = {path: set(fields(method.input_type)) for path, method in contract().items()}
    assert {path: set(row) for path, row in TABLE.items()} == declared


@pytest.mark.parametrize("neighbour", NEIGHBOURS)
@pytest.mark.parametrize("path", with_kind(Kind.HANDLE))
async def test_a_foreign_handle(street: Street, path: str, neighbour: str) -> None:
    """Whatever page and wish go with it, a foreign capture is not told from one that never was."""
    handle, number = one_of(path, Kind.HANDLE), one_of(path, Kind.NUMBER)
    kept = await street.ask("clinic")
    own = {**filled(path), handle: kept.page.handle}
    assert (await street.call("clinic", path, **own, **{number: PAGES})).messages
    beyond = await street.call("clinic", path, **own, **{number: PAGES + 1})
    assert beyond.reason == "NO_SUCH_PAGE"
    before = street.engine.done
    for name, page, wish in product((kept.page.handle, kept.answer_id), NUMBERS, WISHES):
        cell = {**filled(path), **wish, number: page}
        foreign = await street.call(neighbour, path, **cell, **{handle: name})
        unknown = await street.call(neighbour, path, **cell, **{handle: never(name)})
        assert (foreign.code, foreign.reason) == ("NOT_FOUND", "HANDLE_UNKNOWN"), cell
        assert foreign == unknown, cell
    assert street.engine.done == before


@pytest.mark.parametrize("neighbour", NEIGHBOURS)
@pytest.mark.parametrize("path", with_kind(Kind.ANSWER))
async def test_a_foreign_answer(street: Street, path: str, neighbour: str) -> None:
    """A foreign answer is not told from one that never was, and what is said of it changes nothing."""
    answer_id = one_of(path, Kind.ANSWER)
    kept = await street.ask("clinic")
    before = await street.store.counts()
    judgements = (pb.JUDGEMENT_RIGHT, pb.JUDGEMENT_WRONG)
    for name, judgement, correction in product(
        (kept.answer_id, kept.page.handle), judgements, ("", "4.20")
    ):
        cell = {"judgement": judgement, "correction": correction}
        foreign = await street.call(neighbour, path, **cell, **{answer_id: name})
        unknown = await street.call(neighbour, path, **cell, **{answer_id: never(name)})
        assert (foreign.code, foreign.reason) == ("NOT_FOUND", "ANSWER_UNKNOWN"), cell
        assert foreign == unknown, cell
    assert await street.store.counts() == before
    again = await street.ask("clinic")
    assert (again.serve_mode, again.answer_id) == (pb.SERVE_MODE_REPLAY, kept.answer_id)
    assert (
        await street.call("clinic", path, **filled(path), **{answer_id: kept.answer_id})
    ).messages


@pytest.mark.parametrize("neighbour", NEIGHBOURS)
@pytest.mark.parametrize("path", with_kind(Kind.BYTES))
async def test_the_same_document(street: Street, path: str, neighbour: str) -> None:
    """Who sends a document that another has sent gets a capture and an answer of its own, worked out anew."""
    theirs = await street.everything("clinic")
    engine, (decoded, read, _) = street.engine, street.engine.done
    states = engine.page_keys
    end = await street.call(neighbour, path, **filled(path), **{one_of(path, Kind.BYTES): FILE})
    mine = names(end.messages)
    assert mine
    assert not mine & theirs
    assert engine.decoded > decoded
    modes = {one.serve_mode for one in parts_of(end.messages, "serve_mode")}
    assert modes <= {pb.SERVE_MODE_COLD}
    assert (engine.read_pages > read) == bool(modes)
    await street.everything(neighbour)
    assert engine.page_keys > states
    assert len(engine.page_keys) == 2 * len(states)


@pytest.mark.parametrize(
    "path", [path for path, row in TABLE.items() if set(GENERATION) <= set(row)]
)
async def test_the_same_document_at_once(street: Street, path: str) -> None:
    """Two tenants who ask about one document at the same moment do not share the model's work."""
    image, engine = one_of(path, Kind.BYTES), street.engine
    engine.gate.clear()
    sent = [
        asyncio.create_task(street.call(one, path, **filled(path), **{image: FILE}))
        for one in ("clinic", "shop")
    ]
    # Had the second boarded the work of the first, it would never wait for a turn of its own.
    async with asyncio.timeout(20):
        while not (engine.tasks and street.admission.waiting):  # noqa: ASYNC110 - nobody tells
            await asyncio.sleep(0.01)
    engine.gate.set()
    one, other = await asyncio.gather(*sent)
    assert len(engine.page_keys) == 2
    assert names(one.messages)
    assert not names(one.messages) & names(other.messages)


@pytest.mark.parametrize("caller", ["clinic", *NEIGHBOURS])
async def test_nobody_is_told_foreign_names(street: Street, caller: str) -> None:
    """After all tenants have done everything, no answer to any call carries a name of another's."""
    known = {one: await street.everything(one) for one in ("clinic", "shop", "the socket")}
    own = known.get(caller, known["shop"])
    foreign = set().union(*known.values()) - own
    assert len(foreign) > len(own)
    for path in TABLE:
        values = {**filled(path)}
        if path in with_kind(Kind.BYTES):
            values[one_of(path, Kind.BYTES)] = FILE
        end = await street.call(caller, path, **values)
        told_all = b"".join(one.SerializeToString() for one in end.messages) + end.status
        assert not [name for name in foreign if name.encode() in told_all], path


async def test_a_neighbour_s_judgement(street: Street) -> None:
    """Who calls its own answer to a document wrong does not take it from others who have that document."""
    ours, theirs = await street.ask("clinic"), await street.ask("shop")
    path = "/edge_clm.v1.EdgeClmService/Feedback"
    values = {"answer_id": theirs.answer_id, "judgement": pb.JUDGEMENT_WRONG}
    assert (await street.call("shop", path, **values)).messages
    assert (await street.ask("shop")).serve_mode == pb.SERVE_MODE_WARM
    again = await street.ask("clinic")
    assert (again.serve_mode, again.answer_id) == (pb.SERVE_MODE_REPLAY, ours.answer_id)


@pytest.mark.parametrize("path", for_operators())
async def test_what_is_for_operators(street: Street, path: str) -> None:
    """What looks across tenants is refused to every device, before anything is looked at."""
    known = (await street.ask("clinic")).answer_id
    named = {"id": known} if "id" in TABLE[path] else {}
    for names_it in ({}, named):
        refused = [await street.call(one, path, **names_it) for one in ("clinic", "shop")]
        assert [end.reason for end in refused] == ["ROLE_TOO_LOW"] * 2
        assert refused[0] == refused[1]
    assert (await street.call("shop's operator", path, **named)).messages


@pytest.mark.parametrize(
    "path", ["/edge_clm.v1.EdgeClmService/GetInfo", "/grpc.health.v1.Health/Check", ENDLESS]
)
async def test_what_is_the_same_for_all(street: Street, path: str) -> None:
    """What is told of the daemon does not depend on who asks, nor on what others have done."""
    before = await street.call("shop", path)
    await street.everything("clinic")
    assert before.messages
    for caller in ("clinic", *NEIGHBOURS):
        assert await street.call(caller, path) == before
