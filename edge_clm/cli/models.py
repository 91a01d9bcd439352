"""`edge-clm models`: what is on this machine, and how it gets there."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import click

from edge_clm.cli import hub
from edge_clm.cli.catalogue import CATALOGUE, MIB, NANO, OCR, Recipe, needed, recipe_of
from edge_clm.cli.failures import Failure
from edge_clm.cli.options import config_option, json_option, read_config
from edge_clm.cli.progress import ProgressLine
from edge_clm.cli.render import json_line
from edge_clm.cli.shelf import Entry, ensure_room, entry, present, shelf
from edge_clm.config import Config
from edge_clm.errors import EdgeClmError, ModelMissing, PullFailed
from edge_clm.weights import locate, verify


@click.group()
def models() -> None:
    """List, fetch and check the models on this machine."""


@models.command("list")
@config_option
@json_option
def list_(config_path: Path | None, as_json: bool) -> None:
    """List known and present models; sizes are compared, 'models verify' hashes the files."""
    entries = shelf(_models(read_config(config_path)))
    if as_json:
        click.echo("\n".join(json_line(entry.fields()) for entry in entries))
    else:
        click.echo(_table(entries))


@models.command()
@click.argument("names", metavar="[NAME]...", nargs=-1)
@config_option
def pull(names: tuple[str, ...], config_path: Path | None) -> None:
    """Fetch models; without a NAME, or with 'nano', what the default configuration needs.

    \b
    NAME is one of:
      nano               the embedded model, and the OCR models that go with it
      ocr                the OCR models alone
      OWNER/NAME[@REV]   a Qwen2-VL, Qwen2.5-VL or Qwen3-VL repository of a hub

    What is there and whole is left alone; what is damaged is fetched again.
    """
    directory = _models(read_config(config_path))
    # Building nano turns the hub off for the rest of the process, so hub models come first.
    for name in sorted(names or ("nano",), key=lambda name: recipe_of(name) is not None):
        recipe = recipe_of(name)
        if recipe:
            for each in (NANO, OCR) if recipe is NANO else (recipe,):
                _make(each, directory)
        elif "/" in name:
            _fetch(name, directory)
        else:
            raise Failure(
                reason=ModelMissing.reason,
                code=ModelMissing.code,
                message=f"no model is called {name!r}",
                remedy=f"Name one of {_known()}, or OWNER/NAME of a hub.",
            )


@models.command("verify")
@click.argument("names", metavar="[NAME]...", nargs=-1)
@config_option
@click.pass_context
def verify_(ctx: click.Context, names: tuple[str, ...], config_path: Path | None) -> None:
    """Hash every file of the named models, or of those that the configuration needs."""
    config = read_config(config_path)
    failures = 0
    for name in _expand(names) or needed(config):
        try:
            verify(locate(_models(config), name))
            click.echo(f"{name}: whole")
        except EdgeClmError as error:
            failures += 1
            unknown = not (recipe_of(name) or _is_there(config, name))
            message = f"no such model; known are {_known()}" if unknown else error.message
            click.echo(f"{name}: {error.reason}: {message}")
    ctx.exit(1 if failures else 0)


def _make(recipe: Recipe, directory: Path) -> None:
    # The recipe itself hashes what is there, and knows whether it would come out the same today.
    if any(entry(directory, name).state != "present" for name in recipe.names):
        ensure_room(directory, recipe.room)
    with ProgressLine(recipe.key) as progress:
        recipe.build(directory, progress)
        if not progress.told:
            progress(f"{recipe.key} is there and whole", 1.0)
        progress("ready", 1.0)


def _fetch(reference: str, directory: Path) -> None:
    with ProgressLine(reference) as progress:
        progress("asking the hub", 0.0)
        remote = hub.resolve(reference)
        if recipe_of(remote.name):
            raise PullFailed(f"{reference} would take the place of the model {remote.name!r}")
        had = entry(directory, remote.name).revision == remote.commit
        if had and present(directory, remote.name):
            progress("present and whole", 1.0)
            return
        ensure_room(directory, remote.size + 64 * MIB)
        hub.fetch(remote, directory, progress)
    click.echo(f"{remote.name}: commit {remote.commit}, licence {remote.licence}", err=True)


def _models(config: Config) -> Path:
    return Path(config.model.models)


def _is_there(config: Config, name: str) -> bool:
    return any(path.is_dir() for path in (_models(config) / name, Path(name).expanduser()))


def _expand(names: Iterable[str]) -> list[str]:
    """Names of models; a recipe's own name stands for all that it makes."""
    expanded: list[str] = []
    for name in names:
        recipe = recipe_of(name)
        expanded += recipe.names if recipe and name == recipe.key else [name]
    return expanded


def _known() -> str:
    return ", ".join([*(known.name for known in CATALOGUE), OCR.key])


def _table(entries: list[Entry]) -> str:
    rows: list[tuple[str, ...]] = [("NAME", "ROLE", "STATE", "SIZE", "SOURCE", "LICENCE")]
    rows += [entry.row() for entry in entries]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
