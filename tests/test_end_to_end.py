"""The whole daemon, as a process, on a real photo: what a device sees of it."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO
from pathlib import Path

import numpy as np
import psutil
import pytest
from PIL import Image

from bench.daemon import Daemon
from edge_clm.client import Client, ClientError
from edge_clm.config import models_home
from edge_clm.question.english import in_english, is_chinese
from edge_clm.v1 import edge_clm_pb2 as pb

INVOICE = (Path(__file__).parent.parent / "examples" / "invoice.jpg").read_bytes()
NUMBER = "What is the invoice number?"
DATE = "What is the invoice date?"
SELLER = "Who is the seller?"
LONG = "List everything on this page."
WORDS = ("738410", "240.73")
"""Printed on the invoice."""


@pytest.fixture(scope="module")
def daemon() -> Iterator[Daemon]:
    with Daemon(models_home(), "nano") as started:
        yield started


@pytest.fixture
def client(daemon: Daemon) -> Iterator[Client]:
    with daemon.client(timeout_s=120) as opened:
        yield opened


def _upper_half() -> bytes:
    """Another page: the upper half of the invoice."""
    data = BytesIO()
    with Image.open(BytesIO(INVOICE)) as photo:
        photo.crop((0, 0, photo.width, photo.height // 2)).save(data, "JPEG")
    return data.getvalue()


def stages(answer: pb.Answer) -> set[str]:
    return {stage.name for stage in answer.stages}


def test_modes(client: Client) -> None:
    """Cold, then warm over the same page, then replay by handle and by bytes; fresh is cold again."""
    cold = client.ask(NUMBER, image=INVOICE)
    assert cold.serve_mode == pb.SERVE_MODE_COLD
    assert {"receive", "decode_image", "ocr", "prefill", "first_token", "generate"} <= stages(cold)
    assert cold.text
    assert cold.provenance.stored
    warm = client.ask(DATE, handle=cold.page.handle)
    assert warm.serve_mode == pb.SERVE_MODE_WARM
    assert not {"decode_image", "ocr", "prefill"} & stages(warm)
    for source in ({"image": INVOICE}, {"handle": cold.page.handle}):
        again = client.ask("  what is the INVOICE number ", **source)  # type: ignore[arg-type]
        assert again.serve_mode == pb.SERVE_MODE_REPLAY
        assert (again.text, again.answer_id) == (cold.text, cold.answer_id)
        assert (again.page, again.tokens) == (cold.page, cold.tokens)
    fresh = client.ask(NUMBER, handle=cold.page.handle, fresh=True)
    assert fresh.serve_mode == pb.SERVE_MODE_COLD
    assert "ocr" in stages(fresh)
    assert fresh.text == cold.text


def test_a_remembered_answer_is_confirmed_by_the_model(client: Client) -> None:
    """For who wants no old answer, and for the same question in other words: the same text, verified."""
    said = client.ask(NUMBER, image=INVOICE)
    for question, max_age_s in ((NUMBER, 1e-9), ("invoice no", 0.0)):
        verified = client.ask(question, handle=said.page.handle, max_age_s=max_age_s)
        assert verified.serve_mode == pb.SERVE_MODE_VERIFIED
        assert verified.text == said.text
        assert (verified.tokens.accepted, verified.tokens.rejected) == (verified.tokens.answer, 0)
        assert {"first_token", "generate"} <= stages(verified)


def test_a_page_asked_about_twice_survives_a_restart() -> None:
    """Its state is fetched from the disk: a new question takes no reading and no pass over the page."""
    with Daemon(models_home(), "nano") as daemon:
        with daemon.client(timeout_s=120) as client:
            handle = client.put_capture(INVOICE).handle
            for question in (NUMBER, DATE):
                client.ask(question, image=_upper_half(), no_store=True)
            for question in (NUMBER, DATE):
                client.ask(question, handle=handle)
        states = daemon.home / "memory" / "states"
        while not [*states.glob("*.state")]:
            time.sleep(0.05)
        daemon.stop()
        daemon.start()
        with daemon.client(timeout_s=120) as client:
            warm = client.ask(SELLER, handle=handle)
            assert warm.serve_mode == pb.SERVE_MODE_WARM
            assert "restore" in stages(warm)
            assert not {"ocr", "prefill"} & stages(warm)
            # What was not to be stored is not there, and what is made anew takes the place of what was.
            assert len([*states.iterdir()]) == 1
            assert warm.text == client.ask(SELLER, handle=handle, fresh=True).text
            assert not [*states.iterdir()]


def test_warm_answers_equal_cold_ones(client: Client) -> None:
    """What is answered over a kept page state is what the whole way answers."""
    first = client.ask(SELLER, image=INVOICE, no_store=True)
    warm = client.ask(SELLER, image=INVOICE, no_store=True)
    cold = client.ask(SELLER, image=INVOICE, no_store=True, fresh=True)
    assert warm.serve_mode == pb.SERVE_MODE_WARM
    assert cold.serve_mode == pb.SERVE_MODE_COLD
    assert first.text == warm.text == cold.text


def test_same_pixels_in_other_bytes(client: Client) -> None:
    """A file with other bytes and the same pixels is the same page."""
    picture = Image.open(BytesIO(INVOICE)).convert("RGB").resize((600, 800))
    png, bmp = BytesIO(), BytesIO()
    picture.save(png, "PNG")
    picture.save(bmp, "BMP")
    cold = client.ask(NUMBER, image=png.getvalue())
    replayed = client.ask(NUMBER, image=bmp.getvalue())
    assert cold.serve_mode == pb.SERVE_MODE_COLD
    assert replayed.serve_mode == pb.SERVE_MODE_REPLAY
    assert replayed.text == cold.text
    assert replayed.page.handle != cold.page.handle


def test_one_pixel_makes_another_page(client: Client) -> None:
    """A single other pixel is another page: nothing is given from memory."""
    picture = Image.open(BytesIO(INVOICE)).convert("RGB").resize((500, 700))
    answers = []
    for shade in (0, 1):
        picture.putpixel((3, 3), (shade, 0, 0))
        png = BytesIO()
        picture.save(png, "PNG")
        answers.append(client.ask(NUMBER, image=png.getvalue()))
    assert [a.serve_mode for a in answers] == [pb.SERVE_MODE_COLD] * 2


def test_no_store_leaves_nothing(client: Client, daemon: Daemon) -> None:
    """An answer that must not be kept leaves no capture, page or snapshot behind."""
    picture = Image.open(BytesIO(INVOICE)).convert("RGB").resize((480, 640))
    png = BytesIO()
    picture.save(png, "PNG")

    def rows() -> list[int]:
        path = next((daemon.home / "memory").glob("*.sqlite3"))
        with sqlite3.connect(path) as db:
            names = ("captures", "views", "pages", "snapshots")
            return [db.execute(f"SELECT count(*) FROM {n}").fetchone()[0] for n in names]  # noqa: S608

    before = rows()
    answer = client.ask(NUMBER, image=png.getvalue(), no_store=True)
    assert rows() == before
    assert not answer.provenance.stored
    assert answer.answer_id == ""


def test_what_is_kept_of_an_answer_tells_what_was_asked(client: Client, daemon: Daemon) -> None:
    """With every answer a vector is kept; of a question in other words it lies nearer than of another question."""
    answers = [client.ask(asked, image=INVOICE) for asked in (DATE, "Date of the invoice?", SELLER)]
    path = next((daemon.home / "memory").glob("*.sqlite3"))
    with sqlite3.connect(path) as db:
        kept = [
            db.execute("SELECT vector FROM snapshots WHERE id = ?", (one.answer_id,)).fetchone()[0]
            for one in answers
        ]
    vectors = np.array([np.frombuffer(one, "<f2") for one in kept], np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    date, reworded, seller = vectors
    assert date @ reworded > date @ seller


def test_blank_page_is_unreadable(client: Client) -> None:
    """A page without a word gets an answer of its own, not the model's guess."""
    png = BytesIO()
    Image.new("RGB", (640, 800), "white").save(png, "PNG")
    answer = client.ask("What is the total?", image=png.getvalue())
    assert answer.outcome == pb.OUTCOME_UNREADABLE
    assert client.describe(image=png.getvalue()).outcome == pb.OUTCOME_UNREADABLE


def test_a_chinese_question_gets_the_value_that_an_english_one_gets(client: Client) -> None:
    """A model that reads English alone is asked in English, and the value comes back as printed."""
    english = client.ask(in_english("发票号码是多少？"), image=INVOICE)
    chinese = client.ask("发票号码是多少？", image=INVOICE)
    assert chinese.text == english.text
    assert chinese.outcome == english.outcome
    assert chinese.value == english.value
    events = list(client.ask_stream("请问总金额是多少？", image=INVOICE))
    assert "".join(event for event in events[:-1] if isinstance(event, str)) == events[-1].text  # type: ignore[union-attr]


def test_what_is_not_there_is_said_in_the_language_of_the_question(client: Client) -> None:
    """Whatever outcome the model comes to, a Chinese question hears of it in Chinese."""
    answers = [
        client.ask(asked, image=INVOICE) for asked in ("出生日期是什么？", "放射科医生是谁？")
    ]
    for answer in answers:
        assert (answer.outcome == pb.OUTCOME_ANSWERED) != is_chinese(answer.text)


def test_stream_is_the_answer_in_pieces(client: Client) -> None:
    """The deltas of a stream, joined, are the text of its last message."""
    events = list(client.ask_stream("What is sold, and to whom?", image=INVOICE))
    assert isinstance(events[-1], pb.Answer)
    assert "".join(e for e in events[:-1] if isinstance(e, str)) == events[-1].text


def test_simultaneous_identical_work_is_done_once(daemon: Daemon) -> None:
    """Many devices asking the same at once cost one answer."""

    def ask(_: int) -> pb.Answer:
        with daemon.client(timeout_s=120) as client:
            return client.ask("Please tell me the invoice number.", image=INVOICE)

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(ask, range(6)))
    assert all(answer.provenance.stored for answer in answers)
    assert len({answer.answer_id for answer in answers}) == 1
    assert len({answer.text for answer in answers}) == 1


def test_wrong_answer_is_not_given_again(client: Client) -> None:
    """An answer marked wrong is worked out anew."""
    question = "Which invoice number is printed here?"
    first = client.ask(question, image=INVOICE)
    assert client.ask(question, image=INVOICE).answer_id == first.answer_id
    client.feedback(first.answer_id, right=False)
    again = client.ask(question, image=INVOICE)
    assert again.serve_mode == pb.SERVE_MODE_WARM
    assert again.text == first.text
    assert not again.provenance.stored


@pytest.mark.parametrize(
    ("request_", "reason"),
    [
        ({"image": b""}, "IMAGE_MISSING"),
        ({"image": b"no picture at all"}, "IMAGE_NOT_RECOGNISED"),
        ({"image": INVOICE[:20000]}, "IMAGE_TRUNCATED"),
        ({"image": INVOICE, "page": 2}, "NO_SUCH_PAGE"),
        ({"image": INVOICE, "page": -1}, "REQUEST_INVALID"),
        ({"handle": "c_nothing"}, "HANDLE_UNKNOWN"),
        ({"image": INVOICE, "temperature": 9.0}, "REQUEST_INVALID"),
    ],
)
def test_bad_requests(client: Client, request_: dict[str, object], reason: str) -> None:
    """Each kind of bad request is refused with its own reason and a remedy."""
    with pytest.raises(ClientError) as caught:
        client.ask(NUMBER, **request_)  # type: ignore[arg-type]
    assert caught.value.reason == reason
    assert caught.value.remedy


def test_engine_comes_back(daemon: Daemon, client: Client) -> None:
    """When the engine's process dies, calls fail with a reason, health tells, and it is restarted."""
    stream = client.ask_stream(LONG, image=INVOICE, fresh=True, max_tokens=200)
    assert isinstance(next(stream), str)
    daemon.family()[1].kill()
    with pytest.raises(ClientError) as caught:
        list(stream)
    assert caught.value.reason == "ENGINE_LOST"
    # Health follows within a moment; the engine takes seconds to come back.
    assert "NOT_SERVING" in (client.health() for _ in range(500))
    client.wait_ready(120)
    assert client.ask(NUMBER, image=INVOICE, fresh=True).text


def test_log_has_no_content(daemon: Daemon, client: Client) -> None:
    """Neither question nor answer nor words of the page are in the log, which is JSON throughout."""
    question = "Could you kindly tell me the zebra-striped invoice number?"
    answer = client.ask(question, image=INVOICE)
    assert len(answer.text) > 3
    log = daemon.log.read_text()
    for content in (question, "zebra", answer.text, *WORDS):
        assert content not in log
    for line in log.splitlines():
        json.loads(line.split(">", 1)[-1])


def test_no_socket_of_its_own(daemon: Daemon, client: Client) -> None:
    """Once it has answered, neither the daemon nor its engine has anything open to a network."""
    assert client.ask(NUMBER, image=INVOICE).text
    for process in daemon.family():
        assert process.net_connections("inet") == []


def test_restart_and_kill() -> None:
    """After SIGTERM and after SIGKILL, what was answered before is answered from what was stored."""
    with Daemon(models_home(), "nano") as daemon:
        with daemon.client() as client:
            first = client.ask(NUMBER, image=INVOICE)
        assert daemon.stop() == 0
        daemon.start()
        with daemon.client() as client:
            again = client.ask(NUMBER, image=INVOICE)
        orphans = daemon.kill()
        psutil.wait_procs(orphans, timeout=20)
        assert not any(process.is_running() for process in orphans)
        daemon.start()
        with daemon.client() as client:
            last = client.ask(NUMBER, handle=first.page.handle)
    assert again.serve_mode == last.serve_mode == pb.SERVE_MODE_REPLAY
    assert first.text == again.text == last.text


def test_drain_finishes_a_stream() -> None:
    """SIGTERM in the middle of a stream: the stream ends whole, and the daemon exits with 0."""
    with Daemon(models_home(), "nano") as daemon, daemon.client() as client:
        stream = client.ask_stream(LONG, image=INVOICE, fresh=True)
        first = next(stream)
        daemon.terminate()
        rest = list(stream)
        assert isinstance(first, str)
        assert isinstance(rest[-1], pb.Answer)
        assert daemon.wait(60) == 0
