"""The tree of commands."""

from __future__ import annotations

import click

from edge_clm import __version__
from edge_clm.cli.ask import ask, describe
from edge_clm.cli.doctor import doctor
from edge_clm.cli.explain import explain
from edge_clm.cli.extract import extract
from edge_clm.cli.failures import Commands
from edge_clm.cli.info import info
from edge_clm.cli.models import models
from edge_clm.cli.serve import serve
from edge_clm.cli.settings import config
from edge_clm.cli.stats import stats
from edge_clm.cli.token import token
from edge_clm.cli.why import why


@click.group(
    cls=Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="edge-clm", message="%(prog)s %(version)s")
def edge_clm() -> None:
    """Answers questions about photographed documents, and remembers what it has worked out.

    \b
    Exit codes: 0 done; 1 refused or failed; 2 wrong usage; 3 daemon not reachable or not
    ready; 4 daemon busy or deadline passed; 130 interrupted. 'serve' also ends with 69, 70, 71
    engine lost for good; 75 may pass by itself; 78 configuration, models or addresses to be put
    right.
    """


@edge_clm.command()
def version() -> None:
    """Print the version."""
    click.echo(f"edge-clm {__version__}")


for command in (
    serve,
    ask,
    describe,
    extract,
    explain,
    info,
    stats,
    why,
    models,
    doctor,
    token,
    config,
):
    edge_clm.add_command(command)
