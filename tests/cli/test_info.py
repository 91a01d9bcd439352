"""`edge-clm info` over a real socket."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run, Start
from tests.cli.desk import Desk


def test_info_tells_health_models_and_limits(run: Run, desk: Desk) -> None:
    """What a person needs to know of the daemon is there, a fact a line."""
    lines = dict(line.split(maxsplit=1) for line in run("info").output.splitlines())
    assert lines["health"] == "SERVING"
    assert lines["version"] == "0.1.0"
    assert lines["max_bytes"] == "1024"
    assert "vision_language  nano on cpu" in lines["model"]


def test_info_as_json_can_be_read_by_a_program(run: Run, desk: Desk) -> None:
    """One object with health, models and limits."""
    shown = json.loads(run("info", "--json").output)
    assert shown["health"] == "SERVING"
    assert shown["models"][0]["device"] == "cpu"
    assert shown["limits"]["media_types"] == ["image/jpeg"]


def test_health_is_that_after_the_wait(run: Run, desk: Desk) -> None:
    """What a daemon said of itself before its models were there is not shown beside them."""
    desk.health, desk.loads = "NOT_SERVING", True
    result = run("info", "--json")
    assert json.loads(result.stdout)["health"] == "SERVING"
    assert result.stderr == "waiting for the daemon to load its models\n"


def test_a_full_disk_is_two_lines(start: Start, desk: Desk) -> None:
    """Output that nobody can take ends with 1 and without a traceback."""
    with Path("/dev/full").open("wb") as full:
        process = start("info", stdout=full)
        _, err = process.communicate(timeout=60)
    first, second = err.decode().splitlines()
    assert process.returncode == 1
    assert first == "edge-clm: SYSTEM_REFUSED: input or output: No space left on device"
    assert second.startswith("remedy: ")


def test_info_without_a_daemon_fails(run: Run) -> None:
    """Nobody at the socket ends with 3."""
    assert run("info").exit_code == 3
