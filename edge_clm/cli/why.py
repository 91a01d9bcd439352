"""`edge-clm why`: how an answer came about, for operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from edge_clm.cli.connection import Target, connected
from edge_clm.cli.options import Words, daemon_options, json_option
from edge_clm.cli.render import json_line

if TYPE_CHECKING:
    from edge_clm.v1.admin_pb2 import ExplainResponse


@click.command()
@json_option
@daemon_options
@click.argument("name", metavar="ID", type=Words())
def why(name: str, as_json: bool, **flags: Any) -> None:
    """Say how an answer came about, and why no cheaper way was taken; for operators.

    ID is the request_id of a line of the daemon's log, or the answer_id of an answer: of the last call
    that was given it. The daemon knows of its last 2000 answers. Nothing of what page, question or
    answer say is shown.
    """
    with connected(Target.of(flags)) as client:
        found = client.explain(name)
    fields = _fields(found)
    click.echo(json_line(fields) if as_json else _text(fields))


def _fields(found: ExplainResponse) -> dict[str, Any]:
    return {
        "request_id": found.request_id,
        "answer_id": found.answer_id,
        "tenant": found.tenant,
        "method": found.method,
        "given": found.given.ToJsonString(),
        "serve_mode": found.serve_mode,
        "reasons": [
            {"step": one.step, "outcome": one.outcome, "detail": one.detail}
            for one in found.reasons
        ],
        "stages": {one.name: round(one.ms, 3) for one in found.stages},
    }


def _text(fields: dict[str, Any]) -> str:
    stages = ", ".join(f"{name} {ms:.1f}" for name, ms in fields["stages"].items())
    about = ("method", "tenant", "given", "request_id", "answer_id")
    rows = [(fields["serve_mode"], ", ".join(filter(None, (fields[name] for name in about))))]
    for one in fields["reasons"]:
        outcome = one["outcome"].replace("_", " ")
        rows.append((one["step"], ": ".join(filter(None, (outcome, one["detail"])))))
    rows.append(("stages", f"{stages} ms"))
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {told}" for name, told in rows)
