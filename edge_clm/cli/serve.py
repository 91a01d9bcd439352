"""`edge-clm serve`: the daemon."""

from __future__ import annotations

import asyncio
from pathlib import Path

import click

from edge_clm.cli.options import config_option, read_config, set_option


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
    Exit codes: 0 stopped as told; 70 the engine cannot be started again; 75 what may pass by
    itself, such as an address that is taken; 78 a configuration, a model or a token file that
    has to be put right first. The log says which, with a remedy.
    """
    config = read_config(config_path, settings)

    from edge_clm.server.daemon import serve as run

    ctx.exit(asyncio.run(run(config)))
