"""`edge-clm token`: tokens that the daemon accepts, in a file that others cannot read."""

from __future__ import annotations

from pathlib import Path

from edge_clm.server.auth import Caller, Tokens
from edge_clm.server.roles import Role
from tests.cli.conftest import Run


def test_a_token_is_accepted_and_kept_only_as_a_hash(run: Run, tmp_path: Path) -> None:
    """The printed token names its tenant to the daemon, and the file does not hold it."""
    path = tmp_path / "etc" / "tokens"
    token = run("token", "till-1", "--file", path).stdout.strip()
    assert Tokens(path).caller(token) == Caller("till-1", Role.DEVICE)
    assert token not in path.read_text()
    assert path.stat().st_mode & 0o777 == 0o600


def test_tokens_are_added_below_what_is_there(run: Run, tmp_path: Path) -> None:
    """An existing file keeps its lines, also where the last one does not end in a newline."""
    path = tmp_path / "tokens"
    path.touch(0o640)
    path.write_text("# tills")
    config = tmp_path / "edge.toml"
    config.write_text(f'[server]\ntokens = "{path}"\n')
    first = run("token", "till-1", "--config", config).stdout.strip()
    second = run("token", "till-2", "--config", config).stdout.strip()
    known = Tokens(path)
    assert [known.caller(token) for token in (first, second)] == [
        Caller(name, Role.DEVICE) for name in ("till-1", "till-2")
    ]
    assert path.read_text().startswith("# tills\ntill-1 ")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_second_token_of_a_name_is_told(run: Run, tmp_path: Path) -> None:
    """Both are valid, and whoever made the second one is told so; other names do not count."""
    path = tmp_path / "tokens"
    first = run("token", "till-1", "--file", path)
    run("token", "till-10", "--file", path)
    second = run("token", "till-1", "--file", path)
    assert "valid now" not in first.stderr
    assert "till-1 had a token before: both tokens are valid now" in second.stderr
    known = Tokens(path)
    for made in (first, second):
        assert known.caller(made.stdout.strip()) == Caller("till-1", Role.DEVICE)


def test_a_token_can_be_an_operators(run: Run, tmp_path: Path) -> None:
    """The role is in the line, and a certificate's line of the same name is no token."""
    path = tmp_path / "tokens"
    path.write_text("boss certificate\n")
    path.chmod(0o600)
    made = run("token", "boss", "--role", "operator", "--file", path)
    assert Tokens(path).caller(made.stdout.strip()) == Caller("boss", Role.OPERATOR)
    assert "valid now" not in made.stderr
    assert run("token", "boss", "--role", "chief", "--file", path).exit_code == 2


def test_without_a_file_the_line_is_shown(run: Run) -> None:
    """Where no tokens file is configured, standard error has the line to put into one."""
    result = run("token", "till-1")
    assert result.stdout.startswith("eclm_") and len(result.stdout.splitlines()) == 1
    assert "till-1 " in result.stderr


def test_a_name_that_cannot_be_a_tenant_is_refused(run: Run, tmp_path: Path) -> None:
    """A refused name leaves no file behind."""
    path = tmp_path / "tokens"
    result = run("token", "till 1", "--file", path)
    assert result.exit_code == 1
    assert "NAME" in result.stderr and "configuration" not in result.stderr
    assert not path.exists()


def test_a_file_that_cannot_be_written_is_named(run: Run, tmp_path: Path) -> None:
    """No token is printed that was not kept."""
    blocked = tmp_path / "file"
    blocked.touch()
    result = run("token", "till-1", "--file", blocked / "tokens")
    assert (result.exit_code, result.stdout) == (1, "")
    assert str(blocked) in result.stderr
