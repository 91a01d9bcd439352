"""`edge-clm why` over a real socket."""

from __future__ import annotations

import json

from edge_clm.errors import AccountUnknown
from tests.cli.conftest import Run
from tests.cli.desk import Desk


def test_an_answer_is_accounted_for_a_decision_a_line(run: Run, desk: Desk) -> None:
    """How it came about first, then what was decided by what, then the times."""
    assert run("why", "a1").output.splitlines() == [
        "warm     Ask, till-1, 2026-11-12T10:03:00Z, r1, a1",
        "lookup   nothing kept",
        "compare  unsure: evidence: unread, ratio 1.2",
        "stages   ocr 12.2 ms",
    ]


def test_a_program_reads_the_same(run: Run, desk: Desk) -> None:
    """Outcomes as the contract's stable words."""
    fields = json.loads(run("why", "a1", "--json").output)
    assert fields["reasons"][0] == {"step": "lookup", "outcome": "nothing_kept", "detail": ""}
    assert (fields["answer_id"], fields["stages"]) == ("a1", {"ocr": 12.25})


def test_an_unknown_answer_is_said_to_be_one(run: Run, desk: Desk) -> None:
    """With what may be named instead."""
    desk.error = AccountUnknown("no account of that answer is kept")
    result = run("why", "a9")
    assert result.exit_code == 1
    assert "ACCOUNT_UNKNOWN" in result.stderr
    assert "x-request-id" in result.stderr
