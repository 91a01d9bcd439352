"""A worker process: calls, streams, cancels, errors, and the end of either side."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest

from edge_clm import worker
from edge_clm.errors import DeviceFault, ImageTruncated, InternalFault


class Child:
    """A worker and our end of its socket."""

    def __init__(self) -> None:
        self.sock, theirs = socket.socketpair()
        with theirs:
            command = worker.child_command("tests.worker_child", theirs.fileno())
            self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        assert self.receive() == (worker.READY, 0, "ready")

    def receive(self) -> tuple[Any, ...]:
        message = worker.receive(self.sock)
        assert message is not None
        return message

    def call(self, number: int, method: str, *arguments: object) -> None:
        self.sock.sendall(worker.pack((worker.CALL, number, method, arguments)))


@pytest.fixture
def child() -> Iterator[Child]:
    started = Child()
    yield started
    started.sock.close()
    assert started.process.wait(20) == 0


def test_result(child: Child) -> None:
    """What a method returns comes back under the number of its call, with the time it took."""
    child.call(7, "double", 21)
    kind, number, (result, ms) = child.receive()
    assert (kind, number, result) == (worker.DONE, 7, 42)
    assert ms >= 0


def test_stream_until_cancelled(child: Child) -> None:
    """Items come one by one; a cancel ends the stream, and another lane goes on meanwhile."""
    child.call(1, "count")
    assert [child.receive() for _ in range(3)] == [(worker.ITEM, 1, n) for n in range(3)]
    child.call(2, "double", 1)
    while (message := child.receive())[1] == 1:
        assert message[0] == worker.ITEM
    assert (message[:2], message[2][0]) == ((worker.DONE, 2), 2)
    child.sock.sendall(worker.pack((worker.CANCEL, 1)))
    while (message := child.receive())[0] == worker.ITEM:
        pass
    assert (message[:2], message[2][0]) == ((worker.DONE, 1), None)


def pulses(child: Child) -> dict[str, int | None]:
    """What the next pong says of each lane."""
    child.sock.sendall(worker.pack((worker.PING, 5)))
    while (message := child.receive())[0] == worker.ITEM:
        pass
    assert message[:2] == (worker.PONG, 5)
    told: dict[str, int | None] = message[2]
    return told


def test_a_lane_at_work_has_a_pulse(child: Child) -> None:
    """A child at work answers that it is there, and how its call gets on; an idle lane has no pulse."""
    assert pulses(child) == {"quick": None, "slow": None}
    child.call(1, "count")
    child.receive()
    first = pulses(child)["slow"]
    child.receive()
    assert first is not None
    second = pulses(child)
    assert second["quick"] is None and (second["slow"] or 0) > first


def test_a_lane_that_hangs_has_one_that_stands_still(child: Child) -> None:
    """The pings are answered, and tell what the caller cannot see; another lane works on meanwhile."""
    child.call(1, "hang")
    child.call(2, "double", 3)
    assert child.receive()[2][0] == 6
    # The lane sends its result a moment before it says that it is idle.
    first = next(pulse for pulse in (pulses(child) for _ in range(10_000)) if not pulse["quick"])
    assert first == pulses(child) == {"quick": None, "slow": first["slow"]}
    assert first["slow"] is not None


def test_a_child_that_loses_its_device_says_so_and_ends() -> None:
    """The call fails with the reason, and the process with the code that stands for it."""
    child = Child()
    child.call(1, "lose")
    kind, _, error = child.receive()
    assert (kind, type(error)) == (worker.FAIL, DeviceFault)
    assert child.process.wait(20) == DeviceFault.exit_code
    child.sock.close()


def test_error_with_a_reason(child: Child) -> None:
    """An error of ours crosses whole."""
    child.call(1, "refuse")
    kind, _, error = child.receive()
    assert kind == worker.FAIL
    assert isinstance(error, ImageTruncated)
    assert (error.message, error.field) == ("it ends early", "page.image")


def test_error_without_a_reason_keeps_its_text(child: Child) -> None:
    """Any other error crosses as an opaque id: its text may be somebody's name."""
    child.call(1, "leak")
    kind, _, error = child.receive()
    assert kind == worker.FAIL
    assert isinstance(error, InternalFault)
    assert "secret" not in str(error)


def test_parent_that_goes_away(child: Child) -> None:
    """A child whose parent is gone ends, even while it works."""
    child.call(1, "count")
    child.receive()
    child.sock.close()
    assert child.process.wait(20) == 0
