"""A home of its own for every test, and ways to run the command line in it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from edge_clm.cli import edge_clm
from tests.cli.desk import Desk, serving

Run = Callable[..., Result]
Start = Callable[..., subprocess.Popen[bytes]]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home directory; nothing of the user's own configuration is seen."""
    for name in [name for name in os.environ if name.startswith("EDGE_CLM_")]:
        monkeypatch.delenv(name)
    for name in ("STATE_DIRECTORY", "RUNTIME_DIRECTORY", "XDG_RUNTIME_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    for kind in ("STATE", "DATA", "CACHE", "CONFIG"):
        monkeypatch.setenv(f"XDG_{kind}_HOME", str(tmp_path / kind.lower()))
    return tmp_path


@pytest.fixture
def run() -> Run:
    """Runs a command in this process."""

    def call(*words: object, **options: object) -> Result:
        return CliRunner().invoke(edge_clm, [str(word) for word in words], **options)  # type: ignore[arg-type]

    return call


@pytest.fixture
def start() -> Iterator[Start]:
    """Starts a command as a process of its own, with pipes to it."""
    started: list[subprocess.Popen[bytes]] = []

    def begin(*words: object, stdout: Any = subprocess.PIPE) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "edge_clm", *(str(word) for word in words)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stdout=stdout, stderr=pipe)
        started.append(process)
        return process

    yield begin
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A gRPC server at the default socket that answers as the test tells it to."""
    with serving(tmp_path / "state" / "edge-clm" / "run" / "edge-clm.sock") as made:
        yield made


@pytest.fixture
def photo(tmp_path: Path) -> Path:
    """A file to ask about; nobody decodes it here."""
    path = tmp_path / "photo.jpg"
    path.write_bytes(b"\xff\xd8 a photo")
    return path
