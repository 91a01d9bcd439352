"""What systemd is told."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from edge_clm.server.notify import Notifier


@pytest.mark.parametrize("abstract", [False, True])
def test_state_arrives_at_the_named_socket(tmp_path: Path, abstract: bool) -> None:
    """Assignments arrive as one datagram, at a path as well as at an abstract name."""
    name = f"edge-clm-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind("\0" + name if abstract else name)
        Notifier("@" + name if abstract else name).tell(READY="1", STATUS="serving")
        assert systemd.recv(100) == b"READY=1\nSTATUS=serving"


def test_nobody_is_told_where_nobody_listens() -> None:
    """Outside systemd telling does nothing."""
    Notifier(None).tell(READY="1")
