"""What many dialogues on a few pages hold in memory, over a history for each and over the pages alone.

N pages (default 5, inv3d and sroie in turn), and as many dialogues on each as make 20. The daemon reads a page
that counts for nothing; then 20 clients at once ask, each five questions about its page. The other arms are one
process with the same model, which has read the same: it makes a page state for each page, as a prefix that all
dialogues share would be, then one for each dialogue, as a history of its own begins with. The questions and
answers of a history are left out, which flatters those arms.

  load.20.memory_over_history   the most that the daemon's processes held more than before, over that of histories
  load.20.memory_over_shared    the same over the pages alone
  dialogues.mib, .history.mib, .shared.mib   each by itself

Memory is what is in no file: weights are mapped, and come and go.
"""

from __future__ import annotations

import argparse
import multiprocessing
import threading
from collections.abc import Sequence
from pathlib import Path

import psutil

from bench.daemon import Daemon
from bench.documents import pick
from bench.failure import BenchError
from bench.options import Options
from bench.progress import say
from bench.report import Figure, count
from bench.session import conclude, session
from bench.watch import HoldingWatch, held, holding
from bench.wording import NEW
from edge_clm.client import ClientError
from edge_clm.config import Config
from edge_clm.media.decode import decode
from edge_clm.model.vlm import QwenModel
from edge_clm.page.geometry import turned
from edge_clm.page.reader import open_reader
from edge_clm.types import Sampling

DEFAULT_N = 5
DIALOGUES = 20
TURNS = 5
_EVERY_S = 0.05
_ROOM = 64 << 30
"""Bytes of page states: none is to make room for another."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Says what is counted."""
    parser.epilog = f"--n counts documents in all; default {DEFAULT_N}."


def run(options: Options, _: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    wanted = options.n or DEFAULT_N
    documents, missing = pick(options.data, wanted + 1, options.seed)
    say("\n".join(missing) or f"{wanted} documents")
    first, *files = [one.path.read_bytes() for one in documents[: wanted + 1]]
    if not files:
        raise BenchError(f"there is nothing to ask about under {options.data}")
    with session(options) as (quiet, daemon, client):
        client.ask(NEW[0], image=first)
        before = held(daemon).own_mib
        with HoldingWatch(daemon, _EVERY_S) as watch:
            _converse(daemon, files)
        most = max(one.own_mib for one in watch.samples) - before
        fingerprint, note = client.info().fingerprint, quiet.note()
    shared, histories = _apart(options, first, files)
    figures = figures_of(most, histories, shared)
    return conclude(options, "dialogues", figures, fingerprint, note)


def figures_of(most: float, histories: float, shared: float) -> dict[str, Figure]:
    """All figures; MiB each."""
    return {
        "load.20.memory_over_history": count(most / histories, DIALOGUES, "ratio"),
        "load.20.memory_over_shared": count(most / shared, DIALOGUES, "ratio"),
        "dialogues.mib": count(most, DIALOGUES, "MiB"),
        "dialogues.history.mib": count(histories, DIALOGUES, "MiB"),
        "dialogues.shared.mib": count(shared, DIALOGUES, "MiB"),
    }


def _converse(daemon: Daemon, files: Sequence[bytes]) -> None:
    """Twenty clients, each with its page; raises BenchError where a call fails."""
    failures: list[ClientError] = []

    def talk(at: int) -> None:
        with daemon.client() as client:
            try:
                handle = client.put_capture(files[at % len(files)]).handle
                for turn in range(TURNS):
                    client.ask(NEW[(at + turn) % len(NEW)], handle=handle)
            except ClientError as error:
                failures.append(error)

    threads = [threading.Thread(target=talk, args=(at,)) for at in range(DIALOGUES)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise BenchError(f"a dialogue failed: {failures[0]}")


def _apart(options: Options, first: bytes, files: Sequence[bytes]) -> tuple[float, float]:
    """MiB of the pages' states, and of as many as there are dialogues."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:
        return pool.apply(_histories, (options.models, options.model, first, list(files)))


def _histories(models: Path, model: str, first: bytes, files: list[bytes]) -> tuple[float, float]:
    config = Config.model_validate(
        {"model": {"name": model, "models": str(models), "state_bytes": _ROOM}}
    )
    vlm, reader = QwenModel.load(config.model), open_reader(config.ocr, models)
    read = []
    for data in (first, *files):
        pixels = decode(data, 1, config.limits).pixels
        text = reader.read(pixels)
        read.append((turned(pixels, text.turn), text))
    vlm.prefill("first", *read[0], _never)
    for _ in vlm.generate("first", NEW[0], Sampling(32), _never):
        pass
    pages, process = read[1:], psutil.Process()
    taken = [holding(process).own_mib]
    for at in range(DIALOGUES):
        vlm.prefill(f"page {at}", *pages[at % len(pages)], _never)
        taken.append(holding(process).own_mib)
    return taken[len(pages)] - taken[0], taken[-1] - taken[0]


def _never() -> bool:
    return False
