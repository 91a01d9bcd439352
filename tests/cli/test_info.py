"""`edge-clm info` over a real socket."""

from __future__ import annotations

import json

from tests.cli.conftest import Run
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


def test_info_without_a_daemon_fails(run: Run) -> None:
    """Nobody at the socket ends with 3."""
    assert run("info").exit_code == 3
