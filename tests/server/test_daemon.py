"""The daemon's life: becoming ready, losing its engine, draining, and the codes it ends with."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc

from edge_clm import errors
from edge_clm.inquiry import Inquiry
from edge_clm.server import daemon
from edge_clm.types import Answer
from edge_clm.v1 import edge_clm_pb2 as pb
from edge_clm.v1 import edge_clm_pb2_grpc
from tests.server.house import an_answer, asking, configured, house, refused, streaming


@pytest.fixture
def kept_logging() -> Iterator[None]:
    """Puts logging back as it was: `serve` takes it over for the whole process."""
    root, ours = logging.getLogger(), logging.getLogger("edge_clm")
    handlers, levels = list(root.handlers), (root.level, ours.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    ours.setLevel(levels[1])
    logging.captureWarnings(False)
    structlog.reset_defaults()


async def test_health_waits_for_the_engine(tmp_path: Path) -> None:
    """Until a warm-up has answered, health says NOT_SERVING and calls are told to come back."""
    async with house(tmp_path, ready=False) as at:
        assert await at.health() == "NOT_SERVING"
        assert await at.health("edge_clm.v1.EdgeClmService") == "NOT_SERVING"
        early = await refused(at.stub().Ask(asking()))
        assert (early.code, early.reason) == ("UNAVAILABLE", "NOT_READY")
        assert early.retry_after_s
        assert not at.bound.done()
        await at.parts.engine.set(True)
        await at.serving()
        assert await at.health() == "SERVING"
        await at.stub().Ask(asking())


async def test_health_follows_the_engine(tmp_path: Path) -> None:
    """A watcher sees SERVING, NOT_SERVING while the engine is lost, and SERVING when it is back."""
    async with house(tmp_path) as at:
        watch = health_pb2_grpc.HealthStub(at.channel()).Watch(health_pb2.HealthCheckRequest())
        seen = [(await watch.read()).status]
        await at.parts.engine.set(False)
        seen.append((await watch.read()).status)
        await at.parts.engine.set(True)
        seen.append((await watch.read()).status)
        watch.cancel()
    serving = health_pb2.HealthCheckResponse.SERVING
    assert seen == [serving, health_pb2.HealthCheckResponse.NOT_SERVING, serving]


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.EngineLost("given up"), 69),
        (errors.DeviceFault("given up"), 70),
        (errors.EngineHung("given up"), 71),
        (errors.MemoryExhausted("no room"), 75),
        (errors.ModelMissing("no nano"), 78),
        (errors.InternalFault("odd"), 1),
        (RuntimeError("odd"), 1),
    ],
)
async def test_an_engine_that_is_given_up_ends_the_daemon(
    tmp_path: Path, error: Exception, code: int
) -> None:
    """systemd restarts after a fault, and not after what whoever runs the daemon must put right."""
    async with house(tmp_path, ready=False) as at:
        await at.parts.engine.set(False, error)
        assert await asyncio.wait_for(asyncio.shield(at.task), 10) == code


@pytest.mark.parametrize(
    ("word", "reason", "code"), [("hang", "ENGINE_HUNG", 71), ("lose", "DEVICE_FAULT", 70)]
)
async def test_a_process_ends_with_what_its_engine_came_to_twice(
    tmp_path: Path, word: str, reason: str, code: int
) -> None:
    """The caller learns the reason; the first remedy is another engine, the second time systemd's."""
    command = [sys.executable, "-m", "tests.server.failing_daemon", str(tmp_path)]
    process = await asyncio.create_subprocess_exec(*command, stderr=asyncio.subprocess.DEVNULL)
    try:
        async with grpc.aio.insecure_channel(f"unix:{tmp_path / 'd.sock'}") as channel:
            stub = edge_clm_pb2_grpc.EdgeClmServiceStub(channel)
            for _ in range(2):
                watch = await served(health_pb2_grpc.HealthStub(channel))
                told = await refused(stub.Ask(asking(page=pb.Page(image=word.encode()))))
                assert (told.code, told.reason) == ("UNAVAILABLE", reason)
                assert (await watch.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
                watch.cancel()
        assert await asyncio.wait_for(process.wait(), 30) == code
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def served(health: health_pb2_grpc.HealthStub) -> Any:
    """Waits until the daemon is there and says that it serves; returns the watch that goes on."""
    async with asyncio.timeout(60):
        watch = health.Watch(health_pb2.HealthCheckRequest(), wait_for_ready=True)
        while (await watch.read()).status != health_pb2.HealthCheckResponse.SERVING:
            pass
        return watch


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_drains(tmp_path: Path, number: signal.Signals) -> None:
    """What runs ends whole, health says so first, newcomers are turned away, and the exit is clean."""
    going = asyncio.Event()

    async def slow(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        yield "first "
        await going.wait()
        yield "last"
        yield an_answer("first last")

    async with house(tmp_path, slow, server={"grace_s": 30}) as at:
        stub = at.stub()
        watch = health_pb2_grpc.HealthStub(at.channel()).Watch(health_pb2.HealthCheckRequest())
        await watch.read()
        stream = stub.AskStream(streaming())
        assert (await stream.read()).delta == "first "
        signal.raise_signal(number)
        assert (await watch.read()).status == health_pb2.HealthCheckResponse.NOT_SERVING
        late = await refused(stub.Ask(asking()))
        assert (late.code, late.reason) == ("UNAVAILABLE", "DRAINING")
        assert await at.health() == "NOT_SERVING"
        assert not at.task.done()
        going.set()
        assert (await stream.read()).delta == "last"
        assert (await stream.read()).answer.text == "first last"
        assert await asyncio.wait_for(asyncio.shield(at.task), 10) == 0
        with pytest.raises(FileNotFoundError):
            os.lstat(at.config.server.socket)


async def test_grace_has_an_end(tmp_path: Path) -> None:
    """A call that does not end in time is broken off, and its work is stopped."""
    async with house(tmp_path, hang, server={"grace_s": 0.1}) as at:
        call = at.stub().Ask(asking())
        await at.parts.answerer.has_open(1)
        signal.raise_signal(signal.SIGTERM)
        assert await asyncio.wait_for(asyncio.shield(at.task), 10) == 0
        assert (await refused(call)).code in ("UNAVAILABLE", "CANCELLED")
        await at.parts.answerer.has_open(0)


async def test_a_second_signal_ends_at_once(tmp_path: Path) -> None:
    """Whoever asks twice does not wait for the grace."""
    async with house(tmp_path, hang, server={"grace_s": 600}) as at:
        call = at.stub().Ask(asking())
        await at.parts.answerer.has_open(1)
        signal.raise_signal(signal.SIGTERM)
        assert (await refused(at.stub().Ask(asking()))).reason == "DRAINING"
        signal.raise_signal(signal.SIGTERM)
        assert await asyncio.wait_for(asyncio.shield(at.task), 10) == 0
        await refused(call)


async def test_a_second_daemon_leaves_the_first_alone(
    tmp_path: Path, kept_logging: None, capfd: pytest.CaptureFixture[str]
) -> None:
    """It is refused with the temporary code, and the first goes on answering at its own socket."""
    async with house(tmp_path) as at:
        before = os.lstat(at.config.server.socket).st_ino
        assert await daemon.serve(at.config) == 75
        assert "ADDRESS_TAKEN" in capfd.readouterr().err
        assert os.lstat(at.config.server.socket).st_ino == before
        await at.stub().Ask(asking())


async def test_a_taken_port_is_refused(tmp_path: Path) -> None:
    """A port that somebody else has is temporary trouble, and the socket is not left behind."""
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = f"127.0.0.1:{other.getsockname()[1]}"
        with pytest.raises(errors.AddressTaken):
            async with house(tmp_path, server={"tcp": address}) as at:
                await at.task


@pytest.mark.parametrize(
    ("server", "reason"),
    [
        ({"tcp": "0.0.0.0:50551"}, "ADDRESS_UNSAFE"),
        ({"metrics": "192.168.0.1:9"}, "ADDRESS_UNSAFE"),
        ({"tokens": "/nonexistent/tokens"}, "CONFIG_INVALID"),
        ({"socket": "", "tcp": ""}, "CONFIG_INVALID"),
        ({"tls_key": "/nonexistent/key"}, "CONFIG_INVALID"),
        ({"tls_key": "/nonexistent/k", "tls_certificate": "/no/c"}, "CERTIFICATE_UNUSABLE"),
    ],
)
async def test_a_daemon_that_cannot_be_right_does_not_start(
    tmp_path: Path,
    kept_logging: None,
    capfd: pytest.CaptureFixture[str],
    server: dict[str, str],
    reason: str,
) -> None:
    """A configuration that opens the daemon or means nothing ends it before anything is loaded."""
    assert await daemon.serve(configured(tmp_path, server=server)) == 78
    assert reason in capfd.readouterr().err
    assert not (tmp_path / "memory").exists()


async def test_a_socket_that_cannot_be_made_is_a_configuration_error(
    tmp_path: Path, kept_logging: None, capfd: pytest.CaptureFixture[str]
) -> None:
    """Where the socket's directory cannot be had no restart helps: 78, with the path and the reason."""
    (tmp_path / "file").touch()
    server = {"socket": str(tmp_path / "file" / "d.sock")}
    assert await daemon.serve(configured(tmp_path, server=server)) == 78
    shown = capfd.readouterr().err
    assert "CONFIG_INVALID" in shown and str(tmp_path / "file") in shown


async def test_systemd_hears_of_each_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """READY comes after the warm-up and STOPPING when draining begins."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        async with house(tmp_path, ready=False) as at:
            assert systemd.recv(100) == b"STATUS=loading models"
            await at.parts.engine.set(True)
            await at.serving()
            assert systemd.recv(100) == b"READY=1\nSTATUS=serving"
        assert systemd.recv(100) == b"STOPPING=1\nSTATUS=draining"


async def test_a_stalled_upload_does_not_hold_up_the_end(tmp_path: Path) -> None:
    """A request that is still coming in is broken off with a reason; sending it again loses nothing."""
    async with house(tmp_path, server={"grace_s": 600}, limits={"calls": 1}) as at:
        upload = at.stub().PutCapture()
        await upload.write(pb.PutCaptureRequest(chunk=b"the first half"))
        with pytest.raises(grpc.aio.AioRpcError):
            while True:  # until the upload takes up the only place
                await at.stub().GetInfo(pb.GetInfoRequest(), timeout=20)
        signal.raise_signal(signal.SIGTERM)
        assert (await refused(upload)).reason == "DRAINING"
        assert await asyncio.wait_for(asyncio.shield(at.task), 20) == 0


async def test_an_engine_that_comes_back_does_not_undo_a_drain(tmp_path: Path) -> None:
    """Once draining, newcomers are turned away even when the engine has just become ready."""
    async with house(tmp_path, hang, server={"grace_s": 600}) as at:
        running = at.stub().Ask(asking())
        await at.parts.answerer.has_open(1)
        watch = health_pb2_grpc.HealthStub(at.channel()).Watch(health_pb2.HealthCheckRequest())
        await watch.read()
        await at.parts.engine.set(False)
        await watch.read()
        signal.raise_signal(signal.SIGTERM)
        assert (await refused(at.stub().Ask(asking()))).reason == "DRAINING"
        await at.parts.engine.set(True)
        for _ in range(3):
            late = await refused(at.stub().Ask(asking(), timeout=5))
            assert late.reason == "DRAINING"
        running.cancel()


async def test_systemd_hears_nothing_after_stopping(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An engine that becomes ready while the daemon stops is not announced any more."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.settimeout(10)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        async with house(tmp_path, ready=False) as at:
            # A watcher keeps the server from stopping at once.
            watch = health_pb2_grpc.HealthStub(at.channel()).Watch(health_pb2.HealthCheckRequest())
            await watch.read()
            assert systemd.recv(100) == b"STATUS=loading models"
            signal.raise_signal(signal.SIGTERM)
            assert await asyncio.to_thread(systemd.recv, 100) == b"STOPPING=1\nSTATUS=draining"
            assert not at.task.done()
            await at.parts.engine.set(True)
            assert await asyncio.wait_for(asyncio.shield(at.task), 10) == 0
            assert not at.bound.done()
        systemd.setblocking(False)
        with pytest.raises(BlockingIOError):
            systemd.recv(100)


@pytest.mark.parametrize("name", ["admission", "decoding"])
async def test_a_queue_is_dismissed_when_draining(tmp_path: Path, name: str) -> None:
    """Those who wait for the engine are told to come back instead of using up the grace."""

    async with house(tmp_path, ready=True) as at:
        queue = getattr(at.parts, name)

        async def queued(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
            async with queue.slot(inquiry.tenant, inquiry.deadline):
                await going.wait()
                yield an_answer("4")

        going = asyncio.Event()
        at.parts.answerer.script = queued
        first, second = at.stub().Ask(asking()), at.stub().Ask(asking())
        await at.parts.answerer.has_open(2)
        signal.raise_signal(signal.SIGTERM)
        outcomes = {await _first_refusal(first, second)}
        going.set()
        assert await asyncio.wait_for(asyncio.shield(at.task), 10) == 0
    assert outcomes == {"DRAINING"}


def test_the_daemon_loads_no_model_library() -> None:
    """What touches weights runs in the engine's process; importing the daemon must not load it."""
    heavy = ["torch", "transformers", "cv2", "onnxruntime", "paddleocr", "PIL"]
    code = (
        "import sys, edge_clm.server.daemon, edge_clm.client;"
        f"print(*[name for name in {heavy!r} if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert shown.stdout.split() == []


async def hang(inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
    await asyncio.Event().wait()
    yield ""


async def _first_refusal(*calls: object) -> str:
    tasks = [asyncio.ensure_future(refused(call)) for call in calls]
    done, pending = await asyncio.wait(tasks, timeout=10, return_when=asyncio.FIRST_COMPLETED)
    for task in pending:
        task.cancel()
    return next(iter(done)).result().reason
