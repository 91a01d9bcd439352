"""`edge-clm stats`: how a running daemon is and what it keeps, for operators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from edge_clm.cli.connection import Target, connected
from edge_clm.cli.options import daemon_options, json_option
from edge_clm.cli.render import json_line

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from edge_clm.v1.admin_pb2 import StatsResponse


@click.command()
@click.option("--tenants", is_flag=True, help="Show what is kept of each tenant, too.")
@json_option
@daemon_options
def stats(tenants: bool, as_json: bool, **flags: Any) -> None:
    """Show how a running daemon is and what it keeps, in numbers; for operators.

    Answered while models load, too. Nothing of what pages, questions or answers say is shown.
    """
    with connected(Target.of(flags), waits=False) as client:
        found = client.stats(by_tenant=tenants)
    fields = _fields(found)
    click.echo(json_line(fields) if as_json else _text(fields))


def _fields(found: StatsResponse) -> dict[str, Any]:
    until = found.certificate_until
    return {
        "version": found.version,
        "started": found.started.ToJsonString(),
        "uptime_s": round(found.uptime_s, 1),
        "engine": _of(found.engine),
        "answering": _of(found.answering),
        "decoding": _of(found.decoding),
        "breaker": _of(found.breaker),
        "kept": _of(found.kept) if found.HasField("kept") else None,
        "tenants": [_of(tenant) for tenant in found.tenants],
        "calls": [_of(call) for call in found.calls],
        "certificate_until": until.ToJsonString() if found.HasField("certificate_until") else None,
    }


def _of(message: Message) -> dict[str, Any]:
    """Every field, those that are zero as well."""
    return {field.name: getattr(message, field.name) for field in message.DESCRIPTOR.fields}


def _text(fields: dict[str, Any]) -> str:
    calls, tenants = fields.pop("calls"), fields.pop("tenants")
    rows = [(name, _shown(value)) for name, value in fields.items()]
    rows += [(f"calls {call['method']}", f"{call['code']} {call['count']}") for call in calls]
    rows += [(f"tenant {tenant.pop('tenant')}", _shown(tenant)) for tenant in tenants]
    width = max(len(name) for name, _ in rows)
    return "\n".join(f"{name:<{width}}  {value}" for name, value in rows)


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(each)}" for name, each in value.items())
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.1f}" if isinstance(value, float) else str(value)
