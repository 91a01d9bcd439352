"""Progress of long work: one line that moves on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType

import click

from edge_clm.cli.naming import escaped


class ProgressLine:
    """Shows what is being done for one thing; a context manager that ends its line."""

    def __init__(self, name: str) -> None:
        """`name` is what the work is for."""
        self._name = name
        self._what = ""
        self._width = 0
        self._moves = sys.stderr.isatty()

    def __enter__(self) -> ProgressLine:
        """Starts the line."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Leaves the cursor on a line of its own."""
        if self._width:
            click.echo(err=True)

    @property
    def told(self) -> bool:
        """Whether any step has been shown."""
        return bool(self._what)

    def __call__(self, what: str, share: float) -> None:
        """Shows a step and the share of it that is done, 0…1."""
        if self._moves:
            self._move(escaped(f"{self._name}: {what} {share:4.0%}"))
        elif what != self._what:
            click.echo(escaped(f"{self._name}: {what}"), err=True)
        self._what = what

    def _move(self, line: str) -> None:
        click.echo("\r" + line.ljust(self._width), nl=False, err=True)
        self._width = len(line)
