"""A client of the daemon for the length of one command."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from edge_clm.cli.failures import Failure
from edge_clm.cli.options import read_config
from edge_clm.config import Config
from edge_clm.errors import ConfigInvalid

if TYPE_CHECKING:
    from edge_clm.client import Client, ClientError

_SAY_WHO = "Pass one with --token or in EDGE_CLM_TOKEN; 'edge-clm token NAME' makes one."
_START_ONE = "Start one with 'edge-clm serve', or say with --address where it is."


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
    try:
        with Client(address, token=target.token, timeout_s=target.timeout_s) as client:
            yield client
    except ClientError as error:
        message, remedy = _own_words(error, address, target.timeout_s)
        raise Failure(
            reason=error.reason,
            code=error.code,
            message=message,
            remedy=remedy,
            retry_after_s=error.retry_after_s,
        ) from error


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
