"""Accounts of answers: over a real daemon, and how many are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_clm.errors import AccountUnknown
from edge_clm.server import accounts
from edge_clm.server.accounts import Accounts
from edge_clm.server.call import Call
from edge_clm.types import Reason, ServeMode
from edge_clm.v1.admin_pb2 import ExplainRequest
from tests.server.house import an_answer, asking, house, refused

REASON = Reason("lookup", "too_old", "3 s")


async def test_the_last_answer_is_accounted_for(tmp_path: Path) -> None:
    """By the id of its request and by its own: mode, reasons and times, as they were given."""
    async with house(tmp_path) as at:
        await at.stub().Ask(asking(), metadata=(("x-request-id", "r-1"),))
        by_request = await at.admin().Explain(ExplainRequest(id="r-1"))
        assert by_request == await at.admin().Explain(ExplainRequest(id="a_1"))
        told = await refused(at.admin().Explain(ExplainRequest(id="a_2")))
    assert (told.code, told.reason) == ("NOT_FOUND", "ACCOUNT_UNKNOWN")
    assert (by_request.request_id, by_request.answer_id) == ("r-1", "a_1")
    assert (by_request.tenant, by_request.method, by_request.serve_mode) == ("local", "Ask", "warm")
    assert [(one.step, one.outcome, one.detail) for one in by_request.reasons] == [
        ("lookup", "too_old", "3 s")
    ]
    assert [one.name for one in by_request.stages] == ["receive", "generate"]
    assert by_request.given.seconds > 1_750_000_000


def add(kept: Accounts, request: str, answer: str) -> None:
    kept.add(Call("/a.B/Ask", request, 0.0, tenant="clinic"), an_answer("4.20", id=answer))


def test_an_answer_given_twice_is_accounted_for_as_it_was_given_last() -> None:
    """Each request keeps its own account."""
    kept = Accounts()
    kept.add(Call("/a.B/Ask", "r1", 0.0), an_answer("4.20", mode=ServeMode.COLD))
    kept.add(Call("/a.B/Ask", "r2", 0.0), an_answer("4.20", mode=ServeMode.REPLAY))
    assert kept.of("a_1").mode is ServeMode.REPLAY
    assert kept.of("r1").mode is ServeMode.COLD


def test_a_request_id_that_is_chosen_twice_hides_no_answer() -> None:
    """Callers choose it; each answer's account is its own, and none outlives its place."""
    kept = Accounts()
    for answer in ("x", "y"):
        kept.add(Call("/a.B/Ask", "mine", 0.0, tenant=f"of {answer}"), an_answer("4", id=answer))
    assert (kept.of("x").tenant, kept.of("mine").tenant) == ("of x", "of y")


def test_only_the_last_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest goes, with its answer's name unless a later request was given that answer."""
    monkeypatch.setattr(accounts, "_MOST", 2)
    kept = Accounts()
    for request, answer in (("r1", "x"), ("r2", "y"), ("r3", "x"), ("r4", "")):
        add(kept, request, answer)
    assert kept.of("x").request_id == "r3"
    assert len(kept._latest) == 3
    for gone in ("r1", "r2", "y", ""):
        with pytest.raises(AccountUnknown):
            kept.of(gone)
