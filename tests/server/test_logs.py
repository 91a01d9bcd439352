"""The log: what it says, and that it never says what was on a page."""

from __future__ import annotations

import asyncio
import io
import json
import logging
import os
import warnings
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.config import Log
from edge_clm.errors import HandleUnknown, InternalFault, StoreUnavailable
from edge_clm.inquiry import Inquiry
from edge_clm.server import logs
from edge_clm.types import Answer
from edge_clm.v1 import edge_clm_pb2 as pb
from tests.server.house import an_answer, asking, bearer, house, refused, streaming

CONTENT = "Lovelace-7.9"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """The log of the test, at its most talkative; everything is put back afterwards."""
    root, ours = logging.getLogger(), logging.getLogger("edge_clm")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    stream = io.StringIO()
    logs.configure(Log(level="debug", format="json"), stream)
    try:
        yield stream
    finally:
        root.handlers[:] = handlers
        root.setLevel(levels[0])
        ours.setLevel(levels[1])
        logging.captureWarnings(False)
        structlog.reset_defaults()


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


async def test_no_content_reaches_the_log(tmp_path: Path, written: io.StringIO) -> None:
    """Whatever is asked, answered, uploaded or goes wrong, the log has only names and sizes."""

    async def script(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        if "fail" in inquiry.question:
            raise KeyError(inquiry.question)
        if "gone" in inquiry.question:
            raise HandleUnknown("no such capture", field="page.handle")
        if "lost" in inquiry.question:
            asyncio.get_running_loop().call_soon(_raise, inquiry.question)
        yield inquiry.question
        async for event in _echo(inquiry):
            yield event

    page = pb.Page(image=CONTENT.encode())
    async with house(tmp_path, script) as at:
        stub = at.stub()
        for word in ("plain", "lost"):
            await stub.Ask(asking(f"{word} {CONTENT}", page=page))
        for word in ("fail", "gone"):
            await refused(stub.Ask(asking(f"{word} {CONTENT}", page=page)))
        await stub.Ask(asking(CONTENT * 100))
        await refused(stub.Ask(asking(), metadata=bearer(CONTENT)))
        async for _ in stub.AskStream(streaming(CONTENT)):
            pass
        await stub.PutCapture(iter([pb.PutCaptureRequest(chunk=CONTENT.encode())]))
        feedback = pb.FeedbackRequest(
            answer_id="a_1", judgement=pb.JUDGEMENT_WRONG, correction=CONTENT
        )
        await stub.Feedback(feedback)
        logging.getLogger("somelibrary").error("could not read %s", CONTENT)
        logging.getLogger("somelibrary").error(CONTENT, extra={"note": CONTENT})
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn(CONTENT, stacklevel=1)
        logging.getLogger("edge_clm.x").warning("odd", extra={"question": CONTENT})
        structlog.get_logger("edge_clm.x").warning("odd", question=CONTENT, data=b"x")
    events = [line["event"] for line in lines(written)]
    assert events.count("request") == 9
    assert "fault" in events
    assert events.count("library") >= 4
    assert CONTENT not in written.getvalue()


async def test_a_request_is_one_line_that_says_who_and_how(
    tmp_path: Path, written: io.StringIO
) -> None:
    """Method, outcome, time, tenant, size and serve mode of a call stand in one line under its id."""
    async with house(tmp_path) as at:
        stub = at.stub()
        await stub.Ask(asking(), metadata=(("x-request-id", "till-7"), *bearer(at.token)))
        await refused(stub.Ask(asking("")))
    good, bad = [line for line in lines(written) if line["event"] == "request"]
    assert good["ms"] > 0
    assert {key: good[key] for key in good if key not in ("ms", "timestamp")} == {
        "event": "request",
        "level": "info",
        "method": "Ask",
        "code": "OK",
        "reason": "",
        "tenant": "acme",
        "received": 3,
        "serve_mode": "warm",
        "request_id": "till-7",
    }
    assert (bad["code"], bad["reason"], bad["tenant"]) == (
        "INVALID_ARGUMENT",
        "QUESTION_MISSING",
        "local",
    )


async def test_a_fault_is_found_by_the_id_that_the_caller_got(
    tmp_path: Path, written: io.StringIO
) -> None:
    """The opaque id leads to the error's type and the line that raised it."""

    async def script(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        raise ZeroDivisionError(CONTENT)
        yield ""

    async with house(tmp_path, script) as at:
        error = await refused(at.stub().Ask(asking()))
    [fault] = [line for line in lines(written) if line["event"] == "fault"]
    assert fault["fault"] in error.message
    assert fault["error"] == "ZeroDivisionError"
    assert any("test_logs.py" in frame and "script" in frame for frame in fault["frames"])


async def test_what_a_device_is_not_told_is_in_the_log(
    tmp_path: Path, written: io.StringIO
) -> None:
    """The machine's own trouble stands there whole under the request's id, a fault under its own too."""
    words = {"locked": "/srv/memory is locked", "odd": "/srv/memory refused a statement"}

    async def script(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        kind = StoreUnavailable if inquiry.question == "locked" else InternalFault
        raise kind(words[inquiry.question])
        yield ""

    async with house(tmp_path, script) as at:
        for word in words:
            error = await refused(at.stub().Ask(asking(word), metadata=(("x-request-id", word),)))
    withheld, fault = [line for line in lines(written) if line["event"] in ("withheld", "fault")]
    assert (withheld["request_id"], withheld["message"]) == ("locked", words["locked"])
    assert withheld["reason"] == "STORE_UNAVAILABLE"
    assert (fault["request_id"], fault["message"]) == ("odd", words["odd"])
    assert fault["fault"] in error.message


@given(st.sampled_from(sorted(logs.CONTENT_KEYS)), st.text() | st.binary() | st.integers())
def test_a_key_that_names_content_is_refused(key: str, value: object) -> None:
    """Whatever stands under such a key is dropped, and the line says so."""
    event = logs.refuse_content(None, "info", {"event": "x", key: value})
    assert event == {"event": "x", "refused": [key]}


@pytest.mark.parametrize(
    "value", [b"raw", "x" * 401, {"a": 1}, object(), ["fine", b"raw"], Path("x")]
)
def test_a_value_that_could_hold_content_is_refused(value: object) -> None:
    """Bytes, long strings and things of unknown shape stay out under any key."""
    event = logs.refuse_content(None, "info", {"event": "x", "n": 1, "note": value})
    assert event == {"event": "x", "n": 1, "refused": ["note"]}


def test_lines_for_the_journal_carry_a_priority(
    tmp_path: Path, written: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    """journald learns the level from the line's start, but only if it is what reads the stream."""
    with (tmp_path / "journal").open("w+") as journal, (tmp_path / "other").open("w+") as other:
        status = os.fstat(journal.fileno())
        monkeypatch.setenv("JOURNAL_STREAM", f"{status.st_dev}:{status.st_ino}")
        for stream in (journal, other):
            logs.configure(Log(format="auto"), stream)
            structlog.get_logger("edge_clm.test").warning("dusk")
            stream.seek(0)
        assert journal.read().startswith('<4>{"')
        assert other.read().startswith('{"')
    assert not written.getvalue()


def test_the_level_is_kept(written: io.StringIO) -> None:
    """Below the configured level nothing is written."""
    logs.configure(Log(level="warning", format="json"), written)
    structlog.get_logger("edge_clm.test").info("quiet")
    structlog.get_logger("edge_clm.test").warning("loud")
    assert [line["event"] for line in lines(written)] == ["loud"]


async def test_an_error_of_a_library_is_told_by_type_and_place(written: io.StringIO) -> None:
    """An exception that ends in asyncio's or our own hands keeps its place and loses its text."""
    asyncio.get_running_loop().call_soon(_raise, CONTENT)
    await asyncio.sleep(0)
    try:
        _raise(CONTENT)
    except LookupError:
        structlog.get_logger("edge_clm.x").exception("odd")
    for line in lines(written):
        assert line["error"] == "LookupError"
        assert any("_raise" in frame for frame in line["frames"])
    assert [line["event"] for line in lines(written)] == ["library", "odd"]
    assert CONTENT not in written.getvalue()


def _raise(text: str) -> None:
    raise LookupError(text)


async def _echo(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
    yield an_answer(inquiry.question)
