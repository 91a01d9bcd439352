"""When systemd's watchdog is pinged, and when it is not."""

from __future__ import annotations

import asyncio
import os
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from edge_clm.server.notify import Notifier
from edge_clm.server.watchdog import Watchdog
from tests.server.house import house


@pytest.fixture
def systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The other end of NOTIFY_SOCKET."""
    monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
    monkeypatch.delenv("WATCHDOG_PID", raising=False)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.settimeout(10)
        yield listening


def heard(systemd: socket.socket) -> list[bytes]:
    """Every datagram that has arrived."""
    arrived = []
    systemd.setblocking(False)
    try:
        while True:
            arrived.append(systemd.recv(200))
    except BlockingIOError:
        return arrived
    finally:
        systemd.settimeout(10)


def test_a_beat_asks_for_time_only_while_starting(systemd: socket.socket) -> None:
    """Until the daemon has started a ping asks systemd to wait one interval longer."""
    watchdog = Watchdog(Notifier.from_environment(), 60.0, lambda: 0.0)
    watchdog.beat()
    watchdog.started()
    watchdog.beat()
    assert heard(systemd) == [b"WATCHDOG=1\nEXTEND_TIMEOUT_USEC=60000000", b"WATCHDOG=1"]


@pytest.mark.parametrize(("silent_s", "pings"), [(0.0, 1), (60.0, 1), (60.1, 0)])
def test_a_silent_engine_is_not_spoken_for(
    systemd: socket.socket, silent_s: float, pings: int
) -> None:
    """An engine that has said nothing for longer than the interval leaves the restart to systemd."""
    watchdog = Watchdog(Notifier.from_environment(), 60.0, lambda: silent_s)
    watchdog.started()
    watchdog.beat()
    assert len(heard(systemd)) == pings


async def test_pings_come_from_the_loop(systemd: socket.socket) -> None:
    """They go on while the loop turns, and none is sent while something holds it up."""
    running = asyncio.create_task(Watchdog(Notifier.from_environment(), 0.02, lambda: 0.0).run())
    for _ in range(3):
        assert (await asyncio.to_thread(systemd.recv, 200)).startswith(b"WATCHDOG=1")
    heard(systemd)
    time.sleep(0.2)  # noqa: ASYNC251 - the loop is to stand still
    assert heard(systemd) == []
    running.cancel()


async def test_a_systemd_that_is_gone_ends_nothing(tmp_path: Path) -> None:
    """What cannot be told is logged, and the next ping is tried."""
    watchdog = Watchdog(Notifier(str(tmp_path / "gone")), 60.0, lambda: 0.0)
    watchdog.beat()
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as back:
        back.bind(str(tmp_path / "gone"))
        watchdog.beat()
        assert len(heard(back)) == 1


@pytest.mark.parametrize(
    ("micros", "pid", "pings"),
    [
        ("60000000", None, 1),
        ("60000000", "ours", 1),
        ("60000000", "1", 0),
        (None, None, 0),
        ("0", None, 0),
        ("soon", None, 0),
    ],
)
def test_only_the_asked_process_pings(
    systemd: socket.socket,
    monkeypatch: pytest.MonkeyPatch,
    micros: str | None,
    pid: str | None,
    pings: int,
) -> None:
    """Without a watchdog in the unit, or for another process, nothing is sent."""
    monkeypatch.delenv("WATCHDOG_USEC", raising=False)
    if micros is not None:
        monkeypatch.setenv("WATCHDOG_USEC", micros)
    if pid is not None:
        monkeypatch.setenv("WATCHDOG_PID", str(os.getpid()) if pid == "ours" else pid)
    Watchdog.from_environment(Notifier.from_environment(), lambda: 0.0).beat()
    assert len(heard(systemd)) == pings


async def test_the_daemon_pings_while_it_loads_and_while_it_serves(
    tmp_path: Path, systemd: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It asks for time until READY, pings without asking after it, and hushes with its engine."""
    monkeypatch.setenv("WATCHDOG_USEC", "1000000")
    async with house(tmp_path, ready=False) as at:
        early = await asyncio.to_thread(until, systemd, b"EXTEND_TIMEOUT_USEC=1000000")
        assert b"READY=1\nSTATUS=serving" not in early
        await at.parts.engine.set(True)
        await at.serving()
        await asyncio.to_thread(until, systemd, b"READY=1")
        assert (await asyncio.to_thread(systemd.recv, 200)) == b"WATCHDOG=1"
        at.parts.engine.silent_s = 1.1
        heard(systemd)
        await asyncio.sleep(1.2)
        assert heard(systemd) == []
        at.parts.engine.silent_s = 0.0
        assert (await asyncio.to_thread(systemd.recv, 200)) == b"WATCHDOG=1"


def until(systemd: socket.socket, part: bytes) -> list[bytes]:
    """Everything up to the datagram that holds `part`."""
    arrived = [systemd.recv(200)]
    while part not in arrived[-1]:
        arrived.append(systemd.recv(200))
    return arrived
