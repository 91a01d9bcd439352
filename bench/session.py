"""What frames every measurement: an idle machine, a private daemon, a client; then the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from bench import machine
from bench.daemon import Daemon
from bench.options import Options
from bench.progress import say
from bench.quiet import Quiet
from bench.report import Figure, Report
from edge_clm.client import Client


@contextmanager
def session(
    options: Options, settings: Mapping[str, str] | None = None
) -> Iterator[tuple[Quiet, Daemon, Client]]:
    """Waits for quiet, starts a daemon, connects."""
    quiet = Quiet(options.wait_s, any_load=options.any_load)
    quiet.wait()
    with Daemon(options.models, options.model, settings) as daemon, daemon.client() as client:
        say(f"threads: {threads(daemon)}")
        yield quiet, daemon, client


def threads(daemon: Daemon) -> str:
    """How many threads the daemon's processes run, and over how many cores."""
    counts = " + ".join(str(process.num_threads()) for process in daemon.family())
    return f"{counts} in the daemon's processes, settings at their defaults (one for every core)"


def conclude(
    options: Options, bench: str, figures: dict[str, Figure], fingerprint: str, note: str
) -> int:
    """Prints the table and writes the JSON; returns 0."""
    report = Report(bench, figures, machine.describe(), fingerprint, machine.commit(), note)
    print(report.table(), flush=True)
    if options.json:
        report.write(options.json)
        say(f"written to {options.json}")
    return 0
