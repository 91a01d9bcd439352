"""`edge-clm ask` and `edge-clm describe` over a real socket."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from edge_clm.errors import (
    DeadlineExceeded,
    EdgeClmError,
    ImageTruncated,
    ModelMissing,
    QueueFull,
    StoreUnavailable,
    TokenMissing,
    TokenUnknown,
)
from edge_clm.v1 import edge_clm_pb2 as pb
from tests.cli.conftest import Run, Start
from tests.cli.desk import Desk, answer_of, serving


def test_the_answer_goes_to_stdout_and_how_it_came_about_to_stderr(
    run: Run, desk: Desk, photo: Path
) -> None:
    """A pipe gets the answer alone; the terminal also serve mode and milliseconds per stage."""
    result = run("ask", photo, "What is the total?")
    assert result.exit_code == 0
    assert result.stdout == "42.17\n"
    assert result.stderr == "cold · ocr 1234, generate 6.2 ms\n"
    (request,) = desk.asked
    assert request.question == "What is the total?"
    assert request.page.image == photo.read_bytes()


def test_several_questions_upload_the_file_once(run: Run, desk: Desk, photo: Path) -> None:
    """The file is sent once and then named by its handle; answers come in the order of questions."""
    result = run("ask", photo, "What is the total?", "When is it due?", "--json")
    assert result.exit_code == 0
    assert desk.uploads == [photo.read_bytes()]
    assert [request.page.handle for request in desk.asked] == ["h1", "h1"]
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["question"] for line in lines] == ["What is the total?", "When is it due?"]


@pytest.mark.parametrize("name", ["/dev/null", "{tmp}/empty"])
def test_an_empty_file_is_told_as_such(run: Run, desk: Desk, tmp_path: Path, name: str) -> None:
    """A file without bytes is refused here, with a remedy for who types a command."""
    (tmp_path / "empty").touch()
    result = run("ask", name.format(tmp=tmp_path), "?")
    assert result.exit_code == 1
    assert "the file is empty\nremedy: Name a file" in result.stderr
    assert desk.asked == []


def test_a_file_without_end_is_not_read_on(run: Run, desk: Desk) -> None:
    """Of a large file no more is read than the daemon takes; what has more is refused."""
    result = run("ask", "/dev/zero", "?")
    assert result.exit_code == 1
    assert result.stderr.startswith("edge-clm: IMAGE_TOO_MANY_BYTES: /dev/zero has more than 1024")


def test_a_file_that_cannot_be_read_is_two_lines(run: Run, desk: Desk) -> None:
    """A file that opens and then fails is named, with the system's word for it."""
    result = run("ask", "/proc/self/mem", "?")
    assert result.exit_code == 1
    first, second = result.stderr.splitlines()
    assert first.startswith("edge-clm: FILE_UNREADABLE: /proc/self/mem: ")
    assert second.startswith("remedy: ")


def test_stray_bytes_in_a_question_are_wrong_usage(start: Start, photo: Path) -> None:
    """An argument that is no text ends with 2 and without a traceback."""
    process = start("ask", photo, "\udcff?")
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert b"no UTF-8 text" in err and b"Traceback" not in err


@pytest.mark.parametrize(
    "words",
    [
        ["--max-tokens", "99999999999"],
        ["--page", "99999999999"],
        ["--timeout", "nan"],
        ["--timeout", "inf"],
        ["--max-age", "nan"],
        ["--max-age", "inf"],
        ["--token", "secret\n"],
        ["--token", "secr\x00et"],
        ["--token", "sécret"],
    ],
)
def test_what_no_call_can_carry_is_wrong_usage(run: Run, photo: Path, words: list[str]) -> None:
    """Numbers, times and tokens beyond what the contract holds end with 2; no token is shown."""
    result = run("ask", photo, "?", *words)
    assert result.exit_code == 2
    assert words[0] in result.stderr
    assert "ret" not in result.stderr.rpartition("Error:")[2]


def test_a_socket_s_path_that_is_too_long_is_told_in_bytes(run: Run, photo: Path) -> None:
    """No kernel takes such an address, so it is refused before anybody is called."""
    for scheme in ("", "unix:"):
        result = run("ask", photo, "?", "--address", f"{scheme}/{'x' * 107}")
        assert result.exit_code == 1
        assert "ADDRESS_INVALID: the socket's path has 108 bytes, and 107" in result.stderr


def test_who_waits_for_models_is_told_so(run: Run, desk: Desk, photo: Path) -> None:
    """While the daemon loads, one line on standard error says what is waited for."""
    desk.health, desk.loads = "NOT_SERVING", True
    result = run("ask", photo, "?")
    assert (result.exit_code, result.stdout) == (0, "42.17\n")
    assert result.stderr.splitlines()[0] == "waiting for the daemon to load its models"
    assert "waiting" not in run("ask", photo, "?").stderr


def test_a_daemon_that_stops_while_it_answers_is_told_as_such(
    start: Start, photo: Path, tmp_path: Path
) -> None:
    """Who asked a daemon that was there does not read that none is; gRPC adds no lines of its own."""
    with serving(tmp_path / "s") as desk:
        desk.hold = threading.Event()
        process = start("ask", photo, "?", "--address", desk.address)
        assert desk.arrived.wait(60)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 3
    first, second = err.decode().splitlines()
    assert first == "edge-clm: UNREACHABLE: the daemon stopped while it answered"
    assert second.startswith("remedy: ")


def test_short_stages_are_left_to_json(run: Run, desk: Desk, photo: Path) -> None:
    """People see the stages that took a millisecond or more; programs see all of them."""
    desk.answer = answer_of("1", stages=[pb.Stage(name="identify", ms=0.2)])
    assert run("ask", photo, "?").stderr == "cold\n"
    assert json.loads(run("ask", photo, "?", "--json").stdout)["stages"] == {"identify": 0.2}


def test_no_store_uploads_nothing(run: Run, desk: Desk, photo: Path) -> None:
    """An upload would be kept, so with --no-store the file goes along with every question."""
    assert run("ask", photo, "a?", "b?", "--no-store").exit_code == 0
    assert desk.uploads == []
    assert all(request.page.image and request.reuse.no_store for request in desk.asked)


def test_json_has_everything_that_a_program_needs(run: Run, desk: Desk, photo: Path) -> None:
    """One object a line, enums by their short names, stages as milliseconds by name."""
    quad = [pb.Point(x=x, y=y) for x, y in ((1, 2), (3, 2), (3, 4), (1, 4))]
    tokens = pb.Tokens(accepted=3, rejected=1)
    evidence = [pb.Evidence(text="42.17", quad=quad)]
    desk.answer = answer_of("42.17 €", evidence=evidence, tokens=tokens)
    (line,) = run("ask", photo, "?", "--json").stdout.splitlines()
    assert json.loads(line) == {
        "question": "?",
        "answer": "42.17 €",
        "outcome": "answered",
        "serve_mode": "cold",
        "finish_reason": "stop",
        "answer_id": "a1",
        "handle": "h1",
        "page": 1,
        "pages": 1,
        "width": 640,
        "height": 400,
        "turn": 0,
        "stages": {"ocr": 1234.5, "generate": 6.25},
        "tokens": {"page": 0, "answer": 0, "accepted": 3, "rejected": 1},
        "stored": False,
        "age_s": 0.0,
        "dropped_lines": 0,
        "notices": [],
        "evidence": [{"text": "42.17", "quad": [[1, 2], [3, 2], [3, 4], [1, 4]]}],
    }


def test_a_known_page_is_said_to_be_one(run: Run, desk: Desk, photo: Path) -> None:
    """Behind how the answer came about, in a line of its own on standard error; one that it is none of, as it is."""
    known = [
        pb.Notice(kind=pb.NOTICE_KIND_SEEN_BEFORE, handle="c_0", number=1),
        pb.Notice(kind=99, handle="c_\x1b9", number=1),  # type: ignore[arg-type]
    ]
    desk.answer = answer_of("42.17 €", page=pb.PageInfo(handle="h1", notices=known))
    told = run("ask", photo, "?").stderr.splitlines()
    assert told[1:] == [
        "seen before (1970-01-01 00:00 UTC, c_0)",
        "99 (1970-01-01 00:00 UTC, c_9)",
    ]


def test_a_stream_prints_the_pieces_as_they_come(run: Run, desk: Desk, photo: Path) -> None:
    """The pieces make up the answer, which is not printed a second time."""
    result = run("ask", photo, "?", "--stream")
    assert result.stdout == "42.17\n"
    assert result.stderr.startswith("cold")


def test_a_stream_as_json_ends_with_the_whole_answer(run: Run, desk: Desk, photo: Path) -> None:
    """Every piece is an object of its own, and the last line is the answer."""
    lines = [
        json.loads(line)
        for line in run("ask", photo, "?", "--stream", "--json").stdout.splitlines()
    ]
    assert [line.get("delta") for line in lines] == ["42", ".17", None]
    assert lines[-1]["answer"] == "42.17"


def test_dash_is_standard_input(run: Run, desk: Desk) -> None:
    """'-' reads the file from standard input, byte for byte."""
    data = bytes(range(256))
    assert run("ask", "-", "?", input=data).exit_code == 0
    assert desk.asked[0].page.image == data


def test_wishes_reach_the_daemon(run: Run, desk: Desk, photo: Path) -> None:
    """Page, reuse and length are sent as given."""
    words = ["--page", "3", "--fresh", "--max-age", "60", "--max-tokens", "7", "--token", "secret"]
    assert run("ask", photo, "?", *words).exit_code == 0
    (request,) = desk.asked
    assert request.page.number == 3
    assert (request.reuse.fresh, request.reuse.max_age_s) == (True, 60.0)
    assert request.generation.max_tokens == 7
    assert desk.tokens == ["Bearer secret"]


def test_describe_needs_no_question(run: Run, desk: Desk, photo: Path) -> None:
    """A description is asked for with the page alone."""
    result = run("describe", photo, "--page", "2", "--json")
    assert result.exit_code == 0
    assert isinstance(desk.asked[0], pb.DescribeRequest)
    assert desk.asked[0].page.number == 2
    assert "question" not in json.loads(result.stdout)


def test_the_address_comes_from_flag_environment_or_configuration(
    run: Run, desk: Desk, photo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """--address wins over EDGE_CLM_ADDRESS, which wins over the configuration's socket."""
    path = tmp_path / "edge.toml"
    path.write_text('[server]\nsocket = "/nowhere/s"\n')
    assert run("ask", photo, "?", "--config", path, "--timeout", "0.2").exit_code == 3
    monkeypatch.setenv("EDGE_CLM_ADDRESS", desk.address)
    assert run("ask", photo, "?", "--config", path).exit_code == 0
    assert run("ask", photo, "?", "--address", "unix:/nowhere", "--timeout", "0.2").exit_code == 3
    path.write_text(f'[server]\nsocket = "{desk.address.removeprefix("unix:")}"\n')
    monkeypatch.delenv("EDGE_CLM_ADDRESS")
    assert run("ask", photo, "?", "--config", path).exit_code == 0


def test_an_answer_that_is_not_on_the_page_is_an_answer(run: Run, desk: Desk, photo: Path) -> None:
    """'Not on this page' ends with 0: the daemon did what it was asked."""
    desk.answer = answer_of("That is not on this page.", outcome=pb.OUTCOME_NOT_ON_PAGE)
    assert run("ask", photo, "?").exit_code == 0


def test_a_cut_answer_says_so(run: Run, desk: Desk, photo: Path) -> None:
    """What was cut off, and page text that did not fit, are told beside the answer."""
    desk.answer = answer_of("42", finish_reason=pb.FINISH_REASON_LENGTH, dropped_lines=12)
    said = run("ask", photo, "?").stderr
    assert "cut: length" in said
    assert "12 lines at the end of the page did not fit" in said


def test_a_page_cannot_steer_the_terminal(run: Run, desk: Desk, photo: Path) -> None:
    """Control characters in an answer are shown as such, streamed or not; text is kept."""
    evil = "1\x1b]0;owned\x07\x9b31m €\n2"
    desk.answer, desk.deltas = answer_of(evil), (evil,)
    for words in ([], ["--stream"]):
        shown = run("ask", photo, "?", *words).stdout
        assert shown == "1\ufffd]0;owned\ufffd\ufffd31m €\n2\n"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ImageTruncated("the file ends early"), 1),
        (TokenUnknown("who?"), 1),
        (ModelMissing("no nano"), 1),
        (StoreUnavailable("locked"), 3),
        (QueueFull("busy", retry_after_s=60.0), 4),
        (DeadlineExceeded("too late"), 4),
    ],
    ids=lambda value: value.reason if isinstance(value, EdgeClmError) else str(value),
)
def test_a_refusal_is_two_lines_and_an_exit_code(
    run: Run, desk: Desk, photo: Path, error: EdgeClmError, code: int
) -> None:
    """The daemon's reason, message and remedy are shown, nothing else, and the exit code says what kind."""
    desk.error = error
    result = run("ask", photo, "?", "--timeout", "1")
    assert result.exit_code == code
    assert result.stdout == ""
    lines = result.stderr.splitlines()
    assert lines[0] == f"edge-clm: {error.reason}: {error.message}"
    assert lines[1] == f"remedy: {error.remedy}"
    assert lines[2:] == (["retry after: 60 s"] if error.retry_after_s else [])


def test_a_missing_token_is_asked_for_in_the_command_line_s_words(
    run: Run, desk: Desk, photo: Path
) -> None:
    """Who types a command cannot send headers; he is told of the option and the variable."""
    desk.error = TokenMissing("the call came without a bearer token")
    said = run("ask", photo, "?").stderr
    assert "--token" in said and "EDGE_CLM_TOKEN" in said
    assert "authorization" not in said


def test_a_failing_stream_fails_the_command(run: Run, desk: Desk, photo: Path) -> None:
    """A refused stream ends as a refused call does."""
    desk.error = ImageTruncated("the file ends early")
    assert run("ask", photo, "?", "--stream").exit_code == 1


def test_without_a_daemon_the_remedy_is_to_start_one(run: Run, photo: Path) -> None:
    """Nobody at the socket ends with 3 and says where was looked and what to do."""
    result = run("ask", photo, "?", "--timeout", "2")
    assert result.exit_code == 3
    assert "edge-clm: UNREACHABLE: no daemon answers at unix:" in result.stderr
    assert "edge-clm serve" in result.stderr


def test_a_deadline_that_passes_here_is_told_in_seconds(run: Run, desk: Desk, photo: Path) -> None:
    """A daemon that does not answer in time ends with 4 and says for how long was waited."""
    desk.hold = threading.Event()
    result = run("ask", photo, "?", "--timeout", "0.2")
    assert result.exit_code == 4
    assert result.stderr.startswith("edge-clm: DEADLINE_EXCEEDED: no answer within 0.2 s\n")
    assert "--timeout" in result.stderr


@pytest.mark.parametrize("words", [["ask"], ["ask", "absent.jpg", "?"], ["ask", "{photo}"]])
def test_missing_words_are_wrong_usage(run: Run, photo: Path, words: list[str]) -> None:
    """No file, a file that is not there, or no question ends with 2."""
    assert run(*(word.format(photo=photo) for word in words)).exit_code == 2


def test_ctrl_c_ends_quietly(start: Start, desk: Desk, photo: Path) -> None:
    """An interrupt while waiting ends with 130 and without a traceback."""
    desk.hold = threading.Event()
    process = start("ask", photo, "?")
    assert desk.arrived.wait(30)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert (process.returncode, out, err) == (130, b"", b"")


def test_a_reader_that_leaves_ends_the_command_quietly(
    start: Start, desk: Desk, photo: Path
) -> None:
    """When the pipe's other end closes, the command ends without a traceback."""
    desk.deltas = ("x" * 4096,) * 256
    process = start("ask", photo, "?", "--stream")
    assert process.stdout is not None
    assert process.stdout.read(1) == b"x"
    process.stdout.close()
    process.wait(30)
    assert process.stderr is not None
    assert (process.returncode, process.stderr.read()) == (141, b"")


def test_standard_input_that_is_closed_is_told() -> None:
    """Reading from a standard input that is not there is two lines, not a traceback."""
    command = [
        "sh",
        "-c",
        '"$0" -m edge_clm ask --address unix:/nonexistent - q <&-',
        sys.executable,
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("edge-clm: FILE_UNREADABLE: standard input: it is closed\n")
    assert len(done.stderr.splitlines()) == 2
