"""`python -m bench NAME`: measures the daemon as `measures.md` defines it."""

from __future__ import annotations

import argparse
import importlib
import signal
import sys

from bench.failure import BenchError
from bench.options import add_common, read_common
from bench.progress import say
from edge_clm.client import ClientError

BENCHES = {
    "capture": "whether simulated captures are as hard to read as real photos",
    "dialogues": "memory of many dialogues on a few pages, over a history for each",
    "fields": "how often values asked of real documents come back right, and how long stages take",
    "flaws": "how often pictures spoilt on purpose are called so, and good ones are, by flaw",
    "identity": "whether a page is taken for its near twins, and known again on another photo of it",
    "latency": "warm and replayed answers over cold ones, and cold ones over plain transformers",
    "lived": "near twins sent to a daemon that knows the page: whether one gets the page's answer",
    "load": "many clients on a few pages, half of it asked before: answers per second over reuse off",
    "modes": "every way of serving over cold ones",
    "ocr": "what PaddleOCR and RapidOCR read of real pages, how long they take and how much memory",
    "recall": "how often a photo recalls its page, against vectors alone, hash and pixels",
    "reuse": "new photographs of known pages: how often answered warm, how fast, and what a miss costs",
    "soak": "minutes of mixed, cancelled and hostile calls, then SIGTERM, kill -9 and restart",
    "verified": "answers confirmed from drafts: whether they are those without, and what they cost",
}


def main(arguments: list[str] | None = None) -> int:
    """Runs one bench; 0 when it gave its figures and they hold, 1 when they do not, 2 when it could not."""
    given = _parser().parse_args(arguments)
    module = importlib.import_module(f"bench.{given.bench}")
    try:
        return int(module.run(read_common(given), given))
    except (BenchError, ClientError) as error:
        say(f"{given.bench}: {error}")
        return 2
    except KeyboardInterrupt:
        say(f"{given.bench}: stopped; what was finished is kept where the bench can go on")
        return 130


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m bench", description="Measures a private, real daemon on real documents."
    )
    benches = parser.add_subparsers(dest="bench", metavar="NAME", required=True)
    for name, what in BENCHES.items():
        module = importlib.import_module(f"bench.{name}")
        one = benches.add_parser(name, help=what, description=module.__doc__)
        one.formatter_class = argparse.RawDescriptionHelpFormatter
        add_common(one)
        module.add_options(one)
    return parser


if __name__ == "__main__":
    # A private daemon must not outlive the bench that started it, however that is ended.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    sys.exit(main())
