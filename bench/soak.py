"""Minutes of mixed calls from several clients, then the ends: SIGTERM in a stream, kill -9, restart.

For --minutes (default 5), --clients (default 8) ask new and known questions by handle and by bytes,
stream, cancel, close connections, die (a process killed mid-answer), describe, upload, give feedback
and send what must be refused. Health is asked for every 100 ms throughout. Then:

  nothing is stuck, every call ended in an answer or in an error it may end in, the queue is empty and a
  fresh question is answered; SIGTERM during a stream lets the stream end and exits with 0; after a
  restart, and after kill -9 and a restart, what was stored is answered as a replay.

Exits with 1 when any of this does not hold. --n counts the documents that are asked about (default 10).
"""

from __future__ import annotations

import argparse
import random
import socket
import threading
import time
from collections import Counter
from collections.abc import Sequence

from bench.bounds import percentile
from bench.daemon import Daemon
from bench.documents import Document, pick
from bench.hostile import hostile_calls
from bench.options import Options
from bench.progress import Progress, duration, say
from bench.report import Figure, count, ranked
from bench.session import conclude, session
from bench.soak_client import TIMEOUT_S, Ended, Sheet, SoakClient
from bench.soak_ends import ends
from bench.watch import HealthWatch, Held, HoldingWatch, held, metric, until
from edge_clm.client import Client

DEFAULT_N = 10
DESCRIPTORS_MORE = 32
"""File descriptors that the daemon may hold more of after the soak than before."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds how long and by how many."""
    parser.add_argument("--minutes", type=float, default=5.0, help="default %(default)s")
    parser.add_argument("--clients", type=int, default=8, help="default %(default)s")


def run(options: Options, given: argparse.Namespace) -> int:
    """Runs the soak; 0 when everything held."""
    documents, missing = pick(options.data, options.n or DEFAULT_N, options.seed)
    documents = documents[: options.n or DEFAULT_N]
    say("\n".join(missing) or f"{len(documents)} documents")
    metrics = f"127.0.0.1:{_free_port()}"
    with session(options, {"server.metrics": metrics}) as (quiet, daemon, client):
        fingerprint = client.info().fingerprint
        sheets = _upload(client, documents)
        figures = _soak(options, given, daemon, client, sheets, metrics)
        figures |= ends(daemon, sheets)
        note = quiet.note()
    conclude(options, "soak", figures, fingerprint, note)
    broken = [key for key, figure in figures.items() if figure.unit == "holds" and not figure.value]
    say("everything held" if not broken else f"does not hold: {', '.join(broken)}")
    return 1 if broken else 0


def _upload(client: Client, documents: Sequence[Document]) -> list[Sheet]:
    files = [document.path.read_bytes() for document in documents]
    return [Sheet(data, client.put_capture(data).handle) for data in files]


def _soak(
    options: Options,
    given: argparse.Namespace,
    daemon: Daemon,
    client: Client,
    sheets: list[Sheet],
    metrics: str,
) -> dict[str, Figure]:
    before = held(daemon)
    with daemon.client() as other, HealthWatch(other) as health, HoldingWatch(daemon) as holding:
        clients, stuck = _work(options, given, daemon, sheets)
        empty = until(lambda: metric(metrics, "edge_clm_queue_depth") == 0, TIMEOUT_S)
        fresh = client.ask("What is the total?", handle=sheets[0].handle, fresh=True)
    ended = [one for each in clients for one in each.ended]
    _say_outcomes(ended)
    after = held(daemon)
    return {
        **_calls(clients, ended, stuck),
        "soak.queue_empty": _holds(empty),
        "soak.fresh_answered": _holds(bool(fresh.text)),
        **_health(health),
        **_holdings(before, holding.samples, after),
    }


def _work(
    options: Options, given: argparse.Namespace, daemon: Daemon, sheets: list[Sheet]
) -> tuple[list[SoakClient], int]:
    """The clients after their work, and how many never came back from a call."""
    stop, bad = threading.Event(), hostile_calls(sheets[0].data, sheets[0].handle)
    clients = [
        SoakClient(daemon.address, sheets, bad, random.Random(f"{options.seed}/{at}"), stop)
        for at in range(given.clients)
    ]
    threads = [threading.Thread(target=one.run, daemon=True) for one in clients]
    for thread in threads:
        thread.start()
    _watch_clock(given.minutes * 60, clients)
    stop.set()
    say("stopping: every client ends the call it is in")
    give_up = time.monotonic() + TIMEOUT_S * 1.2
    for thread in threads:
        thread.join(max(0.0, give_up - time.monotonic()))
    return clients, sum(thread.is_alive() for thread in threads)


def _watch_clock(seconds: float, clients: list[SoakClient]) -> None:
    say(f"{len(clients)} clients for {duration(seconds)}")
    whole = max(1, round(seconds))
    progress, until_then = Progress("seconds", whole), time.monotonic() + seconds
    while (left := until_then - time.monotonic()) > 0:
        time.sleep(min(1.0, left))
        ended = [one for each in clients for one in list(each.ended)]
        wrong = sum(not one.expected for one in ended)
        progress.step(f"{len(ended)} calls, {wrong} that ended wrong")


def _calls(clients: list[SoakClient], ended: list[Ended], stuck: int) -> dict[str, Figure]:
    n = sum(one.begun for one in clients)
    wrong = Counter(f"{one.action}: {one.outcome}" for one in ended if not one.expected)
    told = ", ".join(f"{name} ×{times}" for name, times in wrong.most_common(5))
    late = sum(one.seconds >= TIMEOUT_S for one in ended)
    return {
        "soak.calls": count(n, n),
        "soak.ok": count(sum(one.outcome == "ok" for one in ended), n),
        "soak.busy": count(sum(one.expected and one.outcome != "ok" for one in ended), n),
        "soak.wrong": count(sum(wrong.values()), n, note=told),
        "soak.stuck": count(stuck + late, n),
        "soak.none_wrong": _holds(not wrong),
        "soak.none_stuck": _holds(not stuck and not late),
    }


def _health(health: HealthWatch) -> dict[str, Figure]:
    n = len(health.times_ms)
    told = ", ".join(f"{name} ×{times}" for name, times in Counter(health.wrong).items())
    return {
        "soak.health.checks": count(n, n),
        "soak.health.always_serving": _holds(not health.wrong, n, told),
        "soak.health.p95_ms": ranked([[ms] for ms in health.times_ms], 95, "ms"),
        "soak.health.max_ms": count(percentile(health.times_ms, 100), n, "ms"),
    }


def _holdings(before: Held, samples: list[Held], after: Held) -> dict[str, Figure]:
    n = len(samples)
    more = after.descriptors - before.descriptors
    return {
        "soak.rss.before": count(before.rss_mib, 1, "MiB"),
        "soak.rss.peak": count(max(one.rss_mib for one in samples), n, "MiB"),
        "soak.rss.after": count(after.rss_mib, 1, "MiB"),
        "soak.descriptors.before": count(before.descriptors, 1),
        "soak.descriptors.after": count(after.descriptors, 1),
        "soak.descriptors.bounded": _holds(more <= DESCRIPTORS_MORE),
        "soak.threads.before": count(before.threads, 1),
        "soak.threads.peak": count(max(one.threads for one in samples), n),
        "soak.threads.after": count(after.threads, 1),
    }


def _holds(found: bool, n: int = 1, note: str = "") -> Figure:
    return count(float(found), n, "holds", note)


def _say_outcomes(ended: list[Ended]) -> None:
    counted = Counter(
        (one.action, one.outcome if one.expected else f"WRONG {one.outcome}") for one in ended
    )
    for (action, outcome), times in sorted(counted.items()):
        say(f"  {action:<12} {outcome:<24} {times}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
