"""The client against a real daemon: its calls, its errors, its patience."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from edge_clm.client import Client, ClientError
from edge_clm.errors import (
    DiskFull,
    EdgeClmError,
    EngineLost,
    QuestionTooLong,
    QueueFull,
    StoreUnavailable,
)
from edge_clm.inquiry import Inquiry
from edge_clm.types import Answer
from edge_clm.v1 import edge_clm_pb2 as pb
from tests.cli.desk import serving
from tests.server.house import House, an_answer, echo, house


def client(at: House, timeout_s: float = 20) -> Client:
    return Client(f"unix:{at.config.server.socket}", timeout_s=timeout_s)


async def test_every_call_does_what_it_says(tmp_path: Path) -> None:
    """Questions, streams, descriptions, uploads, info, feedback and health all work."""

    def calls(at: House) -> None:
        with client(at) as connected:
            connected.wait_ready()
            assert connected.health() == "SERVING"
            assert connected.ask("What?", image=b"img").text == "What?"
            assert connected.describe(handle="c_1").text == "a page"
            *deltas, last = connected.ask_stream("What is it?", image=b"img")
            assert isinstance(last, pb.Answer)
            assert "".join(map(str, deltas)) == last.text == "What is it?"
            assert connected.put_capture(b"x" * 700_000).size == 700_000
            assert connected.info().fingerprint == "f" * 64
            connected.feedback("a_1", False, "12.00")

    async with house(tmp_path) as at:
        await asyncio.to_thread(calls, at)
        assert at.parts.answerer.uploads == [("local", b"x" * 700_000)]
        assert at.parts.answerer.judgements == [("local", "a_1", False, "12.00")]


async def test_wishes_reach_the_daemon(tmp_path: Path) -> None:
    """What a caller says of reuse and generation arrives; a misspelt wish is an error."""

    def calls(at: House) -> None:
        with client(at) as connected:
            connected.ask(
                "What?",
                handle="c_1",
                page=3,
                fresh=True,
                no_store=True,
                max_age_s=9,
                max_tokens=7,
                temperature=0.25,
                seed=5,
            )
            with pytest.raises(TypeError, match="frsh"):
                connected.ask("What?", handle="c_1", frsh=True)  # type: ignore[call-arg]

    async with house(tmp_path) as at:
        await asyncio.to_thread(calls, at)
        [inquiry] = at.parts.answerer.inquiries
    assert (inquiry.source.handle, inquiry.source.number) == ("c_1", 3)
    assert (inquiry.wish.fresh, inquiry.wish.no_store, inquiry.wish.max_age_s) == (True, True, 9)
    assert (inquiry.max_tokens, inquiry.temperature, inquiry.seed) == (7, 0.25, 5)


def test_fields_are_asked_for_like_answers(tmp_path: Path) -> None:
    """A document is named by its bytes or its handle, whole or one page; how to generate is no wish here."""
    with serving(tmp_path / "s") as desk, Client(desk.address) as connected:
        response = connected.extract(image=b"img", no_store=True)
        assert response.extraction.kind == pb.PAGE_KIND_INVOICE
        assert [page.handle for page in response.pages] == ["h1"]
        connected.extract(handle="h1", page=3, fresh=True, max_age_s=9, timeout_s=20)
        whole, one = desk.asked
        assert (whole.page.image, whole.page.number, whole.reuse.no_store) == (b"img", 0, True)
        assert (one.page.handle, one.page.number) == ("h1", 3)
        assert (one.reuse.fresh, one.reuse.max_age_s) == (True, 9)
        with pytest.raises(TypeError, match="temperature"):
            connected.extract(handle="h1", temperature=1.0)  # type: ignore[call-arg]
        with pytest.raises(ValueError, match="twice"):
            connected.extract(image=b"img", handle="h1")


async def test_a_token_opens_tcp(tmp_path: Path) -> None:
    """Over TCP the client is whom its token names."""

    def calls(address: str, token: str) -> None:
        with Client(address, token) as connected:
            assert connected.ask("What?", image=b"img").text == "What?"
        with Client(address) as stranger, pytest.raises(ClientError) as caught:
            stranger.ask("What?", image=b"img")
        assert (caught.value.reason, caught.value.code) == ("TOKEN_MISSING", "UNAUTHENTICATED")
        assert "Bearer" in caught.value.remedy

    async with house(tmp_path) as at:
        await asyncio.to_thread(calls, (await at.serving()).tcp, at.token)
        assert at.parts.answerer.inquiries[0].tenant == "acme"


def failing(error: EdgeClmError, times: int) -> tuple[list[float], object]:
    """A script that fails that many times before it answers, and the times at which it was asked."""
    asked: list[float] = []

    async def script(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        asked.append(time.monotonic())
        if len(asked) <= times:
            raise error
        yield an_answer("42")

    return asked, script


async def test_passing_trouble_is_waited_out(tmp_path: Path) -> None:
    """A busy queue and a lost engine are tried again, not before the daemon's hint."""
    for error in (QueueFull("full", retry_after_s=0.4), EngineLost("gone")):
        asked, script = failing(error, 2)
        async with house(tmp_path, script) as at:  # type: ignore[arg-type]
            with client(at) as connected:
                answer = await asyncio.to_thread(connected.ask, "What?", image=b"img")
                assert answer.text == "42"
                assert len(asked) == 3
                assert asked[1] - asked[0] >= (error.retry_after_s or 0)

                asked.clear()
                stream = await asyncio.to_thread(
                    lambda c=connected: list(c.ask_stream("What?", image=b"img"))
                )
                assert stream[-1].text == "42"
                assert len(asked) == 3


async def test_lasting_trouble_is_not_tried_again(tmp_path: Path) -> None:
    """What no retry can mend fails at the first try, with reason and remedy."""
    asked, script = failing(QuestionTooLong("too long", field="question"), 9)
    async with house(tmp_path, script) as at:  # type: ignore[arg-type]
        with client(at) as connected, pytest.raises(ClientError) as caught:
            await asyncio.to_thread(connected.ask, "What?", image=b"img")
    assert len(asked) == 1
    assert (caught.value.reason, caught.value.code) == ("QUESTION_TOO_LONG", "INVALID_ARGUMENT")
    assert caught.value.message == "too long"
    assert caught.value.remedy == QuestionTooLong.remedy


@pytest.mark.parametrize("error", [DiskFull("full"), StoreUnavailable("locked")])
async def test_trouble_of_the_machine_is_not_waited_out_in_silence(
    tmp_path: Path, error: EdgeClmError
) -> None:
    """A full disk and a database out of reach are tried again twice, then told, whatever the timeout."""
    asked, script = failing(error, 9)
    async with house(tmp_path, script) as at:  # type: ignore[arg-type]
        with client(at, timeout_s=300) as connected, pytest.raises(ClientError) as caught:
            await asyncio.to_thread(connected.ask, "What?", image=b"img")
    assert len(asked) == 3
    assert caught.value.reason == error.reason


async def test_a_page_is_given_once(tmp_path: Path) -> None:
    """An image beside a handle is a mistake of the program, and nothing is sent."""
    async with house(tmp_path) as at:
        with client(at) as connected:
            for call in (connected.ask, connected.ask_stream):
                with pytest.raises(ValueError, match="twice"):
                    call("What?", image=b"img", handle="c_1")
            with pytest.raises(ValueError, match="twice"):
                connected.describe(image=b"img", handle="c_1")
            await asyncio.to_thread(connected.ask, "What?", image=b"img", handle="")
        assert len(at.parts.answerer.inquiries) == 1


async def test_patience_ends_with_the_timeout(tmp_path: Path) -> None:
    """When the hint lies beyond the caller's time the error comes at once, hint included."""
    asked, script = failing(QueueFull("full", retry_after_s=60), 9)
    async with house(tmp_path, script) as at:  # type: ignore[arg-type]
        with client(at, timeout_s=30) as connected, pytest.raises(ClientError) as caught:
            await asyncio.to_thread(connected.ask, "What?", image=b"img")
    assert len(asked) == 1
    assert (caught.value.reason, caught.value.retry_after_s) == ("QUEUE_FULL", 60)


async def test_a_stream_that_has_begun_is_not_begun_again(tmp_path: Path) -> None:
    """After the first piece a failure is the caller's to see, or pieces would come twice."""

    async def script(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        yield "4"
        raise EngineLost("gone")

    def read(connected: Client) -> list[object]:
        pieces: list[object] = []
        with pytest.raises(ClientError) as caught:
            pieces.extend(_noting(connected.ask_stream("What?", image=b"img"), pieces))
        assert caught.value.reason == "ENGINE_LOST"
        return pieces

    async with house(tmp_path, script) as at:
        with client(at) as connected:
            assert await asyncio.to_thread(read, connected) == ["4"]
        assert len(at.parts.answerer.inquiries) == 1


async def test_leaving_a_stream_stops_the_work(tmp_path: Path) -> None:
    """Closing the iterator ends the call at the daemon."""

    async def script(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        yield "4"
        await asyncio.Event().wait()

    def leave(connected: Client) -> None:
        stream = connected.ask_stream("What?", image=b"img")
        assert next(stream) == "4"
        stream.close()  # type: ignore[attr-defined]

    async with house(tmp_path, script) as at:
        with client(at) as connected:
            await asyncio.to_thread(leave, connected)
            await at.parts.answerer.has_open(0)


async def test_an_image_beyond_the_message_goes_up_in_pieces(tmp_path: Path) -> None:
    """One too large for a message is uploaded, so that the daemon's own words come back."""
    image = b"x" * (3 * 1024 * 1024)
    async with house(tmp_path, limits={"max_bytes": 2 * 1024 * 1024}) as at:
        with client(at) as connected:
            for call in (connected.describe, lambda **wish: connected.ask("What?", **wish)):
                with pytest.raises(ClientError) as caught:
                    await asyncio.to_thread(call, image=image)
                assert caught.value.reason == "IMAGE_TOO_MANY_BYTES"
            await asyncio.to_thread(connected.ask, "What?", image=image[: 2 * 1024 * 1024])
        assert not at.parts.answerer.uploads


def test_nobody_at_the_address(tmp_path: Path) -> None:
    """Where no daemon listens the client says so after a few tries, not after its whole timeout."""
    with Client(f"unix:{tmp_path}/none.sock", timeout_s=600) as connected:
        with pytest.raises(ClientError) as caught:
            connected.ask("What?", image=b"img")
        assert (caught.value.reason, caught.value.code) == ("UNREACHABLE", "UNAVAILABLE")
        with pytest.raises(ClientError) as caught:
            connected.wait_ready(0.3)
        assert caught.value.reason == "DEADLINE_EXCEEDED"


async def test_waiting_for_a_daemon_that_is_still_loading(tmp_path: Path) -> None:
    """wait_ready returns when health turns, not when the address answers."""
    async with house(tmp_path, ready=False) as at:
        returned = threading.Event()

        def wait(connected: Client) -> None:
            connected.wait_ready(20)
            returned.set()

        with client(at) as connected:
            waiting = asyncio.create_task(asyncio.to_thread(wait, connected))
            assert await asyncio.to_thread(connected.health) == "NOT_SERVING"
            assert not returned.is_set()
            await at.parts.engine.set(True)
            await waiting
            assert await asyncio.to_thread(connected.health) == "SERVING"


async def test_a_bare_path_is_a_socket(tmp_path: Path) -> None:
    """/path means unix:/path."""
    async with house(tmp_path, echo) as at:
        with Client(at.config.server.socket) as connected:
            assert (await asyncio.to_thread(connected.ask, "Who?", image=b"i")).text == "Who?"


def _noting(stream: object, seen: list[object]) -> list[object]:
    for piece in stream:  # type: ignore[attr-defined]
        seen.append(piece)
    return []
