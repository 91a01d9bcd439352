"""`edge-clm token`: a bearer token for a device."""

from __future__ import annotations

import os
from pathlib import Path

import click

from edge_clm.cli.failures import Failure
from edge_clm.cli.options import config_option, read_config
from edge_clm.errors import ConfigInvalid, RequestInvalid

_OWNER_ONLY = 0o600


@click.command()
@click.argument("name")
@click.option(
    "--role",
    type=click.Choice(["device", "operator"]),
    default="device",
    show_default=True,
    help="What it may do: ask about pages, or look after the daemon as well.",
)
@config_option
@click.option(
    "--file",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Tokens file to append to; otherwise server.tokens of the configuration.",
)
def token(name: str, role: str, config_path: Path | None, file: Path | None) -> None:
    """Make a token for tenant NAME and print it, this once.

    The daemon keeps only its hash: a line in the tokens file. Where neither --file nor
    server.tokens names that file, the line is shown, to be put there by hand.
    """
    configured = read_config(config_path).server.tokens
    secret, line = _new_token(name, role)
    path = file or (Path(configured) if configured else None)
    if path:
        tokens = _append(path, line)
        click.echo(f"added to {path}", err=True)
        if tokens > 1:
            count = "both" if tokens == 2 else f"all {tokens}"
            click.echo(f"{name} had a token before: {count} tokens are valid now", err=True)
    else:
        click.echo(f"line for the tokens file (server.tokens): {line}", err=True)
    click.echo(secret)


def _new_token(name: str, role: str) -> tuple[str, str]:
    from edge_clm.server.auth import new_token
    from edge_clm.server.roles import Role

    try:
        return new_token(name, Role(role))
    except ConfigInvalid as error:
        raise Failure(
            reason=RequestInvalid.reason,
            code=RequestInvalid.code,
            message=error.message,
            remedy="Pass another NAME.",
        ) from error


def _append(path: Path, line: str) -> int:
    """Adds a line and returns how many tokens its tenant has now.

    A file made here can be read by its owner alone. Raises ConfigInvalid.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, _OWNER_ONLY)
        with os.fdopen(fd, "rb+", buffering=0) as file:
            before = file.readall()
            ended = not before or before.endswith(b"\n")
            file.write(f"{'' if ended else chr(10)}{line}\n".encode())
            os.fsync(fd)
    except OSError as error:
        raise ConfigInvalid(f"{path}: {error.strerror}", field="server.tokens") from error
    tenant = line.split(maxsplit=1)[0].encode()
    others = [each.split()[:2] for each in before.splitlines()]
    return 1 + sum(each[:1] == [tenant] and each != [tenant, b"certificate"] for each in others)
