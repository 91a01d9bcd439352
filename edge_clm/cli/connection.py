"""A client of the daemon for the length of one command."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from edge_clm.cli.failures import Failure
from edge_clm.cli.options import read_config
from edge_clm.config import Config
from edge_clm.errors import ConfigInvalid

if TYPE_CHECKING:
    from edge_clm.client import Client, ClientError

_SAY_WHO = "Pass one with --token or in EDGE_CLM_TOKEN; 'edge-clm token NAME' makes one."
_START_ONE = "Start one with 'edge-clm serve', or say with --address where it is."
_STOPPED = "Read its log, start it again with 'edge-clm serve', and ask again."
_LOOK_S = 1.0
_PATH_BYTES = 107
"""What a unix socket's address can hold."""


@dataclass(frozen=True, slots=True)
class Target:
    """Which daemon to call, as whom, and how long to wait for each call."""

    address: str | None
    token: str | None
    config_path: Path | None
    timeout_s: float


@contextmanager
def connected(target: Target) -> Iterator[Client]:
    """A client of the daemon; what the daemon refuses becomes the command's failure."""
    from edge_clm.client import Client, ClientError

    address = target.address or address_of(read_config(target.config_path))
    _ensure_fits(address)
    health = ""
    try:
        with Client(address, token=target.token, timeout_s=target.timeout_s) as client:
            health = _health(client, target.timeout_s)
            if health == "NOT_SERVING":
                click.echo("waiting for the daemon to load its models", err=True)
            yield client
    except ClientError as error:
        if error.reason == "UNREACHABLE" and health:
            message, remedy = "the daemon stopped while it answered", _STOPPED
        else:
            message, remedy = _own_words(error, address, target.timeout_s)
        raise Failure(
            reason=error.reason,
            code=error.code,
            message=message,
            remedy=remedy,
            retry_after_s=error.retry_after_s,
        ) from error


def _health(client: Client, timeout_s: float) -> str:
    """The daemon's health; empty where it tells none, and then the call itself says why."""
    from edge_clm.client import ClientError

    try:
        return client.health(timeout_s=min(timeout_s, _LOOK_S))
    except ClientError:
        return ""


def _ensure_fits(address: str) -> None:
    path = address.removeprefix("unix:").removeprefix("//")
    size = len(os.fsencode(path))
    if address.startswith(("/", "unix:")) and size > _PATH_BYTES:
        raise Failure(
            reason="ADDRESS_INVALID",
            code="INVALID_ARGUMENT",
            message=f"the socket's path has {size} bytes, and {_PATH_BYTES} are the most",
            remedy="Give server.socket or --address a shorter path.",
        )


def _own_words(error: ClientError, address: str, timeout_s: float) -> tuple[str, str]:
    """Message and remedy; our own where the daemon had no say in it, or speaks to programmers."""
    if error.reason == "UNREACHABLE":
        return f"no daemon answers at {address}", _START_ONE
    if error.reason == "DEADLINE_EXCEEDED" and not error.remedy:
        return f"no answer within {timeout_s:g} s", "Give it longer with --timeout."
    if error.reason == "TOKEN_MISSING":
        return error.message, _SAY_WHO
    return error.message, error.remedy


def address_of(config: Config) -> str:
    """Where a daemon with this configuration listens: its socket, else its port."""
    if config.server.socket:
        return f"unix:{config.server.socket}"
    if config.server.tcp:
        return config.server.tcp
    raise ConfigInvalid("neither server.socket nor server.tcp is set, so there is nowhere to call")
