"""A client of the daemon for the length of one command."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from edge_clm.cli.failures import Failure
from edge_clm.cli.options import read_config
from edge_clm.config import Config
from edge_clm.errors import ConfigInvalid

if TYPE_CHECKING:
    from edge_clm.client import Client, ClientError

_SAY_WHO = "Pass one with --token or in EDGE_CLM_TOKEN; 'edge-clm token NAME' makes one."
_START_ONE = "Start one with 'edge-clm serve', or say with --address where it is."
_TRUST = "Name its authority with --ca, and call it with --address by a name in its certificate."
_STOPPED = "Read its log, start it again with 'edge-clm serve', and ask again."
_LOOK_S = 1.0
_EVERY = {"0.0.0.0": "127.0.0.1", "[::]": "[::1]"}  # noqa: S104
_PATH_BYTES = 107
"""What a unix socket's address can hold."""


@dataclass(frozen=True, slots=True)
class Target:
    """Which daemon to call, as whom, and how long to wait for each call."""

    address: str | None
    token: str | None
    config_path: Path | None
    timeout_s: float
    ca: Path | None = None
    cert: Path | None = None
    key: Path | None = None

    @classmethod
    def of(cls, flags: dict[str, Any]) -> Target:
        """Takes what `daemon_options` added out of a command's flags."""
        return cls(**{field.name: flags.pop(field.name) for field in fields(cls)})

    def client(self, address: str, tls: bool | None = None) -> Client:
        """A client of the daemon at `address`; certificates are for TCP alone.

        `tls` is None where the address says it all. Raises click.UsageError and CertificateUnusable.
        """
        from edge_clm.channel import is_unix
        from edge_clm.client import Client

        if is_unix(address):
            return Client(address, self.token, self.timeout_s)
        if bool(self.cert) != bool(self.key):
            raise click.UsageError("--cert and --key go together")
        return Client(
            address,
            self.token,
            self.timeout_s,
            tls=True if self.ca or self.cert else tls,
            ca=self.ca,
            certificate=self.cert,
            key=self.key,
        )


@contextmanager
def connected(target: Target, *, waits: bool = True) -> Iterator[Client]:
    """A client of the daemon; what the daemon refuses becomes the command's failure.

    `waits` is False for calls that a daemon answers while its models load.
    """
    from edge_clm.client import ClientError

    address, tls = _whither(target)
    _ensure_fits(address)
    health = ""
    try:
        with target.client(address, tls) as client:
            health = _health(client, target.timeout_s)
            if waits and health == "NOT_SERVING":
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


def _whither(target: Target) -> tuple[str, bool | None]:
    """Where to call, and whether that is known to be with TLS."""
    if target.address:
        return target.address, None
    config = read_config(target.config_path)
    return address_of(config), True if config.server.tls_certificate else None


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
    if error.reason == "TLS_FAILED":
        return error.message, _TRUST
    if error.reason == "DEADLINE_EXCEEDED" and not error.remedy:
        return f"no answer within {timeout_s:g} s", "Give it longer with --timeout."
    if error.reason == "TOKEN_MISSING":
        return error.message, _SAY_WHO
    return error.message, error.remedy


def callable_at(tcp: str) -> str:
    """This machine's own address where a daemon listens on every one of them."""
    host, _, port = tcp.rpartition(":")
    return f"{_EVERY.get(host, host)}:{port}"


def address_of(config: Config) -> str:
    """Where to call a daemon with this configuration: at its socket, else at its port."""
    if config.server.socket:
        return f"unix:{config.server.socket}"
    if config.server.tcp:
        return callable_at(config.server.tcp)
    raise ConfigInvalid("neither server.socket nor server.tcp is set, so there is nowhere to call")
