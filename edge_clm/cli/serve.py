"""`edge-clm serve`: the daemon."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from edge_clm.cli.failures import Failure
from edge_clm.cli.options import config_option, read_config, set_option
from edge_clm.errors import ConfigInvalid


@click.command()
@config_option
@set_option
@click.pass_context
def serve(
    ctx: click.Context, config_path: Path | None, settings: tuple[tuple[str, str, str], ...]
) -> None:
    """Run the daemon until SIGTERM or SIGINT.

    It never downloads anything: 'edge-clm models pull' fetches the models beforehand.

    \b
    Exit codes: 0 stopped as told; 1 a fault of its own; 69 the engine is lost again and again,
    70 because its GPU fails, 71 because it hangs; 75 what may pass by itself, such as an address
    that is taken; 78 a configuration, a model or a token file that has to be put right first.
    The log says which, with a remedy.
    """
    try:
        config = read_config(config_path, settings)
    except ConfigInvalid as error:
        raise _unusable(error) from error

    from edge_clm.server.daemon import serve as run

    ctx.exit(asyncio.run(run(config)))


def _unusable(error: ConfigInvalid) -> Failure:
    """Other commands end with 1 there; what starts the daemon must learn that no restart helps."""
    failure = Failure(
        reason=error.reason, code=error.code, message=error.message, remedy=error.remedy
    )
    failure.exit_code = error.exit_code  # type: ignore[misc]
    return failure
