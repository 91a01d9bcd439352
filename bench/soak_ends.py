"""How a daemon ends and comes back: SIGTERM in a stream, kill -9, restarts."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import psutil

from bench.arms import mode
from bench.daemon import Daemon
from bench.failure import BenchError
from bench.progress import say
from bench.report import Figure, count
from bench.soak_pages import Sheet
from bench.watch import until
from bench.wording import LONG, NEW
from edge_clm.client import Client, ClientError
from edge_clm.v1 import edge_clm_pb2 as pb

_GONE_S = 15.0
_DRAIN_S = 60.0
_REFUSALS = frozenset({"DRAINING", "UNREACHABLE"})


def ends(daemon: Daemon, sheets: Sequence[Sheet]) -> dict[str, Figure]:
    """Puts a running daemon through its ends and leaves it running; figures of unit `holds`."""
    with daemon.client() as client:
        known = _stored(client, sheets)
    say("SIGTERM during a stream")
    figures = _drain(daemon, sheets[0])
    daemon.start()
    figures["soak.restart.replayed"] = _replayed(daemon, *known)
    say("kill -9 during a stream")
    with daemon.client() as client:
        late = _stored(client, list(reversed(sheets)))
        figures |= _kill(daemon, client, sheets[0])
    daemon.start()
    figures["soak.kill.replayed"] = _replayed(daemon, *known)
    figures["soak.kill.late_replayed"] = _replayed(daemon, *late)
    return figures


def _stored(client: Client, sheets: Sequence[Sheet]) -> tuple[str, Sheet]:
    """A question whose answer is kept; asked again where feedback has barred the answer."""
    for sheet in sheets:
        for question in NEW:
            first = client.ask(question, handle=sheet.handle)
            if (
                first.provenance.stored
                and mode(client.ask(question, handle=sheet.handle)) == "replay"
            ):
                return question, sheet
    raise BenchError("no answer about any document was kept, so none can survive")


def _replayed(daemon: Daemon, question: str, sheet: Sheet) -> Figure:
    with daemon.client() as client:
        answers = [
            client.ask(question, handle=sheet.handle),
            client.ask(question, image=sheet.data),
        ]
    right = all(mode(answer) == "replay" for answer in answers)
    return _holds(right, note="by handle and by bytes")


def _drain(daemon: Daemon, sheet: Sheet) -> dict[str, Figure]:
    with daemon.client() as client, daemon.client() as late:
        events = _long_stream(client, sheet)
        pieces = [next(events)]
        started = time.monotonic()
        daemon.terminate()
        refused = _refused(late, sheet)
        pieces += events
        code = daemon.wait(_DRAIN_S)
        spent = time.monotonic() - started
    *deltas, last = pieces
    whole = isinstance(last, pb.Answer) and last.text == "".join(map(str, deltas))
    return {
        "soak.drain.stream_whole": _holds(whole, note=f"{len(deltas)} pieces"),
        "soak.drain.new_refused": _holds(refused in _REFUSALS, note=refused),
        "soak.drain.exit_0": _holds(code == 0, note=f"exit status {code}"),
        "soak.drain.seconds": count(spent, 1, "s"),
    }


def _refused(client: Client, sheet: Sheet) -> str:
    """Why a call that comes after SIGTERM is turned away.

    The daemon needs a moment to be told, so a call that still got in is made again.
    """
    give_up = time.monotonic() + 2
    while time.monotonic() < give_up:
        try:
            client.ask(NEW[0], handle=sheet.handle, timeout_s=0.5)
        except ClientError as error:
            if error.reason in _REFUSALS:
                return error.reason
    return "not refused"


def _kill(daemon: Daemon, client: Client, sheet: Sheet) -> dict[str, Figure]:
    events = _long_stream(client, sheet)
    next(events)
    left = daemon.kill()
    gone = until(lambda: not any(_alive(process) for process in left), _GONE_S)
    for process in left:
        if _alive(process):
            process.kill()
    try:
        list(events)
        told = "the stream ended as if whole"
    except ClientError as error:
        told = error.reason
    return {
        "soak.kill.stream_failed": _holds(told == "UNREACHABLE", note=told),
        "soak.kill.no_orphan": _holds(gone, note=f"{len(left)} children"),
    }


def _long_stream(client: Client, sheet: Sheet) -> Any:
    return client.ask_stream(
        LONG, handle=sheet.handle, no_store=True, temperature=1.0, seed=7, max_tokens=100
    )


def _alive(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def _holds(found: bool, note: str = "") -> Figure:
    return count(float(found), 1, "holds", note)
