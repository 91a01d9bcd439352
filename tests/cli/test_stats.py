"""`edge-clm stats` over a real socket."""

from __future__ import annotations

import json
import re

from edge_clm.errors import RoleTooLow
from tests.cli.conftest import Run
from tests.cli.desk import Desk


def test_the_numbers_are_shown_a_part_a_line(run: Run, desk: Desk) -> None:
    """Engine, queues, memory and calls, for people."""
    shown = run("stats")
    assert shown.exit_code == 0
    lines = dict(re.split(r"  +", line, maxsplit=1) for line in shown.output.splitlines())
    assert lines["engine"] == "ready yes, restarts 1, silent_s 0.5"
    assert lines["kept"].startswith("tenants 0, captures 3")
    assert lines["calls Ask"] == "OK 7"
    assert lines["certificate_until"] == "-"
    assert not [name for name in lines if name.startswith("tenant ")]


def test_tenants_are_shown_on_wish(run: Run, desk: Desk) -> None:
    """Each on a line of its own."""
    assert "tenant till-1" in run("stats", "--tenants").output
    assert json.loads(run("stats", "--tenants", "--json").output)["tenants"][0]["captures"] == 2


def test_a_program_reads_every_number(run: Run, desk: Desk) -> None:
    """Zeros are there as well, and what the daemon could not tell is null."""
    fields = json.loads(run("stats", "--json").output)
    assert fields["engine"] == {"ready": True, "restarts": 1, "silent_s": 0.5}
    assert fields["answering"] == {"waiting": 0, "running": 0, "expected_wait_s": 0.0}
    assert fields["calls"] == [{"method": "Ask", "code": "OK", "count": 7}]
    assert (fields["certificate_until"], fields["tenants"]) == (None, [])
    desk.kept = False
    assert json.loads(run("stats", "--json").output)["kept"] is None


def test_nobody_is_told_to_wait_for_numbers(run: Run, desk: Desk) -> None:
    """They come while models load, so nothing is said of waiting."""
    desk.health = "NOT_SERVING"
    assert run("stats").stderr == ""


def test_a_device_is_told_what_it_lacks(run: Run, desk: Desk) -> None:
    """A refusal ends with 1 and names the remedy."""
    desk.error = RoleTooLow("Stats is for operators")
    result = run("stats", "--token", "t")
    assert result.exit_code == 1
    assert "ROLE_TOO_LOW: Stats is for operators" in result.stderr
    assert "--role operator" in result.stderr
