"""The small parts of the benches that need no daemon."""

from __future__ import annotations

import io
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from bench.__main__ import main
from bench.finished import Finished
from bench.hostile import hostile_calls
from bench.latency_figures import figures_of
from bench.progress import Progress, duration
from bench.quiet import Usage, between, usage
from edge_clm import errors


def test_finished_results_survive_and_belong_to_one_state(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one run has finished another finds, unless code, weights or options differ."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    Finished("x", key=("weights", 1)).put("sroie/000", {"ms": 1.5})
    assert Finished("x", key=("weights", 1)).get("sroie/000") == {"ms": 1.5}
    assert Finished("x", key=("weights", 2)).get("sroie/000") is None
    assert Finished("x", key=("weights", 1)).get("sroie/001") is None
    Finished("x", key=("weights", 1)).forget()
    assert Finished("x", key=("weights", 1)).get("sroie/000") is None


def test_load_is_what_the_machine_did_besides_the_bench() -> None:
    """Load is all time spent less our own, so what has ended counts; the names are of what still runs."""
    old, reused, new = (1, 10.0, "old"), (1, 20.0, "reused"), (2, 30.0, "new")
    before = Usage(100.0, 500.0, 40.0, {old: 50.0})
    after = Usage(110.0, 515.0, 47.0, {old: 53.0, reused: 1.0, new: 4.0})
    load, busiest = between(before, after)
    assert load == pytest.approx(0.8)
    assert busiest == ["new (2) 0.40", "old (1) 0.30", "reused (1) 0.10"]


def test_load_does_not_count_the_bench_itself() -> None:
    """A second of our own work raises the machine's time and our own alike."""
    before = usage()
    give_up = time.monotonic() + 1
    while time.monotonic() < give_up:
        sum(range(1000))
    after = usage()
    assert after.own - before.own > 0.2
    assert after.machine - before.machine > 0.9 * (after.own - before.own) - 0.1


def test_bad_calls_name_reasons_that_exist() -> None:
    """Every reason that a bad call may meet is one of the daemon's, and every call has a name."""
    known = {kind.reason for kind in _descendants(errors.EdgeClmError)}
    calls = hostile_calls(b"\xff\xd8 no picture", "c_1")
    assert len({one.name for one in calls}) == len(calls) > 15
    assert all(one.reasons and one.reasons <= known for one in calls)


def test_the_bomb_is_small_and_says_it_is_huge() -> None:
    """The decompression bomb is a few hundred bytes that claim more pixels than any daemon takes."""
    sent: list[bytes] = []

    class Recorder:
        def ask(self, question: str, *, image: bytes) -> None:
            sent.append(image)

    bomb = next(one for one in hostile_calls(b"", "") if one.name == "decompression bomb")
    bomb.call(Recorder())  # type: ignore[arg-type]
    assert len(sent[0]) < 1000
    limit, Image.MAX_IMAGE_PIXELS = Image.MAX_IMAGE_PIXELS, None
    try:
        with Image.open(io.BytesIO(sent[0])) as picture:
            assert picture.width * picture.height == 900_000_000
    finally:
        Image.MAX_IMAGE_PIXELS = limit


def test_latency_figures_of_known_times() -> None:
    """Ratios and percentiles come from the arms that they are named after."""
    figures = figures_of([_document(scale) for scale in (1.0, 2.0, 3.0)])
    assert figures["ttft.warm_over_cold.p50"].value == pytest.approx(0.1)
    assert figures["ttft_server.warm_over_cold.p50"].value == pytest.approx(0.05)
    assert figures["e2e.warm_over_cold.p95"].value == pytest.approx(0.5)
    assert figures["replay.handle.p95_ms"].value == pytest.approx(1.0)
    assert figures["replay.bytes.client.p95_ms"].value == pytest.approx(4.0)
    assert figures["cold_over_plain.same_prompt.p50"].value == pytest.approx(2.0)
    assert figures["cold_over_plain.same_prompt.less_ocr.p50"].value == pytest.approx(1.4)
    assert figures["cold_over_plain.no_ocr_text.p50"].value == pytest.approx(4.0)
    assert "cold 10, plain 12" in figures["cold_over_plain.no_ocr_text.p50"].note


def test_answers_of_unlike_length_are_not_compared() -> None:
    """Where plain transformers wrote on and the daemon stopped, their times do not count."""
    longer = _document(1.0)
    longer["plain"]["same_prompt"] |= {"tokens": 96, "total_ms": 9000.0}
    figures = figures_of([_document(1.0), longer])
    assert figures["cold_over_plain.same_prompt.p50"].value == pytest.approx(2.0)
    assert "1 of 2" in figures["cold_over_plain.same_prompt.p50"].note
    assert "cold_over_plain.same_prompt.p50" not in figures_of([longer])


def test_documents_without_replays_are_left_out() -> None:
    """Where no answer was kept on any document there is no replay figure, and no error."""
    bare = _document(1.0) | {"replays": {"handle": [], "bytes": []}}
    assert not any(key.startswith("replay") for key in figures_of([bare]))


def test_progress_in_a_pipe_is_quiet(capsys: pytest.CaptureFixture[str]) -> None:
    """Where nobody watches, a hundred steps are a few lines and the last of them is said."""
    assert not sys.stderr.isatty()
    progress = Progress("documents", 100)
    progress.skip(10)
    for _ in range(90):
        progress.step()
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) <= 5
    assert lines[-1].startswith("documents 100/100")


def test_durations_as_people_say_them() -> None:
    """Seconds, minutes and hours, without decimals."""
    assert [duration(s) for s in (8, 200, 3900)] == ["8 s", "3 min 20 s", "1 h 05 min"]


def test_wrong_data_is_a_refusal_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A directory without documents ends with status 2 and a line that says what to give."""
    assert main(["fields", "--data", str(tmp_path)]) == 2
    assert "--data" in capsys.readouterr().err


def test_nonsense_numbers_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    """--n 0 is an error of usage."""
    with pytest.raises(SystemExit, match="2"):
        main(["latency", "--n", "0"])
    assert "at least 1" in capsys.readouterr().err


def _descendants(kind: type[errors.EdgeClmError]) -> list[type[errors.EdgeClmError]]:
    return [kind, *(deeper for below in kind.__subclasses__() for deeper in _descendants(below))]


def _document(scale: float) -> dict[str, Any]:
    def times(first: float, total: float, server: float) -> dict[str, float]:
        found = {"first_ms": first, "total_ms": total, "server_first_ms": server}
        scaled = {name: value * scale for name, value in found.items()}
        return scaled | {"server_total_ms": 0.0, "ocr_ms": 30.0 * scale, "tokens": 10}

    plain = {"first_ms": 40.0 * scale, "tokens": 12}
    return {
        "cold": times(80.0, 100.0, 70.0),
        "warm": [times(8.0, 50.0, 3.5)],
        "short": [times(8.0, 20.0, 3.5)] * 2,
        "plain": {
            "same_prompt": plain | {"total_ms": 50.0 * scale, "tokens": 10},
            "no_ocr_text": plain | {"total_ms": 25.0 * scale},
        },
        "replays": {"handle": [(1.0, 2.0)] * 5, "bytes": [(3.0, 4.0)] * 5},
        "bytes": 300_000,
    }
