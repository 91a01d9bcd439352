"""The systemd unit: right, closed, and true to the daemon that it runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from edge_clm import engine, link
from edge_clm.config import Config, load
from edge_clm.errors import Unready
from edge_clm.server import listen

ROOT = Path(__file__).parent.parent
UNIT = ROOT / "systemd" / "edge-clm.service"
TLS = ROOT / "systemd" / "edge-clm-tls.conf"
PROGRAM = "/opt/edge-clm/bin/edge-clm"
SECONDS = {"min": 60, "": 1}


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The unit over a program that is there, as on a machine where it has been installed."""
    text = UNIT.read_text()
    assert f"ExecStart={PROGRAM} serve " in text
    unit = tmp_path / UNIT.name
    unit.write_text(text.replace(PROGRAM, sys.executable))
    return unit


@pytest.fixture
def with_tls(installed: Path) -> Path:
    """The unit with the drop-in for callers on other machines, every line of it in use."""
    place = installed.parent / f"{UNIT.name}.d"
    place.mkdir()
    (place / "tls.conf").write_text(re.sub(r"(?m)^#(?=\w)", "", TLS.read_text()))
    return installed


def analyzed(*arguments: str) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd-analyze is not installed here, so the unit was not checked by it")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=False)


def values(key: str) -> list[str]:
    """What the unit sets `key` to, once for each line."""
    lines = UNIT.read_text().splitlines()
    return [line.partition("=")[2] for line in lines if line.startswith(key + "=")]


def seconds(key: str) -> int:
    (value,) = values(key)
    digits = value.rstrip("min")
    return int(digits) * SECONDS[value[len(digits) :]]


def test_systemd_takes_the_unit(installed: Path) -> None:
    """Not a word of complaint: no unknown key, no value that is ignored."""
    done = analyzed("verify", "--man=no", str(installed))
    assert [line for line in done.stderr.splitlines() if UNIT.name in line] == []
    assert done.returncode == 0, done.stderr


def test_a_wrong_unit_is_noticed(installed: Path) -> None:
    """What this machine's systemd-analyze calls right means something."""
    installed.write_text(installed.read_text().replace("WatchdogSec=60", "WatchdogSec=soon"))
    assert UNIT.name in analyzed("verify", "--man=no", str(installed)).stderr


def test_the_unit_is_closed(installed: Path) -> None:
    """The overall exposure is at most 2.0 of 10."""
    done = analyzed("security", "--offline=true", "--threshold=20", "--no-pager", str(installed))
    assert done.returncode == 0, done.stdout[-300:] + done.stderr
    assert "Overall exposure level" in done.stdout


def test_systemd_takes_the_drop_in(with_tls: Path) -> None:
    """Not a word of complaint about it either, and the unit stays closed."""
    done = analyzed("verify", "--man=no", str(with_tls))
    assert [line for line in done.stderr.splitlines() if "tls.conf" in line] == []
    assert done.returncode == 0, done.stderr
    done = analyzed("security", "--offline=true", "--threshold=20", "--no-pager", str(with_tls))
    assert done.returncode == 0, done.stdout[-300:] + done.stderr


def test_a_wrong_drop_in_is_noticed(with_tls: Path) -> None:
    """systemd-analyze reads it at all."""
    drop_in = with_tls.parent / f"{UNIT.name}.d" / "tls.conf"
    drop_in.write_text(drop_in.read_text().replace("IPAddressAllow", "IPAdressAllow"))
    assert "tls.conf" in analyzed("verify", "--man=no", str(with_tls)).stderr


def test_the_drop_in_sets_known_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each file that it names in the environment is a credential that it loads, and TCP may be opened."""
    text = re.sub(r"(?m)^#(?=\w)", "", TLS.read_text())
    loaded = set(re.findall(r"(?m)^LoadCredential=([^:]+):", text))
    named = re.findall(r"(EDGE_CLM_\w+)=%d/(\S+)", text)
    assert {file for _, file in named} == loaded
    for name, file in named:
        monkeypatch.setenv(name, f"/run/credentials/edge-clm.service/{file}")
    beyond = {"server": {"tcp": "192.168.7.10:50551"}}
    assert listen.guarded(load(None, beyond).server)


def test_the_doctor_goes_first_and_decides_nothing() -> None:
    """Its remedies are in the journal; the exit code that systemd acts on is the daemon's own."""
    (first, second) = values("ExecStartPre")
    assert first.startswith("+-/usr/bin/nvidia-modprobe")
    assert second.startswith(f"-{PROGRAM} doctor --before-start --config ")
    assert second.split("--config ")[1] == values("ExecStart")[0].split("--config ")[1]
    assert values("Restart") == ["on-failure"]


def test_times_fit_the_daemon() -> None:
    """A drain is not cut off, and the watchdog comes after the daemon's own end of a silent engine."""
    graces = (Config().server.grace_s, load(ROOT / "examples" / "edge-clm.toml").server.grace_s)
    assert seconds("TimeoutStopSec") > max(graces)
    assert seconds("WatchdogSec") > (link._UNANSWERED + 1) * engine._PING_S
    assert values("RestartPreventExitStatus") == [str(Unready.exit_code)]


def test_the_example_configuration_lives_in_the_units_directories() -> None:
    """Everything that it writes is under a directory that systemd makes for the service."""
    config = load(ROOT / "examples" / "edge-clm.toml")
    (runtime,), (state,) = values("RuntimeDirectory"), values("StateDirectory")
    assert Path(config.server.socket).parent == Path("/run") / runtime
    for path in (config.memory.directory, config.model.models):
        assert Path(path).parent == Path("/var/lib") / state


def test_the_unit_sets_known_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its environment is taken, and its credential is the tokens file."""
    settings = [item for line in values("Environment") for item in line.split()]
    ours = [item.partition("=") for item in settings if item.startswith("EDGE_CLM_")]
    assert ours
    for name, _, value in ours:
        monkeypatch.setenv(name, value.replace("%d", "/run/credentials/edge-clm.service"))
    assert load().server.tokens == "/run/credentials/edge-clm.service/tokens"
    assert [line.partition(":")[0] for line in values("LoadCredential")] == ["tokens"]
