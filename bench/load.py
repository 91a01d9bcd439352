"""Many clients at once on a few pages, half of what they ask asked before: requests per second and waits.

Each of N documents (default 5, inv3d and sroie in turn) is read once and asked four questions. Then 1, 5 and 20
clients ask, each its next question as soon as the last is answered: half of --requests (default 300) again one
of the four, half a new question about a known page. The other arm sends the same requests, --off of them
(default 40), to the same daemon with reuse off: fresh, and nothing stored. The arms take turns.

  load.N.rps_over_off    answers per second of N clients over those with reuse off
  load.N.p50_over_off    a request's time, from the call to the whole answer, over that with reuse off; .p99_over_off
  load.N.MODE            share of the answers that came about so, of the arm with reuse
"""

from __future__ import annotations

import argparse
import queue
import random
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from bench.arms import mode
from bench.daemon import Daemon
from bench.documents import pick
from bench.failure import BenchError
from bench.options import Options
from bench.progress import say
from bench.report import Figure, count, ranked, ratio
from bench.session import conclude, session
from bench.wording import NEW
from edge_clm.client import ClientError

DEFAULT_N = 5
LEVELS = (1, 5, 20)
KNOWN = NEW[:4]
_ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
    "thirteenth",
    "fourteenth",
    "fifteenth",
    "sixteenth",
    "seventeenth",
    "eighteenth",
    "nineteenth",
    "twentieth",
    "last",
]
_ASPECTS = ("name", "price", "quantity", "code", "total", "tax rate", "unit price", "discount")
_RANKS = (50, 99)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question about one of the pages, by handle."""

    handle: str
    question: str


@dataclass(frozen=True, slots=True)
class Served:
    """What became of the requests of one arm at one level."""

    times_ms: tuple[tuple[float, ...], ...]
    """By page."""
    seconds: float
    """From the first call to the last answer."""
    modes: Counter[str]

    @property
    def count(self) -> int:
        """Answers."""
        return sum(map(len, self.times_ms))

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.count / self.seconds


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds how many requests each arm sends."""
    parser.epilog = f"--n counts documents in all; default {DEFAULT_N}."
    parser.add_argument("--requests", type=int, default=300, help="a level; default %(default)s")
    parser.add_argument(
        "--off", type=int, default=40, metavar="N", help="with reuse off; default %(default)s"
    )


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    wanted = options.n or DEFAULT_N
    documents, missing = pick(options.data, wanted, options.seed)
    say("\n".join(missing) or f"{wanted} documents")
    figures: dict[str, Figure] = {}
    with session(options) as (quiet, daemon, client):
        handles = []
        for document in documents[:wanted]:
            handles.append(client.put_capture(document.path.read_bytes()).handle)
            for question in KNOWN:
                client.ask(question, handle=handles[-1])
        fingerprint = client.info().fingerprint
        requests = _requests(handles, given.requests * len(LEVELS), options.seed)
        for at, level in enumerate(LEVELS):
            mine = requests[at * given.requests :][: given.requests]
            on = _serve(daemon, mine, handles, level, fresh=False)
            off = _serve(daemon, mine[: given.off], handles, level, fresh=True)
            figures |= figures_of(level, on, off)
            say(f"{level} clients: {on.rate:.2f} a second, {off.rate:.2f} with reuse off")
        note = quiet.note()
    return conclude(options, "load", figures, fingerprint, note)


def _requests(handles: Sequence[str], wanted: int, seed: int) -> list[Wanted]:
    """Half of them asked before, half not, in an order of their own; no new one twice."""
    rng = random.Random(seed)
    new = [
        Wanted(handle, f"What is the {aspect} of the {ordinal} item?")
        for handle in handles
        for aspect in _ASPECTS
        for ordinal in _ORDINALS
    ]
    rng.shuffle(new)
    half = wanted // 2
    if half > len(new):
        raise BenchError(f"at most {2 * len(new)} requests of {len(handles)} documents")
    again = [Wanted(rng.choice(handles), rng.choice(KNOWN)) for _ in range(wanted - half)]
    return [one for pair in zip(again, new[:half], strict=False) for one in pair]


def _serve(
    daemon: Daemon, wanted: Sequence[Wanted], handles: Sequence[str], clients: int, *, fresh: bool
) -> Served:
    """Has so many clients send the requests, each its next one when the last is answered."""
    waiting: queue.SimpleQueue[Wanted] = queue.SimpleQueue()
    for one in wanted:
        waiting.put(one)
    answered: list[tuple[str, float, str]] = []
    failures: list[ClientError] = []

    def work() -> None:
        with daemon.client() as client:
            while not failures:
                try:
                    one = waiting.get_nowait()
                except queue.Empty:
                    return
                started = time.perf_counter()
                try:
                    answer = client.ask(
                        one.question, handle=one.handle, fresh=fresh, no_store=fresh
                    )
                except ClientError as error:
                    failures.append(error)
                    return
                ms = 1000 * (time.perf_counter() - started)
                answered.append((one.handle, ms, mode(answer)))

    threads = [threading.Thread(target=work) for _ in range(clients)]
    started = time.monotonic()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - started
    if failures:
        raise BenchError(f"a request of {clients} clients failed: {failures[0]}")
    times = [tuple(ms for handle, ms, _ in answered if handle == one) for one in handles]
    return Served(tuple(filter(None, times)), seconds, Counter(how for _, _, how in answered))


def figures_of(level: int, on: Served, off: Served) -> dict[str, Figure]:
    """The figures of one level."""
    key = f"load.{level}"
    rates = f"{on.rate:.2f} over {off.rate:.2f} a second; n {on.count} over {off.count}"
    figures = {f"{key}.rps_over_off": count(on.rate / off.rate, off.count, "ratio", rates)}
    for rank in _RANKS:
        figures[f"{key}.p{rank}_over_off"] = ratio(on.times_ms, off.times_ms, rank)
        figures[f"{key}.p{rank}_ms"] = ranked(on.times_ms, rank, "ms")
        figures[f"{key}.off.p{rank}_ms"] = ranked(off.times_ms, rank, "ms")
    for how, many in sorted(on.modes.items()):
        figures[f"{key}.{how}"] = count(many / on.count, on.count, "share")
    return figures
