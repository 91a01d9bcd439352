"""`edge-clm explain`: whether one capture shows the page of another, and why."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edge_clm.cli.failures import Failure
from edge_clm.cli.file import read_file
from edge_clm.cli.options import config_option, json_option, read_config, set_option
from edge_clm.cli.render import json_line

if TYPE_CHECKING:
    from edge_clm.compared import Compared, Wanted

_COLOURS = {"same": "green", "different": "red", "unsure": "yellow"}


@click.command()
@click.argument("known")
@click.argument("capture")
@click.option(
    "--page",
    "pages",
    type=click.IntRange(min=1),
    nargs=2,
    default=(1, 1),
    metavar="N N",
    help="Which page of either document.",
)
@click.option(
    "--read",
    is_flag=True,
    help="Read CAPTURE whole as well: slower, and finds more where paper is bent.",
)
@click.option(
    "--draw",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Also draw both, with what agrees (green), conflicts (red) and stays unread (amber).",
)
@json_option
@config_option
@set_option
@click.pass_context
def explain(
    ctx: click.Context,
    /,
    known: str,
    capture: str,
    pages: tuple[int, int],
    read: bool,
    draw: Path | None,
    as_json: bool,
    config_path: Path | None,
    settings: tuple[tuple[str, str, str], ...],
) -> None:
    """Say whether CAPTURE shows the page that KNOWN shows, and why.

    For each field that is read on KNOWN, and for the page as a whole: 'same' where its answer may be
    given for CAPTURE too, 'different' where something else is printed, 'unsure' where anything needed
    was not read. Works without a daemon; nothing is kept. Ends with 1 unless every verdict is 'same'.
    """
    from edge_clm.compared import compared

    config = read_config(config_path, settings)
    limit = config.limits.max_bytes
    one, other = (read_file(name, lambda: limit) for name in (known, capture))
    found = compared(config, one, other, pages, read=read)
    if draw:
        _draw(found, draw)
    if as_json:
        click.echo(json_line(_fields(found)))
    else:
        _show(found)
    ctx.exit(int(any(each.ruling.verdict != "same" for each in found.wanted)))


def _show(found: Compared) -> None:
    """One line for each answer, and what keeps it from being given."""
    for each in found.wanted:
        verdict = each.ruling.verdict.value
        name = each.name or "the whole page"
        click.echo(
            f"{click.style(verdict, fg=_COLOURS[verdict]):<10} {name}: {each.value}".rstrip(": ")
        )
        for reason in each.ruling.reasons:
            click.echo(f"           {reason}")
    spent = ", ".join(f"{name} {ms:.0f}" for name, ms in found.stages.items())
    click.echo(f"{found.wanted[0].signals.matches} points found again; {spent} ms")


def _fields(found: Compared) -> dict[str, Any]:
    return {
        "answers": [_answer(each) for each in found.wanted],
        "stages": {name: round(ms, 3) for name, ms in found.stages.items()},
    }


def _answer(each: Wanted) -> dict[str, Any]:
    return {
        "field": each.name,
        "value": each.value,
        "verdict": each.ruling.verdict.value,
        "reasons": list(each.ruling.reasons),
        "signals": asdict(each.signals),
    }


def _draw(found: Compared, file: Path) -> None:
    from edge_clm.cli.drawing import drawn

    try:
        drawn(found).save(file)
    except (OSError, ValueError) as error:
        raise Failure(
            reason="FILE_UNWRITABLE",
            code="INVALID_ARGUMENT",
            message=f"{file}: the drawing cannot be written",
            remedy="Name a file that ends in .png or .jpg, where you may write.",
        ) from error
