"""`edge-clm doctor`: what is wrong with this machine, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from typing import Any

import click

from edge_clm.cli import machine, probe, trial
from edge_clm.cli.catalogue import needed
from edge_clm.cli.connection import Target, callable_at
from edge_clm.cli.finding import Finding, found
from edge_clm.cli.options import daemon_options, json_option, read_config
from edge_clm.cli.render import json_line
from edge_clm.config import Config
from edge_clm.errors import AddressUnsafe, ConfigInvalid, Unavailable, Unready

_COLOURS = {"ok": "green", "warn": "yellow", "fail": "red"}


@click.command()
@json_option
@click.option(
    "--before-start",
    is_flag=True,
    help="Only what takes no time, as the unit does; ends with 75 or 78 as the daemon would.",
)
@daemon_options
@click.pass_context
def doctor(ctx: click.Context, /, as_json: bool, before_start: bool, **flags: Any) -> None:
    """Check this machine; each line is a status, a fact and a remedy.

    Nothing is changed. A real question is put to the daemon or, where none runs, to the models,
    which are loaded for it. Ends with 1 where anything fails.
    """
    target, failed = Target.of(flags), []
    for finding in hurried(target) if before_start else examine(target):
        if finding.status == "fail":
            failed.append(finding)
        if as_json:
            click.echo(json_line(asdict(finding)))
        else:
            _show(finding)
    ctx.exit(_before_start_code(failed) if before_start else int(bool(failed)))


def examine(target: Target) -> Iterator[Finding]:
    """Runs every check, each by itself; without a valid configuration, those that need none."""
    yield found("clock", machine.clock)
    config, finding = _configuration(target)
    yield finding
    yield found("packages", machine.packages, config or Config())
    if config is None:
        return
    failed = False
    for finding in _configured(config):
        failed = failed or finding.status == "fail"
        yield finding
    yield from _daemon(config, target, failed)


def hurried(target: Target) -> Iterator[Finding]:
    """Runs the checks that take no time; no weight is read and no question asked."""
    config, finding = _configuration(target)
    yield finding
    if config is None:
        return
    for name in needed(config):
        yield found(f"model {name}", machine.model_present, config, name)
    for check in (machine.memory, machine.tokens, machine.certificate):
        yield found(check.__name__, check, config)
    for name, look in _addresses(config):
        yield _to_be_taken(found(name, look, config))


def _configuration(target: Target) -> tuple[Config | None, Finding]:
    from edge_clm.server.daemon import examine_addresses

    try:
        config = read_config(target.config_path)
        examine_addresses(config.server)
    except (ConfigInvalid, AddressUnsafe) as error:
        fact = f"{error.message}; what depends on it was not checked"
        return None, Finding("fail", "configuration", fact, error.remedy)
    where = target.config_path or "defaults and environment"
    return config, Finding("ok", "configuration", f"{where}: right")


def _configured(config: Config) -> Iterator[Finding]:
    yield found("device", machine.device, config)
    for name in needed(config):
        yield found(f"model {name}", machine.model, config, name)
    for check in (machine.memory, machine.database, machine.tokens, machine.certificate):
        yield found(check.__name__, check, config)


def _addresses(config: Config) -> Iterator[tuple[str, Callable[[Config], Finding]]]:
    if config.server.socket:
        yield "socket", probe.unix_socket
    if config.server.tcp:
        yield "port", probe.tcp_port


def _daemon(config: Config, target: Target, failed: bool) -> Iterator[Finding]:
    serving, free = target.address, True
    for name, look in _addresses(config):
        finding = found(name, look, config)
        yield finding
        serving = serving or finding.serves_at
        free = free and finding.status == "ok"
    secret = bool(config.server.tls_certificate) and serving == callable_at(config.server.tcp)
    if secret and not (target.ca or target.address):
        remedy = (
            "Name its authority with --ca and, where it asks for one, a certificate with --cert."
        )
        yield Finding("warn", "question", "the daemon serves with TLS, and was not asked", remedy)
    elif serving:
        yield found("question", probe.question, serving, target, True if secret else None)
    elif failed or not free:
        remedy = "Put right what stands above, and run doctor again."
        yield Finding(
            "warn", "question", "no daemon serves, and none could; none was asked", remedy
        )
    else:
        yield found("question", trial.question, config, target.timeout_s)


def _to_be_taken(finding: Finding) -> Finding:
    """For a daemon that is about to start, another one at its address is in the way."""
    if not finding.serves_at:
        return finding
    remedy = "Stop that daemon, or configure another address."
    return replace(finding, status="fail", remedy=remedy, passing=True)


def _before_start_code(failed: list[Finding]) -> int:
    if not failed:
        return 0
    return (Unavailable if all(finding.passing for finding in failed) else Unready).exit_code


def _show(finding: Finding) -> None:
    status = click.style(f"{finding.status:<4}", fg=_COLOURS[finding.status])
    click.echo(f"{status}  {finding.check}: {finding.fact}")
    if finding.remedy and finding.status != "ok":
        click.echo(f"      remedy: {finding.remedy}")
