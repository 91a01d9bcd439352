"""The service over real sockets: what goes in, what comes out, and what is refused."""

from __future__ import annotations

import asyncio
import itertools
import math
import re
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)
from grpc_status import rpc_status

from edge_clm import __version__
from edge_clm.errors import (
    CapturesNotKept,
    DiskFull,
    EdgeClmError,
    InternalFault,
    ModelMissing,
    PageStateGone,
    QueueFull,
    StoreUnavailable,
)
from edge_clm.inquiry import Inquiry
from edge_clm.media import decode
from edge_clm.types import Answer, Finish
from edge_clm.v1 import edge_clm_pb2 as pb
from edge_clm.v1 import edge_clm_pb2_grpc
from tests.server.house import (
    Script,
    Told,
    an_answer,
    asking,
    house,
    refused,
    streaming,
    told,
)

CONTENT = "potassium 7.9 of patient Lovelace"


async def test_an_answer_arrives_with_every_field(tmp_path: Path) -> None:
    """What the answerer says of an answer is what the caller reads."""

    async def script(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        yield an_answer("42.00")

    async with house(tmp_path, script) as at:
        answer = (await at.stub().Ask(asking())).answer
    assert (answer.answer_id, answer.text) == ("a_1", "42.00")
    assert answer.outcome == pb.OUTCOME_ANSWERED
    assert answer.serve_mode == pb.SERVE_MODE_WARM
    assert answer.finish_reason == pb.FINISH_REASON_STOP
    [notice] = answer.page.notices
    assert (notice.handle, notice.differences[0].now) == ("c_0", "$4.20")
    assert answer.page == pb.PageInfo(
        handle="c_1", number=2, count=3, width=800, height=600, turn=90, notices=[notice]
    )
    assert [(stage.name, stage.ms) for stage in answer.stages] == [
        ("receive", 1.5),
        ("generate", 20.0),
    ]
    assert answer.tokens == pb.Tokens(page=40, answer=5, accepted=3, rejected=2)
    assert answer.provenance == pb.Provenance(stored=True, age_s=7.0)
    assert answer.dropped_lines == 1


async def test_an_inquiry_carries_what_was_asked(tmp_path: Path) -> None:
    """Every field of a request reaches the answerer, tokens clipped to the daemon's maximum."""
    request = asking(
        "When is it due?",
        page=pb.Page(handle="c_9", number=4),
        reuse=pb.Reuse(fresh=True, no_store=True, max_age_s=60),
        generation=pb.Generation(max_tokens=9999, temperature=0.5, seed=-3),
    )
    async with house(tmp_path) as at:
        now = asyncio.get_running_loop().time()
        await at.stub().Ask(request, timeout=20)
        [inquiry] = at.parts.answerer.inquiries
    assert (inquiry.tenant, inquiry.question, inquiry.describe) == (
        "local",
        "When is it due?",
        False,
    )
    assert (inquiry.source.data, inquiry.source.handle, inquiry.source.number) == (None, "c_9", 4)
    assert (inquiry.wish.fresh, inquiry.wish.no_store, inquiry.wish.max_age_s) == (True, True, 60)
    assert (inquiry.max_tokens, inquiry.temperature, inquiry.seed) == (512, 0.5, -3)
    assert now < inquiry.deadline <= now + 21


async def test_a_description_has_no_question(tmp_path: Path) -> None:
    """Describe asks for a description, not for an answer to nothing."""
    async with house(tmp_path) as at:
        request = pb.DescribeRequest(page=pb.Page(image=b"img"))
        assert (await at.stub().Describe(request)).answer.text == "a page"
        [inquiry] = at.parts.answerer.inquiries
    assert inquiry.describe
    assert inquiry.source.data == b"img"


async def test_a_stream_is_deltas_and_then_the_answer(tmp_path: Path) -> None:
    """The pieces of a streamed answer add up to its text, which comes last."""
    async with house(tmp_path) as at:
        events = [event async for event in at.stub().AskStream(streaming("What is it?"))]
    assert "".join(event.delta for event in events[:-1]) == events[-1].answer.text == "What is it?"


async def test_info_tells_limits_and_models(tmp_path: Path) -> None:
    """GetInfo says what the daemon accepts, so that a client need not find out by failing."""
    async with house(tmp_path, limits={"max_bytes": 4096}) as at:
        info = await at.stub().GetInfo(pb.GetInfoRequest())
    assert info.version == __version__
    assert info.fingerprint == "f" * 64
    assert [(model.role, model.device) for model in info.models] == [("vision_language", "cpu")]
    assert info.limits.max_bytes == 4096
    assert info.limits.max_message_bytes == 4096 + 64 * 1024
    assert tuple(info.limits.media_types) == decode.MEDIA_TYPES


async def test_feedback_reaches_the_answerer(tmp_path: Path) -> None:
    """A judgement is recorded for the tenant; one of an unknown answer is NOT_FOUND."""
    async with house(tmp_path) as at:
        stub = at.stub()
        wrong = pb.FeedbackRequest(
            answer_id="a_1", judgement=pb.JUDGEMENT_WRONG, correction="12.00"
        )
        await stub.Feedback(wrong)
        assert at.parts.answerer.judgements == [("local", "a_1", False, "12.00")]
        unknown = pb.FeedbackRequest(answer_id="a_2", judgement=pb.JUDGEMENT_RIGHT)
        error = await refused(stub.Feedback(unknown))
    assert (error.code, error.reason, error.fields) == (
        "NOT_FOUND",
        "ANSWER_UNKNOWN",
        ("answer_id",),
    )


BAD: list[tuple[str, Any, str, str]] = [
    ("Ask", asking(""), "QUESTION_MISSING", "question"),
    ("Ask", asking(" \n"), "QUESTION_MISSING", "question"),
    ("Ask", asking(page=pb.Page()), "IMAGE_MISSING", "page"),
    ("Ask", asking(page=pb.Page(image=b"")), "IMAGE_MISSING", "page"),
    ("Ask", asking(page=pb.Page(handle="")), "IMAGE_MISSING", "page.handle"),
    ("Ask", asking(page=pb.Page(handle="c" * 300)), "REQUEST_INVALID", "page.handle"),
    ("Ask", asking(page=pb.Page(image=b"i", number=-1)), "REQUEST_INVALID", "page.number"),
    ("Ask", asking(page=pb.Page(image=b"i" * 5000)), "IMAGE_TOO_MANY_BYTES", "page.image"),
    ("Ask", asking(reuse=pb.Reuse(max_age_s=-1)), "REQUEST_INVALID", "reuse.max_age_s"),
    ("Ask", asking(reuse=pb.Reuse(max_age_s=math.nan)), "REQUEST_INVALID", "reuse.max_age_s"),
    ("Ask", asking(reuse=pb.Reuse(max_age_s=math.inf)), "REQUEST_INVALID", "reuse.max_age_s"),
    (
        "Ask",
        asking(generation=pb.Generation(max_tokens=-1)),
        "REQUEST_INVALID",
        "generation.max_tokens",
    ),
    (
        "Ask",
        asking(generation=pb.Generation(temperature=2.1)),
        "REQUEST_INVALID",
        "generation.temperature",
    ),
    (
        "Ask",
        asking(generation=pb.Generation(temperature=1e-38)),
        "REQUEST_INVALID",
        "generation.temperature",
    ),
    (
        "Ask",
        asking(generation=pb.Generation(temperature=math.nan)),
        "REQUEST_INVALID",
        "generation.temperature",
    ),
    ("Describe", pb.DescribeRequest(), "IMAGE_MISSING", "page"),
    (
        "Feedback",
        pb.FeedbackRequest(judgement=pb.JUDGEMENT_RIGHT),
        "REQUEST_INVALID",
        "answer_id",
    ),
    ("Feedback", pb.FeedbackRequest(answer_id="a_1"), "REQUEST_INVALID", "judgement"),
    ("Feedback", pb.FeedbackRequest(answer_id="a_1", judgement=9), "REQUEST_INVALID", "judgement"),
    (
        "Feedback",
        pb.FeedbackRequest(answer_id="a_1", judgement=pb.JUDGEMENT_WRONG, correction="x" * 3000),
        "REQUEST_INVALID",
        "correction",
    ),
]


async def test_a_bad_field_is_named(tmp_path: Path) -> None:
    """Each value that means nothing is refused with INVALID_ARGUMENT, its reason and its field."""
    async with house(tmp_path, limits={"max_bytes": 4096}) as at:
        stub = at.stub()
        for method, request, reason, field in BAD:
            error = await refused(getattr(stub, method)(request))
            assert (error.code, error.reason, error.fields) == (
                "INVALID_ARGUMENT",
                reason,
                (field,),
            ), (method, request)
            assert error.remedy
        assert not at.parts.answerer.inquiries


async def test_an_upload_is_joined(tmp_path: Path) -> None:
    """A file sent in pieces arrives whole."""
    async with house(tmp_path) as at:
        chunks = [pb.PutCaptureRequest(chunk=bytes([number]) * 1000) for number in range(5)]
        response = await at.stub().PutCapture(iter(chunks))
        assert at.parts.answerer.uploads == [("local", b"".join(c.chunk for c in chunks))]
    assert (response.handle, response.size, response.media_type) == ("c_up", 5000, "image/png")


async def test_an_upload_without_bytes_is_refused(tmp_path: Path) -> None:
    """Nothing is no file."""
    async with house(tmp_path) as at:
        error = await refused(at.stub().PutCapture(iter([])))
    assert (error.code, error.reason) == ("INVALID_ARGUMENT", "IMAGE_MISSING")


async def test_an_endless_upload_is_cut_at_the_limit(tmp_path: Path) -> None:
    """The daemon refuses as soon as the limit is passed and does not wait for the rest."""
    sent = 0

    def endless() -> Iterator[pb.PutCaptureRequest]:
        nonlocal sent
        for _ in itertools.count():
            sent += 1
            yield pb.PutCaptureRequest(chunk=b"x" * 65536)

    def upload(address: str) -> grpc.RpcError:
        # The asyncio client loses the daemon's word when it is refused while it still writes.
        with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as caught:
            edge_clm_pb2_grpc.EdgeClmServiceStub(channel).PutCapture(endless(), timeout=20)
        return caught.value

    async with house(tmp_path, limits={"max_bytes": 200_000}) as at:
        error: Any = await asyncio.to_thread(upload, f"unix:{at.config.server.socket}")
        assert not at.parts.answerer.uploads
    info = error_details_pb2.ErrorInfo()
    rpc_status.from_call(error).details[0].Unpack(info)
    assert (error.code().name, info.reason) == ("INVALID_ARGUMENT", "IMAGE_TOO_MANY_BYTES")
    assert sent < 200


async def test_a_file_as_large_as_the_limit_passes_in_one_message(tmp_path: Path) -> None:
    """The message limit leaves room for the largest file, beyond gRPC's own 4 MiB."""
    image = b"x" * (6 * 1024 * 1024)
    async with house(tmp_path, limits={"max_bytes": len(image)}) as at:
        await at.stub().Ask(asking(page=pb.Page(image=image)))
        assert len(at.parts.answerer.inquiries[0].source.data or b"") == len(image)


async def test_an_unexpected_error_tells_nothing(tmp_path: Path) -> None:
    """Of an exception that is not ours a caller gets an id, and not a word of its text."""

    async def script(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        if inquiry.question:
            yield "so far"
        raise ValueError(CONTENT)

    async with house(tmp_path, script) as at:
        stub = at.stub()
        calls = [
            stub.Ask(asking()),
            stub.Describe(pb.DescribeRequest(page=pb.Page(image=b"img"))),
            _drained(stub.AskStream(streaming())),
        ]
        for call in calls:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call
            error = caught.value
            assert told(error).code == "INTERNAL"
            assert told(error).reason == "INTERNAL"
            shown = f"{error.details()} {error.debug_error_string()} {error.trailing_metadata()}"
            assert "Lovelace" not in shown
            assert "ValueError" not in shown


async def test_a_broken_off_answer_is_not_given(tmp_path: Path) -> None:
    """An answer whose work was stopped is an error, never a short answer."""

    async def stopped(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        yield an_answer("4", finish=Finish.CANCELLED)

    async def silent(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        yield "4"

    async with house(tmp_path, stopped) as at:
        assert (await refused(at.stub().Ask(asking()))).code == "CANCELLED"
        at.parts.answerer.script = silent
        assert (await refused(at.stub().Ask(asking()))).code == "INTERNAL"
        assert (await refused(_drained(at.stub().AskStream(streaming())))).code == "INTERNAL"


async def test_a_busy_daemon_says_when_to_come_back(tmp_path: Path) -> None:
    """RESOURCE_EXHAUSTED carries the queue's own hint."""

    async def script(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        raise QueueFull("64 requests wait already", retry_after_s=2.5)
        yield ""

    async with house(tmp_path, script) as at:
        error = await refused(at.stub().Ask(asking()))
    assert (error.code, error.reason, error.retry_after_s) == (
        "RESOURCE_EXHAUSTED",
        "QUEUE_FULL",
        2.5,
    )


async def test_a_deadline_is_imposed(tmp_path: Path) -> None:
    """A call without a deadline gets the daemon's; when it passes the work is stopped."""
    async with house(tmp_path, hang, limits={"max_deadline_s": 0.2}) as at:
        stub = at.stub()
        for call in (stub.Ask(asking()), _drained(stub.AskStream(streaming()))):
            error = await asyncio.wait_for(refused(call), 20)
            assert (error.code, error.reason) == ("DEADLINE_EXCEEDED", "DEADLINE_EXCEEDED")
            assert at.parts.answerer.open == 0


async def test_a_caller_that_leaves_stops_the_work(tmp_path: Path) -> None:
    """Cancelling a call, before the first piece or between pieces, closes the answer's generator."""

    async def chatty(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        while True:
            yield "word "
            await asyncio.sleep(0.001)

    async with house(tmp_path, hang) as at:
        stub = at.stub()
        waiting = stub.Ask(asking())
        await at.parts.answerer.has_open(1)
        waiting.cancel()
        await at.parts.answerer.has_open(0)

        at.parts.answerer.script = chatty
        stream = stub.AskStream(streaming())
        await stream.read()
        stream.cancel()
        await at.parts.answerer.has_open(0)


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (
            StoreUnavailable("/var/lib/x is locked"),
            "the database is locked, damaged or out of reach",
        ),
        (DiskFull("no room in /var/lib/x"), "there is no room on the disk for what has to be kept"),
        (
            ModelMissing("/var/lib/x has no nano"),
            "weights that the configuration names are not on this machine",
        ),
        (
            CapturesNotKept("/var/lib/x holds 5 bytes", field="chunk"),
            "the file cannot be kept: it is larger than the budget for captures",
        ),
    ],
    ids=lambda value: value.reason if isinstance(value, EdgeClmError) else "",
)
async def test_the_machine_s_own_trouble_is_told_in_fixed_words(
    tmp_path: Path, error: EdgeClmError, shown: str
) -> None:
    """Where the daemon's files lie is none of a device's business; reason and remedy stay."""
    async with house(tmp_path, raising(error)) as at:
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await at.stub().Ask(asking())
    seen = told(caught.value)
    assert (seen.message, seen.reason, seen.remedy) == (shown, error.reason, error.remedy)
    assert (
        "/var/lib" not in f"{caught.value.trailing_metadata()} {caught.value.debug_error_string()}"
    )


async def test_a_fault_always_has_an_id(tmp_path: Path) -> None:
    """One without an id gets one; the engine's, whose id its own log has, keeps its words."""
    logged = InternalFault("the engine failed, id 0123456789abcdef")
    gone = PageStateGone("the page state is no longer in memory")
    async with house(tmp_path, raising(InternalFault("/var/lib/x refused a statement"))) as at:
        veiled = await refused(at.stub().Ask(asking()))
        at.parts.answerer.script = raising(logged)
        passed = await refused(at.stub().Ask(asking()))
        at.parts.answerer.script = raising(gone)
        again = await refused(at.stub().Ask(asking()))
    assert re.fullmatch("something failed inside the daemon, id [0-9a-f]{16}", veiled.message)
    assert passed.message == logged.message
    assert (again.reason, again.message) == (gone.reason, gone.message)


async def test_health_is_not_starved(tmp_path: Path) -> None:
    """With as many calls under way as may be, health, reflection and no further call is served."""
    async with house(tmp_path, hang, limits={"calls": 3}) as at:
        stub = at.stub()
        calls = [stub.Ask(asking()), _drained(stub.AskStream(streaming()))]
        calls = [asyncio.ensure_future(call) for call in calls]
        await at.parts.answerer.has_open(2)
        upload = stub.PutCapture()
        await upload.write(pb.PutCaptureRequest(chunk=b"x"))
        refusals = await _until_full(stub)
        assert (refusals.code, refusals.reason) == ("RESOURCE_EXHAUSTED", "QUEUE_FULL")
        assert refusals.retry_after_s
        assert (await refused(stub.PutCapture(iter([])))).reason == "QUEUE_FULL"
        assert await at.health() == "SERVING"
        assert await asyncio.to_thread(_services, f"unix:{at.config.server.socket}")
        assert not any(call.done() for call in calls)
        await upload.done_writing()
        assert (await upload).handle == "c_up"
        await stub.GetInfo(pb.GetInfoRequest())
        for call in calls:
            call.cancel()


async def test_a_call_is_judged_before_its_request_is_read(tmp_path: Path) -> None:
    """Who has no token, or finds the daemon full, is refused without having sent a byte of a file."""

    async def nothing() -> AsyncGenerator[bytes, None]:
        await asyncio.Event().wait()
        yield b""

    methods = ("Ask", "AskStream", "Describe", "Feedback", "GetInfo")
    async with house(tmp_path, hang, limits={"calls": 1}) as at:
        bound = await at.serving()
        running = at.stub().Ask(asking())
        await at.parts.answerer.has_open(1)
        for address, reason in ((bound.tcp, "TOKEN_MISSING"), ("", "QUEUE_FULL")):
            channel = at.channel(address)
            for method in methods:
                call = channel.stream_unary(f"/edge_clm.v1.EdgeClmService/{method}")(nothing())
                error = await asyncio.wait_for(refused(call), 10)
                assert error.reason == reason, method
        running.cancel()


async def test_what_is_no_request_is_refused(tmp_path: Path) -> None:
    """Bytes that are no message of the contract, and a call without any, are the caller's error."""
    async with house(tmp_path) as at:
        channel = at.channel()
        for method in ("Ask", "Describe", "Feedback", "GetInfo"):
            name = f"/edge_clm.v1.EdgeClmService/{method}"
            for call in (
                channel.unary_unary(name)(b"\xff\xff"),
                channel.stream_unary(name)(iter([])),
            ):
                error = await refused(call)
                assert (error.code, error.reason) == ("INVALID_ARGUMENT", "REQUEST_INVALID")


async def test_reflection_lists_the_services(tmp_path: Path) -> None:
    """Tools can ask for the contract over the socket, and with a token over TCP, unless it is off."""
    names = {"edge_clm.v1.EdgeClmService", "grpc.health.v1.Health"}
    async with house(tmp_path) as at:
        listed = await asyncio.to_thread(_services, f"unix:{at.config.server.socket}")
        assert names <= set(listed)
    async with house(tmp_path, server={"reflection": False}) as at:
        with pytest.raises(grpc.RpcError) as caught:
            await asyncio.to_thread(_services, f"unix:{at.config.server.socket}")
    assert caught.value.code() == grpc.StatusCode.UNIMPLEMENTED


async def test_a_request_id_comes_back(tmp_path: Path) -> None:
    """The caller's own id returns with answers and errors; one that is unfit to log is replaced."""
    async with house(tmp_path) as at:
        stub = at.stub()
        call = stub.Ask(asking(), metadata=(("x-request-id", "till-7.42"),))
        await call
        assert dict(await call.trailing_metadata())["x-request-id"] == "till-7.42"
        call = stub.Ask(asking(""), metadata=(("x-request-id", "till 7 {"),))
        with pytest.raises(grpc.aio.AioRpcError) as caught:
            await call
        made = dict(caught.value.trailing_metadata())["x-request-id"]
    assert len(made) == 16


async def hang(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
    await asyncio.Event().wait()
    yield ""


def raising(error: EdgeClmError) -> Script:
    async def script(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        raise error
        yield ""

    return script


async def _until_full(stub: Any) -> Told:
    """The first refusal; the upload just begun may take a moment to get inside."""
    while True:
        try:
            await stub.GetInfo(pb.GetInfoRequest())
        except grpc.aio.AioRpcError as error:
            return told(error)


async def _drained(call: Any) -> None:
    async for _ in call:
        pass


def _services(target: str) -> list[str]:
    with grpc.insecure_channel(target) as channel:
        return list(ProtoReflectionDescriptorDatabase(channel).get_services())
