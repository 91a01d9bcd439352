"""`edge-clm doctor`: what is wrong with this machine, and what to do about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

import click

from edge_clm.cli import machine, probe
from edge_clm.cli.catalogue import needed
from edge_clm.cli.connection import Target
from edge_clm.cli.finding import Finding, found
from edge_clm.cli.options import daemon_options, json_option, read_config
from edge_clm.cli.render import json_line
from edge_clm.config import Config
from edge_clm.errors import AddressUnsafe, ConfigInvalid

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command()
@json_option
@daemon_options
@click.pass_context
def doctor(ctx: click.Context, /, as_json: bool, **flags: Any) -> None:
    """Check this machine; each line is a status, a fact and a remedy.

    Nothing is changed. Where a daemon runs, a real question is put to it. Ends with 1 where
    anything fails.
    """
    failures = 0
    for finding in examine(Target(**flags)):
        failures += finding.status == "fail"
        if as_json:
            click.echo(json_line(asdict(finding)))
        else:
            _show(finding)
    ctx.exit(1 if failures else 0)


def examine(target: Target) -> Iterator[Finding]:
    """Runs every check, each by itself; without a valid configuration, those that need none."""
    yield found("packages", machine.packages)
    yield found("clock", machine.clock)
    from edge_clm.server.daemon import examine_addresses

    try:
        config = read_config(target.config_path)
        examine_addresses(config.server)
    except (ConfigInvalid, AddressUnsafe) as error:
        fact = f"{error.message}; what depends on it was not checked"
        yield Finding("fail", "configuration", fact, error.remedy)
        return
    where = target.config_path or "defaults and environment"
    yield Finding("ok", "configuration", f"{where}: right")
    yield from _configured(config)
    yield from _daemon(config, target)


def _configured(config: Config) -> Iterator[Finding]:
    yield found("device", machine.device, config)
    for name in needed(config):
        yield found(f"model {name}", machine.model, config, name)
    for check in (machine.memory, machine.database, machine.tokens):
        yield found(check.__name__, check, config)


def _daemon(config: Config, target: Target) -> Iterator[Finding]:
    serving = target.address
    for check, address, look in (
        ("socket", config.server.socket, probe.unix_socket),
        ("port", config.server.tcp, probe.tcp_port),
    ):
        if address:
            finding = found(check, look, config)
            yield finding
            serving = serving or finding.serves_at
    if serving:
        yield found("question", probe.question, serving, target.token, target.timeout_s)
    else:
        remedy = "Start one with 'edge-clm serve' and run doctor again."
        yield Finding("warn", "question", "no daemon serves, so none was asked", remedy)


def _show(finding: Finding) -> None:
    status = click.style(f"{finding.status:<4}", fg=_COLOURS[finding.status])
    click.echo(f"{status}  {finding.check}: {finding.fact}")
    if finding.remedy and finding.status != "ok":
        click.echo(f"      remedy: {finding.remedy}")
