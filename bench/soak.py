"""Minutes of mixed calls from several clients, then the ends: SIGTERM in a stream, kill -9, restart.

For --minutes (default 5), --clients (default 8) make every call of the contract: they ask new and known
questions by handle and by bytes, stream, cancel, close connections, die (a process killed mid-answer),
describe, extract, upload, give feedback, watch health and send what must be refused. Half of them come
over the unix socket, half over TCP with a token. Every 10 s one of them brings a page that nobody has
seen; every 20 s the tokens change and the daemon is told by SIGHUP. Health is asked for every 100 ms and
watched throughout; memory, descriptors and threads of daemon and engine are sampled every 5 s. Then:

  every call has ended, in an answer, in a refusal with the right reason, or because its caller left;
  nothing is stuck, the queue is empty and a fresh question is answered; SIGTERM during a stream lets the
  stream end and exits with 0; after a restart, and after kill -9 and a restart, what was stored is
  answered as a replay.

Trends leave out the warm-up: 15 minutes, or a quarter of a shorter run. From half an hour of what is
left on they are judged: memory may grow by 1 % an hour, descriptors and threads by less than one in all.

Exits with 1 when any of this does not hold. --n counts the documents that all clients know (default 10).
"""

from __future__ import annotations

import argparse
import csv
import random
import socket
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.daemon import Daemon
from bench.failure import BenchError
from bench.hostile import hostile_calls
from bench.options import Options
from bench.progress import Progress, duration, say
from bench.report import Figure, count
from bench.session import conclude, session
from bench.soak_actions import TIMEOUT_S, Actions, Ground
from bench.soak_client import Ended, SoakClient
from bench.soak_ends import ends
from bench.soak_figures import calls, health, holdings, holds, trends
from bench.soak_health import HealthStream
from bench.soak_ledger import Ledger
from bench.soak_pages import NewPages, Sheet, files
from bench.soak_rpc import Caller
from bench.soak_tokens import Reloads, TokensFile
from bench.watch import HealthWatch, Held, HoldingWatch, held, metric, until
from edge_clm.client import Client

DEFAULT_N = 10
SAMPLE_EVERY_S = 5.0
_TOO_MANY_WRONG = 1000
"""From here on more of the same teaches nothing."""


@dataclass(frozen=True, slots=True)
class Ways:
    """How the daemon is reached."""

    metrics: str
    tcp: str
    tokens: TokensFile


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds how long and by how many."""
    parser.add_argument("--minutes", type=float, default=5.0, help="default %(default)s")
    parser.add_argument("--clients", type=int, default=8, help="default %(default)s")
    parser.add_argument(
        "--samples", type=Path, metavar="FILE", help="also write what was sampled here, as CSV"
    )


def run(options: Options, given: argparse.Namespace) -> int:
    """Runs the soak; 0 when everything held."""
    known, originals = files(options, options.n or DEFAULT_N)
    say(f"{len(known)} documents known to all, new pages from {len(originals)}")
    with tempfile.TemporaryDirectory(prefix="edge-clm-") as home:
        tokens = TokensFile(Path(home) / "tokens")
        ways = Ways(f"127.0.0.1:{_free_port()}", f"127.0.0.1:{_free_port()}", tokens)
        settings = {
            "server.metrics": ways.metrics,
            "server.tcp": ways.tcp,
            "server.tokens": str(tokens.path),
        }
        with session(options, settings) as (quiet, daemon, client):
            fingerprint = client.info().fingerprint
            ground = _ground(client, known, NewPages(originals))
            figures = _soak(options, given, daemon, ground, ways)
            figures |= ends(daemon, ground.sheets)
            note = quiet.note()
    conclude(options, "soak", figures, fingerprint, note)
    broken = [key for key, figure in figures.items() if figure.unit == "holds" and not figure.value]
    say("everything held" if not broken else f"does not hold: {', '.join(broken)}")
    return 1 if broken else 0


def _ground(client: Client, known: Sequence[Path], new: NewPages) -> Ground:
    read = [path.read_bytes() for path in known]
    sheets = [Sheet(data, client.put_capture(data).handle) for data in read]
    photo = next((one for one in sheets if one.data.startswith(b"\xff\xd8")), None)
    if photo is None:
        raise BenchError("none of the documents is a JPEG, which the bad calls are made of")
    bad = hostile_calls(photo.data, photo.handle)
    return Ground(sheets, new, bad, Ledger(), threading.Event())


def _soak(
    options: Options, given: argparse.Namespace, daemon: Daemon, ground: Ground, ways: Ways
) -> dict[str, Figure]:
    clients = _clients(options, given, daemon, ground, ways)
    _rehearse(clients[0])
    before, started, seconds = held(daemon), time.monotonic(), given.minutes * 60
    with (
        Caller(daemon.address, ground.ledger) as other,
        HealthWatch(other) as watch,
        HealthStream(daemon.address, ground.ledger, 2 * seconds + TIMEOUT_S) as stream,
        HoldingWatch(daemon, SAMPLE_EVERY_S) as holding,
        Reloads(daemon, ways.tcp, ways.tokens) as reloads,
    ):
        stuck = _work(seconds, clients, ground)
    empty = until(lambda: metric(ways.metrics, "edge_clm_queue_depth") == 0, TIMEOUT_S)
    with daemon.client() as client:
        fresh = client.ask("What is the total?", handle=ground.sheets[0].handle, fresh=True)
    ended = [one for each in clients for one in each.ended]
    _say_outcomes(ended, ground.ledger)
    _write_samples(given.samples, holding.samples, started)
    return {
        **calls(ground.ledger, ended, stuck),
        "soak.pages.new": count(ground.new.made, ground.new.made),
        "soak.reloads": count(reloads.done, reloads.done),
        "soak.reloads.right": holds(not reloads.wrong, reloads.done, ", ".join(reloads.wrong[:5])),
        "soak.queue_empty": holds(empty),
        "soak.fresh_answered": holds(bool(fresh.text)),
        **health(watch, stream),
        **holdings(before, holding.samples, held(daemon)),
        **trends(holding.samples, started, seconds),
    }


def _clients(
    options: Options, given: argparse.Namespace, daemon: Daemon, ground: Ground, ways: Ways
) -> list[SoakClient]:
    found = []
    for at in range(given.clients):
        draw = random.Random(f"{options.seed}/{at}")
        address, token = (ways.tcp, ways.tokens.lasting) if at % 2 else (daemon.address, None)
        found.append(SoakClient(Actions(address, token, ground, draw)))
    return found


def _rehearse(client: SoakClient) -> None:
    """Every action once, so that a call which the soak has forgotten shows before the hour is spent."""
    say("rehearsing")
    client.once()
    if forgotten := client.actions.ground.ledger.forgotten():
        wrong = [f"{one.action}: {one.outcome}" for one in client.ended if not one.expected]
        said = ", ".join(forgotten)
        raise BenchError(f"the soak brought no call of {said} to its end; {'; '.join(wrong)}")


def _work(seconds: float, clients: Sequence[SoakClient], ground: Ground) -> int:
    """Has the clients work; returns how many never came back from a call."""
    threads = [threading.Thread(target=one.run, daemon=True) for one in clients]
    for thread in threads:
        thread.start()
    _watch_clock(seconds, clients)
    ground.stop.set()
    say("stopping: every client ends the call it is in")
    give_up = time.monotonic() + TIMEOUT_S * 1.2
    for thread in threads:
        thread.join(max(0.0, give_up - time.monotonic()))
    late = sum(one.seconds >= TIMEOUT_S for each in clients for one in each.ended)
    return late + sum(thread.is_alive() for thread in threads)


def _watch_clock(seconds: float, clients: Sequence[SoakClient]) -> None:
    say(f"{len(clients)} clients for {duration(seconds)}")
    progress, until_then = Progress("seconds", max(1, round(seconds))), time.monotonic() + seconds
    while (left := until_then - time.monotonic()) > 0:
        time.sleep(min(1.0, left))
        done = sum(len(each.ended) for each in clients)
        wrong = sum(not one.expected for each in clients for one in list(each.ended))
        progress.step(f"{done} actions, {wrong} that ended wrong")
        if wrong > _TOO_MANY_WRONG:
            say("given up: too many ended wrong")
            return


def _write_samples(path: Path | None, samples: Sequence[Held], started: float) -> None:
    if path is None:
        return
    with path.open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        names = ("rss_mib", "own_mib", "descriptors", "threads")
        both = [f"{who}_{name}" for who in ("daemon", "engine") for name in names]
        rows.writerow(["seconds", *both, "others"])
        for one in samples:
            held_by = [getattr(who, name) for who in (one.daemon, one.engine) for name in names]
            rows.writerow([round(one.at - started, 1), *held_by, one.others])


def _say_outcomes(ended: Sequence[Ended], ledger: Ledger) -> None:
    counted = Counter(
        (one.action, one.outcome if one.expected else f"WRONG {one.outcome}") for one in ended
    )
    for (action, outcome), times in sorted(counted.items()):
        say(f"  {action:<12} {outcome:<24} {times}")
    for method, end, times in ledger.rows():
        say(f"  {method:<40} {end:<12} {times}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port
