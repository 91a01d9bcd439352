"""`edge-clm config`, and which source of a value wins."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from edge_clm.config import Config, load
from tests.cli.conftest import Run


def commented_out(line: str) -> bool:
    return (
        line.startswith("# ")
        and " = " in line
        and line[2:].split(" = ", maxsplit=1)[0].isidentifier()
    )


def test_the_default_configuration_is_whole_and_true(run: Run, tmp_path: Path) -> None:
    """Every key is printed under its section with its meaning, and reading it back changes nothing."""
    text = run("config", "default").output
    opened = "\n".join(line[2:] if commented_out(line) else line for line in text.splitlines())
    assert tomllib.loads(opened) == Config().model_dump()
    path = tmp_path / "default.toml"
    path.write_text(text)
    assert load(path) == load()
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if (line and not line.startswith(("#", "["))) or commented_out(line):
            assert lines[number - 1].startswith("# ") and len(lines[number - 1]) > 8, line


def test_a_flag_wins_over_environment_over_file_over_default(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of several sources of a value the strongest holds, and 'config show' names it."""
    path = tmp_path / "edge.toml"
    path.write_text("[limits]\nqueue = 1\nqueue_per_tenant = 2\nmin_side = 33\n")
    monkeypatch.setenv("EDGE_CLM_LIMITS__QUEUE", "3")
    monkeypatch.setenv("EDGE_CLM_LIMITS__QUEUE_PER_TENANT", "4")
    shown = run("config", "show", "--config", path, "--set", "limits.queue=5").output
    assert "queue = 5  # flag" in shown
    assert "queue_per_tenant = 4  # environment" in shown
    assert "min_side = 33  # file" in shown
    assert "max_ratio = 60  # default" in shown


def test_what_is_shown_can_be_used_as_a_configuration(run: Run, tmp_path: Path) -> None:
    """The output of 'config show' is a configuration file that gives the same values."""
    path = tmp_path / "shown.toml"
    path.write_text(
        run("config", "show", "--set", "server.tcp=", "--set", "log.level=debug").output
    )
    assert load(path) == load(None, {"server": {"tcp": ""}, "log": {"level": "debug"}})


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("server.tpc=1", "unknown key server.tpc; the closest known key is server.tcp"),
        ("sever.tcp=1", "unknown key sever; the closest known key is server"),
        ("limits.queue=many", "limits.queue"),
        ("limits.queue=0", "limits.queue"),
        ("model.dtype=float8", "model.dtype"),
        ("model.device=gpu", "model.device"),
        ("model.device=meta", "model.device"),
        ("model.device=cuda:٣", "model.device"),
        ("limits.max_deadline_s=inf", "limits.max_deadline_s"),
        ("limits.max_bytes=3000000000", "limits.max_bytes"),
        ("server.socket_mode=999", "server.socket_mode"),
        ("server.socket_mode=rw-rw----", "server.socket_mode"),
        ("server.tcp=here", "server.tcp"),
    ],
)
def test_a_wrong_setting_is_named(run: Run, setting: str, said: str) -> None:
    """An unknown key or an impossible value ends with 1, names itself and says what to do."""
    result = run("config", "check", "--set", setting)
    assert result.exit_code == 1
    assert result.stderr.startswith("edge-clm: CONFIG_INVALID: ")
    assert said in result.stderr
    assert "remedy: " in result.stderr


def test_an_address_beyond_this_machine_is_refused(run: Run) -> None:
    """What a daemon would refuse to listen on is not called right."""
    result = run("config", "check", "--set", "server.tcp=0.0.0.0:50551")
    assert result.exit_code == 1
    assert result.stderr.startswith("edge-clm: ADDRESS_UNSAFE: ")


def test_a_mistyped_section_in_the_environment_is_an_error(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    """EDGE_CLM_SEVER__TCP is not dropped without a word."""
    monkeypatch.setenv("EDGE_CLM_SEVER__TCP", "127.0.0.1:1")
    assert run("config", "check").exit_code == 1


@pytest.mark.parametrize(
    ("name", "closest"),
    [
        ("EDGE_CLM_SERVER_TCP", "EDGE_CLM_SERVER__TCP"),
        ("EDGE_CLM_LIMITS_QUEUE_PER_TENANT", "EDGE_CLM_LIMITS__QUEUE_PER_TENANT"),
        ("EDGE_CLM_TOKENS", "EDGE_CLM_TOKEN"),
        ("EDGE_CLM_ADRESS", "EDGE_CLM_ADDRESS"),
    ],
)
def test_a_name_in_the_environment_that_means_nothing_is_an_error(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str, closest: str
) -> None:
    """One underscore too few is not ignored; the closest name that means something is told."""
    monkeypatch.setenv(name, "secret")
    result = run("config", "check")
    assert result.exit_code == 1
    assert f"{name} in the environment" in result.stderr
    assert result.stderr.splitlines()[0].endswith(f" {closest}")
    assert "secret" not in result.stderr


@pytest.mark.parametrize(
    "name", ["ADDRESS", "CA", "CERT", "DATA", "KEY", "TOKEN", "WHEELS", "WRITE_DOCS"]
)
def test_what_other_parts_read_is_no_configuration(
    run: Run, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """EDGE_CLM_ADDRESS, EDGE_CLM_TOKEN and their like do not disturb the configuration."""
    monkeypatch.setenv(f"EDGE_CLM_{name}", "127.0.0.1:1")
    assert run("config", "check").exit_code == 0


@pytest.mark.parametrize("text", [None, "not = = toml", "\x00\xff"])
def test_a_file_that_cannot_be_read_is_named(run: Run, tmp_path: Path, text: str | None) -> None:
    """A missing file, or one that is no TOML, is an error with the file's name."""
    path = tmp_path / "edge.toml"
    if text is not None:
        path.write_bytes(text.encode("latin-1"))
    result = run("config", "check", "--config", path)
    assert result.exit_code == 1
    assert str(path) in result.stderr


@pytest.mark.parametrize("flag", ["server", "server.tcp", "server=1", ".tcp=1", "server.=1"])
def test_a_malformed_flag_is_wrong_usage(run: Run, flag: str) -> None:
    """--set without section, key or value ends with 2."""
    assert run("config", "check", "--set", flag).exit_code == 2


def test_a_tilde_in_a_path_is_the_home(run: Run, home: Path) -> None:
    """'~' in a path is the user's home, not a directory of that name."""
    shown = run("config", "show", "--set", "memory.directory=~/kept").output
    assert f'directory = "{home}/kept"' in shown
