"""The tree of commands as a whole."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

import click
import pytest

from edge_clm import __version__
from edge_clm.cli import edge_clm
from tests.cli.conftest import Run

HEAVY = ("torch", "grpc", "transformers", "onnxruntime", "paddleocr", "PIL", "huggingface_hub")


def every_command(
    command: click.Command = edge_clm, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    yield path, command
    if isinstance(command, click.Group):
        for name, child in command.commands.items():
            yield from every_command(child, (*path, name))


COMMANDS = dict(every_command())


@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: " ".join(path) or "edge-clm")
def test_every_command_and_every_option_explains_itself(path: tuple[str, ...], run: Run) -> None:
    """--help of each command ends with 0, and neither it nor any of its options is left unexplained."""
    command = COMMANDS[path]
    result = run(*path, "--help")
    assert result.exit_code == 0
    assert command.help
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{' '.join(path)} {option.opts[0]}"
            assert option.opts[0] in result.output


def test_the_commands_are_those_that_users_were_promised() -> None:
    """No command is lost or renamed unnoticed."""
    assert {" ".join(path) for path in COMMANDS} == {
        "",
        "ask",
        "config",
        "config check",
        "config default",
        "config show",
        "describe",
        "doctor",
        "explain",
        "extract",
        "info",
        "models",
        "models list",
        "models pull",
        "models verify",
        "serve",
        "stats",
        "token",
        "version",
        "why",
    }


@pytest.mark.parametrize("word", ["--help", "version", "config"])
def test_light_commands_load_no_heavy_library(word: str) -> None:
    """Help, version and configuration come without waiting for torch or gRPC to load."""
    code = (
        "import sys\n"
        "from edge_clm.cli import main\n"
        f"heavy = {HEAVY!r}\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "sys.exit(','.join(name for name in heavy if name in sys.modules) or 0)\n"
    )
    words = [word, "show"] if word == "config" else [word]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout


def test_the_version_is_that_of_the_package(run: Run) -> None:
    """Both ways to ask for the version tell the same one."""
    assert run("version").output == run("--version").output == f"edge-clm {__version__}\n"


@pytest.mark.parametrize("words", [["--help"], ["serve", "--help"]])
def test_the_daemon_s_exit_codes_are_in_the_help(run: Run, words: list[str]) -> None:
    """What systemd may see is named where users look."""
    shown = run(*words).output
    assert all(code in shown for code in ("70", "75", "78"))


def test_an_unknown_command_is_wrong_usage(run: Run) -> None:
    """What is no command ends with 2, as wrong usage does everywhere."""
    assert run("aks").exit_code == 2
