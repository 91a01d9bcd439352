"""`edge-clm token`: a bearer token for a device."""

from __future__ import annotations

import os
from pathlib import Path

import click

from edge_clm.cli.options import config_option, read_config
from edge_clm.errors import ConfigInvalid

_OWNER_ONLY = 0o600


@click.command()
@click.argument("name")
@config_option
@click.option(
    "--file",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Tokens file to append to; otherwise server.tokens of the configuration.",
)
def token(name: str, config_path: Path | None, file: Path | None) -> None:
    """Make a token for tenant NAME and print it, this once.

    The daemon keeps only its hash: a line in the tokens file. Where neither --file nor
    server.tokens names that file, the line is shown, to be put there by hand.
    """
    from edge_clm.server.auth import new_token

    configured = read_config(config_path).server.tokens
    secret, line = new_token(name)
    path = file or (Path(configured) if configured else None)
    if path:
        _append(path, line)
        click.echo(f"added to {path}", err=True)
    else:
        click.echo(f"line for the tokens file (server.tokens): {line}", err=True)
    click.echo(secret)


def _append(path: Path, line: str) -> None:
    """Adds a line; a file made here can be read by its owner alone. Raises ConfigInvalid."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        fd = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT, _OWNER_ONLY)
        with os.fdopen(fd, "rb+", buffering=0) as file:
            size = file.seek(0, os.SEEK_END)
            ended = size == 0 or os.pread(fd, 1, size - 1) == b"\n"
            file.write(f"{'' if ended else chr(10)}{line}\n".encode())
            os.fsync(fd)
    except OSError as error:
        raise ConfigInvalid(f"{path}: {error.strerror}", field="server.tokens") from error
