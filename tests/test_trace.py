"""The stages of a request."""

from __future__ import annotations

import pytest

from edge_clm.trace import Trace
from edge_clm.types import Stage


def test_stages_keep_their_order_and_add_up() -> None:
    """Each name is there once, in the order of its first end, with the sum of its times."""
    trace = Trace()
    trace.add([Stage("ocr", 2.0), Stage("queue", 1.0), Stage("ocr", 3.0)])
    assert trace.stages == (Stage("ocr", 5.0), Stage("queue", 1.0))


def test_waiting_is_what_was_not_work() -> None:
    """Work that is timed inside a wait is not counted as waiting, nor does it make it negative."""
    trace = Trace()
    with trace.waiting():
        trace.add([Stage("ocr", 10_000.0)])
    assert trace.stages == (Stage("ocr", 10_000.0), Stage("queue", 0.0))


def test_a_stage_that_fails_is_not_counted() -> None:
    """Only stages that came to their end have a time."""
    trace = Trace()
    with pytest.raises(ValueError, match="failed"), trace.stage("ocr"):
        raise ValueError("failed")
    assert trace.stages == ()
