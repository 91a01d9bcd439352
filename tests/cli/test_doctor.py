"""`edge-clm doctor`: what it finds, and that one trouble does not hide another."""

from __future__ import annotations

import io
import json
import socket
import sqlite3
import time
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest
from PIL import Image

from edge_clm.cli import machine, probe
from edge_clm.cli.catalogue import needed
from edge_clm.cli.finding import Finding, found
from edge_clm.config import Config, load, models_home
from edge_clm.errors import ImageTruncated
from edge_clm.memory.store import Store
from edge_clm.weights import write_manifest
from tests.certificates import made
from tests.cli.conftest import Run
from tests.cli.desk import Desk, answer_of

MODELS = models_home()
"""Where this machine's models are, before a test's own home takes its place."""


@pytest.fixture
def real_models() -> Path:
    if not all((MODELS / name).is_dir() for name in needed(Config())):
        pytest.skip("the models are not here; 'edge-clm models pull' makes them")
    return MODELS


def served_with(directory: Path, days: float) -> Config:
    """A configuration whose certificate ends in so many days."""
    mine = made(directory, "daemon", days=(-2, days))
    server = {"tls_certificate": str(mine.certificate), "tls_key": str(mine.key)}
    return load(None, {"server": server})


def findings(run: Run, *words: object) -> dict[str, dict[str, Any]]:
    lines = run("doctor", "--json", *words).stdout.splitlines()
    return {entry["check"]: entry for entry in map(json.loads, lines)}


def test_an_empty_machine_fails_for_its_models_alone(run: Run) -> None:
    """Every check reports, each with a status and a fact; what is missing fails, with a remedy."""
    seen = findings(run)
    assert {name for name, entry in seen.items() if entry["status"] == "fail"} == {
        "model nano",
        "model PP-OCRv6_small_det",
        "model PP-OCRv6_small_rec",
        "model PP-LCNet_x1_0_doc_ori",
    }
    assert set(seen) >= {"packages", "clock", "configuration", "device", "memory", "database"}
    assert set(seen) >= {"tokens", "socket", "port", "question"}
    assert all(entry["fact"] for entry in seen.values())
    assert all(entry["remedy"] for entry in seen.values() if entry["status"] != "ok")
    assert run("doctor").exit_code == 1


def test_a_machine_without_a_daemon_loads_its_models_and_asks_them(
    run: Run, monkeypatch: pytest.MonkeyPatch, real_models: Path
) -> None:
    """Where no daemon runs the question goes to the models themselves, and nothing is left of them."""
    monkeypatch.setenv("EDGE_CLM_MODEL__MODELS", str(real_models))
    monkeypatch.setenv("EDGE_CLM_SERVER__TCP", "")
    seen = findings(run)
    assert {name for name, entry in seen.items() if entry["status"] == "fail"} == set()
    assert seen["question"]["status"] == "ok", seen["question"]
    assert "were loaded in" in seen["question"]["fact"]
    assert [child for child in psutil.Process().children() if "workshop" in str(child)] == []


def test_a_damaged_model_is_not_loaded_for_a_question(run: Run) -> None:
    """What has failed already is not tried again under another name."""
    seen = findings(run)["question"]
    assert seen["status"] == "warn" and "none was asked" in seen["fact"]


def test_before_the_start_all_is_well(
    run: Run, monkeypatch: pytest.MonkeyPatch, real_models: Path
) -> None:
    """A machine that is ready passes, without a question and without a package being looked at."""
    monkeypatch.setenv("EDGE_CLM_MODEL__MODELS", str(real_models))
    result = run("doctor", "--before-start", "--json")
    seen = {
        entry["check"]: entry["status"] for entry in map(json.loads, result.stdout.splitlines())
    }
    assert result.exit_code == 0
    assert seen == {
        "configuration": "ok",
        **{name: "ok" for name in seen if name.startswith("model ")},
        **{"memory": "ok", "tokens": "warn", "certificate": "ok", "socket": "ok", "port": "ok"},
    }
    assert len(seen) == 10


def test_before_the_start_what_must_be_put_right_ends_with_78(run: Run, tmp_path: Path) -> None:
    """A wrong key and models that are missing are told as the daemon would, and as lasting."""
    assert run("doctor", "--before-start").exit_code == 78
    path = tmp_path / "edge.toml"
    path.write_text("[sever]\n")
    assert run("doctor", "--before-start", "--config", path).exit_code == 78


def test_before_the_start_another_daemon_may_yet_go(
    run: Run, desk: Desk, monkeypatch: pytest.MonkeyPatch, real_models: Path
) -> None:
    """A daemon that serves is what a doctor wants and a start does not: 75, for it may end."""
    monkeypatch.setenv("EDGE_CLM_MODEL__MODELS", str(real_models))
    result = run("doctor", "--before-start")
    assert result.exit_code == 75
    assert "Stop that daemon" in result.stdout
    assert desk.asked == []


def test_before_the_start_a_model_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    """Files of the wrong size are told without one being hashed; files of another user likewise."""
    config = load(None, {"model": {"models": str(tmp_path), "name": "a"}})
    model = tmp_path / "a"
    model.mkdir()
    (model / "weights").write_bytes(b"1234")
    assert machine.model_present(config, "a").status == "ok"
    write_manifest(
        model, name="a", role="vision_language", source="here", revision="1", licence="MIT"
    )
    assert machine.model_present(config, "a").status == "ok"
    (model / "weights").write_bytes(b"12345")
    assert found("model a", machine.model_present, config, "a").status == "fail"


def test_a_file_that_only_others_may_read_is_a_finding() -> None:
    """A refusal of the system names the file, and is no fault of the doctor's."""

    def closed() -> Finding:
        raise PermissionError(13, "Permission denied", "/etc/edge-clm/tokens")

    finding = found("a", closed)
    assert finding.status == "fail"
    assert finding.fact == "/etc/edge-clm/tokens: Permission denied"


def test_a_certificate_is_told_with_its_days(tmp_path: Path) -> None:
    """One that ends soon is a warning, one that has ended a failure; without TLS none is needed."""
    assert machine.certificate(load()).status == "ok"
    for days, status in ((300, "ok"), (5, "warn"), (-1, "fail")):
        config = served_with(tmp_path, days)
        assert found("certificate", machine.certificate, config).status == status


def test_people_see_a_status_a_fact_and_a_remedy(run: Run) -> None:
    """Each line starts with its status; a remedy stands below what needs one."""
    lines = run("doctor").stdout.splitlines()
    assert all(line.startswith(("ok ", "warn", "fail", "      remedy: ")) for line in lines)
    failed = next(number for number, line in enumerate(lines) if line.startswith("fail"))
    assert "edge-clm models pull" in lines[failed + 1]


def test_a_wrong_configuration_does_not_stop_the_rest(run: Run, tmp_path: Path) -> None:
    """An unknown key fails as itself, and what needs no configuration is checked all the same."""
    path = tmp_path / "edge.toml"
    path.write_text("[sever]\n")
    seen = findings(run, "--config", path)
    assert seen["configuration"]["status"] == "fail"
    assert "closest known key is server" in seen["configuration"]["fact"]
    assert seen["packages"]["status"] == seen["clock"]["status"] == "ok"


def test_a_check_that_breaks_is_a_finding_of_its_own() -> None:
    """Whatever a check meets, it becomes a line and not the end of the doctor."""

    def broken() -> Finding:
        raise ZeroDivisionError("by zero")

    def refused() -> Finding:
        raise ImageTruncated("ends early")

    assert found("a", broken).status == found("b", refused).status == "fail"
    assert "ZeroDivisionError" in found("a", broken).fact
    assert found("b", refused) == Finding("fail", "b", "ends early", ImageTruncated.remedy)


def test_a_running_daemon_is_asked_a_real_question(run: Run, desk: Desk) -> None:
    """A small page goes to the daemon, to be worked out anew and not kept; milliseconds are shown."""
    seen = findings(run)
    assert seen["socket"]["serves_at"] == desk.address
    assert seen["question"]["status"] == "ok"
    assert "cold" in seen["question"]["fact"] and "ocr 1234" in seen["question"]["fact"]
    (request,) = desk.asked
    assert (request.reuse.fresh, request.reuse.no_store) == (True, True)
    with Image.open(io.BytesIO(request.page.image)) as page:
        assert page.format == "PNG" and len(set(page.convert("L").tobytes())) > 2


def test_a_wrong_answer_is_a_warning_and_a_refusal_a_failure(run: Run, desk: Desk) -> None:
    """What the daemon makes of the page is judged, without repeating what it said."""
    desk.answer = answer_of("1999")
    seen = findings(run)["question"]
    assert seen["status"] == "warn" and "1999" not in seen["fact"]
    desk.error = ImageTruncated("ends early")
    assert findings(run)["question"]["status"] == "fail"


def test_an_address_taken_by_another_program_fails(tmp_path: Path) -> None:
    """A listener that speaks no gRPC is told apart from a daemon, on the socket and on the port."""
    path = tmp_path / "s"
    with closing(socket.socket(socket.AF_UNIX)) as unix, closing(socket.socket()) as tcp:
        unix.bind(str(path))
        unix.listen()
        tcp.bind(("127.0.0.1", 0))
        tcp.listen()
        port = tcp.getsockname()[1]
        config = load(None, {"server": {"socket": str(path), "tcp": f"127.0.0.1:{port}"}})
        assert probe.unix_socket(config).status == "fail"
        assert probe.tcp_port(config).status == "fail"
    assert probe.unix_socket(config).status == "ok"
    assert probe.tcp_port(config).status == "ok"


@pytest.mark.parametrize("tcp", ["0.0.0.0:50551", "till.local:50551", "50551", "127.0.0.1:x"])
def test_an_address_that_the_daemon_would_refuse_fails(tcp: str) -> None:
    """An address beyond this machine, or none at all, fails here as it would at the start."""
    finding = found("port", probe.tcp_port, load(None, {"server": {"tcp": tcp}}))
    assert finding.status == "fail" and finding.remedy


def test_a_path_that_cannot_hold_a_socket_fails(tmp_path: Path) -> None:
    """A path too long for the kernel, or one with a file in it, fails."""
    config = load(None, {"server": {"socket": str(tmp_path / ("x" * 120))}})
    assert probe.unix_socket(config).status == "fail"
    (tmp_path / "file").touch()
    config = load(None, {"server": {"socket": str(tmp_path / "file")}})
    assert probe.unix_socket(config).status == "fail"


async def test_the_database_of_a_daemon_is_found_sound(tmp_path: Path) -> None:
    """A database as the daemon makes it is read while the daemon has it open, and only read."""
    config = load(None, {"memory": {"directory": str(tmp_path / "memory")}})
    assert machine.database(config).status == "ok"
    assert not (tmp_path / "memory").exists()
    async with await Store.open(config.memory) as store:
        await store.put_capture("local", b"data", "image/jpeg", 1)
        finding = machine.database(config)
    assert finding.status == "ok" and "1 captures" in finding.fact


async def test_a_relative_directory_is_the_daemons_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A database named relative to the working directory is found and read like any other."""
    monkeypatch.chdir(tmp_path)
    config = load(None, {"memory": {"directory": "memory"}})
    async with await Store.open(config.memory):
        pass
    finding = found("database", machine.database, config)
    assert finding.status == "ok" and "sound" in finding.fact


def test_a_damaged_database_fails(tmp_path: Path) -> None:
    """A file that is no database, or none of ours, fails."""
    config = load(None, {"memory": {"directory": str(tmp_path)}})
    path = tmp_path / "memory.sqlite3"
    path.write_bytes(b"SQLite format 3\0" + bytes(4096))
    assert machine.database(config).status == "fail"
    path.unlink()
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE other (x)")
    assert machine.database(config).status == "fail"


def test_a_memory_that_cannot_be_kept_fails(tmp_path: Path) -> None:
    """A file where the directory should be fails; more budget than disk is a warning."""
    (tmp_path / "file").touch()
    config = load(None, {"memory": {"directory": str(tmp_path / "file")}})
    assert machine.memory(config).status == "fail"
    config = load(
        None, {"memory": {"directory": str(tmp_path / "m"), "capture_bytes": str(1 << 60)}}
    )
    assert machine.memory(config).status == "warn"


def test_tokens_are_checked_as_the_daemon_reads_them(tmp_path: Path) -> None:
    """A file open to every user fails, a closed one is right, none is a warning only where TCP is on."""
    path = tmp_path / "tokens"
    path.write_text("till-1 " + "0" * 64 + "\n")
    path.chmod(0o644)
    config = load(None, {"server": {"tokens": str(path)}})
    assert found("tokens", machine.tokens, config).status == "fail"
    path.chmod(0o600)
    assert machine.tokens(config).status == "ok"
    path.unlink()
    assert machine.tokens(config).status == "fail"
    assert "edge-clm token NAME" in machine.tokens(config).remedy
    assert machine.tokens(load()).status == "warn"
    assert machine.tokens(load(None, {"server": {"tcp": ""}})).status == "ok"


def test_a_gpu_that_is_not_there_fails() -> None:
    """A device beyond those that torch sees fails; the CPU is always there."""
    assert machine.device(load(None, {"model": {"device": "cuda:64"}})).status == "fail"
    assert machine.device(load(None, {"model": {"device": "cpu"}})).status == "ok"


def test_the_clock_of_this_machine_is_after_the_installation() -> None:
    """The time is shown in UTC."""
    finding = machine.clock()
    assert finding.status == "ok"
    assert finding.fact.startswith(time.strftime("%Y-", time.gmtime()))
