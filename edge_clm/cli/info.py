"""`edge-clm info`: what a running daemon is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from edge_clm.cli.connection import Target, connected
from edge_clm.cli.options import daemon_options, json_option
from edge_clm.cli.render import json_line

if TYPE_CHECKING:
    from edge_clm.v1.edge_clm_pb2 import GetInfoResponse


@click.command()
@json_option
@daemon_options
def info(as_json: bool, **flags: Any) -> None:
    """Show what a running daemon is, which models it runs and what it accepts."""
    with connected(Target(**flags)) as client:
        # The call waits for a daemon that loads, so health is asked for after it.
        found = client.info()
        health = client.health()
    fields = {"health": health, **_fields(found)}
    click.echo(json_line(fields) if as_json else _text(fields))


def _fields(found: GetInfoResponse) -> dict[str, Any]:
    limits = found.limits
    return {
        "version": found.version,
        "fingerprint": found.fingerprint,
        "started": found.started.ToJsonString(),
        "models": [
            {
                "role": model.role,
                "name": model.name,
                "device": model.device,
                "fingerprint": model.fingerprint,
            }
            for model in found.models
        ],
        "limits": {
            field.name: list(value) if field.name == "media_types" else value
            for field, value in limits.ListFields()
        },
    }


def _text(fields: dict[str, Any]) -> str:
    rows = [(name, str(fields[name])) for name in ("health", "version", "started", "fingerprint")]
    rows += [
        (f"model {model['role']}", f"{model['name']} on {model['device']}")
        for model in fields["models"]
    ]
    for name, value in fields["limits"].items():
        rows.append((name, ", ".join(value) if isinstance(value, list) else str(value)))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)
