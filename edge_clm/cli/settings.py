"""`edge-clm config`: every key with its default, what holds here, and whether a file is right."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import click
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from edge_clm.cli.options import config_option, overrides, set_option
from edge_clm.config import Config, layers, load


@click.group()
def config() -> None:
    """Show and check the configuration: flags over environment over file over defaults."""


@config.command()
def default() -> None:
    """Print every key with its default, as a commented configuration file."""
    click.echo("\n".join(_commented()))


@config.command()
@config_option
@set_option
def show(config_path: Path | None, settings: tuple[tuple[str, str, str], ...]) -> None:
    """Print the values that hold, and where each one comes from."""
    flags = overrides(settings)
    found = load(config_path, flags)
    sources = layers(config_path, flags)
    for section, values in found.model_dump().items():
        click.echo(f"[{section}]")
        for key, value in values.items():
            click.echo(f"{key} = {_toml(value)}  # {_origin(sources, section, key)}")


@config.command()
@config_option
@set_option
def check(config_path: Path | None, settings: tuple[tuple[str, str, str], ...]) -> None:
    """Read the configuration and say whether a daemon would take it."""
    from edge_clm.server.daemon import examine

    examine(load(config_path, overrides(settings)).server)
    click.echo(f"{config_path or 'the configuration'} is right")


def _commented() -> Iterator[str]:
    for name, field in Config.model_fields.items():
        section = field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            yield f"# {section.__doc__}"
            yield f"[{name}]"
            for key, item in section.model_fields.items():
                yield from _commented_key(key, item)
            yield ""


def _commented_key(key: str, field: FieldInfo) -> Iterator[str]:
    yield f"# {_meaning(field)}"
    # Paths depend on who runs the daemon; written out they would no longer follow the user.
    mark = "# " if field.default_factory else ""
    yield f"{mark}{key} = {_toml(field.get_default(call_default_factory=True, validated_data={}))}"


def _meaning(field: FieldInfo) -> str:
    if field.description:
        return " ".join(field.description.split())
    if get_origin(field.annotation) is Literal:
        return f"One of: {', '.join(get_args(field.annotation))}."
    return ""


def _origin(sources: Mapping[str, Mapping[str, Any]], section: str, key: str) -> str:
    saying = [name for name, values in sources.items() if key in values.get(section, {})]
    return saying[-1] if saying else "default"


def _toml(value: str | float | bool) -> str:
    # A JSON string, number or boolean is TOML as well.
    return json.dumps(value, ensure_ascii=False)
