"""Options that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from edge_clm.config import PREFIX, Config, load

F = TypeVar("F", bound=Callable[..., Any])

LARGEST = 2**31 - 1
"""The largest number that the contract holds."""

_DAY_S = 86_400.0

config_option = click.option(
    "--config",
    "config_path",
    type=click.Path(path_type=Path),
    envvar="EDGE_CLM_CONFIG",
    help="Configuration file (TOML); also EDGE_CLM_CONFIG.",
)

json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class Setting(click.ParamType[tuple[str, str, str]]):
    """A 'section.key=value' flag."""

    name = "section.key=value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str, str]:
        """Splits the flag; what section and key may be is for the configuration to say."""
        if isinstance(value, tuple):
            return value
        path, equals, given = str(value).partition("=")
        section, dot, key = path.strip().partition(".")
        if not (equals and dot and section and key):
            self.fail(f"{value!r} is not of the form section.key=value", param, ctx)
        return section, key, given.strip()


class Words(click.ParamType[str]):
    """Text as the contract carries it: whole characters, no stray bytes."""

    name = "text"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuses bytes that are no text in the terminal's encoding."""
        text = str(value)
        try:
            text.encode()
        except UnicodeEncodeError:
            self.fail("holds bytes that are no UTF-8 text", param, ctx)
        return text


class Token(click.ParamType[str]):
    """A bearer token, as a header can carry it; it is never shown."""

    name = "token"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuses line ends and everything else that is no printable ASCII."""
        text = str(value)
        if not (text.isascii() and text.isprintable()):
            self.fail("holds a line end or another character that no token has", param, ctx)
        return text


class Seconds(click.FloatRange):
    """A length of time that ends."""

    name = "seconds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Refuses what cannot be waited for."""
        seconds = float(super().convert(value, param, ctx))
        if not math.isfinite(seconds):
            self.fail(f"{value!r} is no number of seconds", param, ctx)
        return seconds


set_option = click.option(
    "--set",
    "settings",
    type=Setting(),
    multiple=True,
    help="Override one configuration key; may be given several times.",
)


def read_config(
    config_path: Path | None, settings: tuple[tuple[str, str, str], ...] = ()
) -> Config:
    """The configuration that these flags, the environment and the file make; raises ConfigInvalid."""
    return load(config_path, overrides(settings))


def overrides(settings: tuple[tuple[str, str, str], ...]) -> dict[str, Any]:
    """The `--set` flags in the configuration's shape; of two for one key the last holds."""
    shaped: dict[str, Any] = {}
    for section, key, value in settings:
        shaped.setdefault(section, {})[key] = value
    return shaped


def _pem(name: str, meaning: str) -> Callable[[F], F]:
    variable = f"{PREFIX}{name.upper()}"
    return click.option(
        f"--{name}",
        type=click.Path(path_type=Path),
        envvar=variable,
        metavar="FILE",
        help=f"{meaning}; also {variable}.",
    )


def daemon_options(function: F) -> F:
    """Adds the options that say which daemon to call, as whom, and for how long to wait.

    `connection.Target.of` takes them out of the flags.
    """
    for option in (
        _pem("key", "PEM file of the key of --cert"),
        _pem("cert", "PEM file of a certificate to call with over TCP"),
        _pem("ca", "PEM file of the authority of the daemon's certificate, for TCP with TLS"),
        click.option(
            "--timeout",
            "timeout_s",
            type=Seconds(min=0, min_open=True, max=_DAY_S),
            default=300.0,
            show_default=True,
            metavar="SECONDS",
            help="Deadline of each call.",
        ),
        click.option(
            "--token",
            type=Token(),
            metavar="TOKEN",
            envvar="EDGE_CLM_TOKEN",
            help="Bearer token; also EDGE_CLM_TOKEN, where other users cannot see it.",
        ),
        click.option(
            "--address",
            type=Words(),
            envvar="EDGE_CLM_ADDRESS",
            metavar="ADDRESS",
            help="unix:PATH or HOST:PORT; also EDGE_CLM_ADDRESS. Otherwise from the configuration.",
        ),
        config_option,
    ):
        function = option(function)
    return function


def reuse_options(function: F) -> F:
    """Adds the options that say how memory may be used: `fresh`, `no_store` and `max_age_s`."""
    for option in (
        click.option(
            "--max-age",
            "max_age_s",
            type=Seconds(min=0),
            default=0.0,
            metavar="SECONDS",
            help="Use nothing remembered that is older than this; 0 for any.",
        ),
        click.option("--no-store", is_flag=True, help="Keep nothing of the answer."),
        click.option("--fresh", is_flag=True, help="Work everything out anew."),
    ):
        function = option(function)
    return function
