"""What two OCR engines read of real pages, how long they take and how much memory.

Reads N pages (default 40, inv3d photos and sroie scans in turn, chosen by seed) with PaddleOCR and with
RapidOCR, each behind the daemon's reader in an environment and a process of its own, page by page in
turn; who goes first alternates. One page is read before, unmeasured. Decoding the picture is not timed.

Figures: ocr.ENGINE.words.recall over the words that the sets know of; .words.precision over receipts, of
which every word is labelled; .fields.FIELD, the share of labelled values that stand on a line as printed;
.read.p50_ms, .p95_ms and .cpu_s a page; .rss_mib, the process's peak; ocr.rapid_over_paddle.read.p50.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from bench.documents import Document, pick
from bench.failure import BenchError
from bench.ocr_child import OcrChild
from bench.ocr_score import is_read, labelled_words, words
from bench.ocr_venv import make_venv
from bench.options import Options
from bench.progress import Progress, say
from bench.quiet import Quiet
from bench.report import Figure, Groups, count, mean, ranked, ratio, share
from bench.session import conclude

DEFAULT_N = 40
ENGINES = {"paddle": "onnxruntime", "rapid": "rapidocr"}
"""Name in the figures to value of ocr.engine."""
FIELDS = ("number", "date", "subtotal", "total", "seller")
Results = list[tuple[Document, dict[str, Any]]]


def add_options(parser: argparse.ArgumentParser) -> None:
    """Where each engine lives."""
    parser.epilog = f"--n counts pages of both sets together; default {DEFAULT_N}."
    for name, what in (("paddle", "paddleocr"), ("rapid", "rapidocr")):
        parser.add_argument(
            f"--{name}",
            type=Path,
            metavar="PYTHON",
            help=f"interpreter of an environment with {what} and without the other engine",
        )
    parser.add_argument(
        "--make",
        action="store_true",
        help="make the environments that are not given, in the user's cache, with pip",
    )


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    pages = options.n or DEFAULT_N
    documents, missing = pick(options.data, (pages + 1) // 2, options.seed)
    documents = documents[:pages]
    say("\n".join(missing) or f"{len(documents)} pages")
    pythons = {name: _python(name, given) for name in ENGINES}
    quiet = Quiet(options.wait_s, any_load=options.any_load)
    quiet.wait()
    with ExitStack() as stack:
        children = {
            name: stack.enter_context(OcrChild(pythons[name], engine, options.models))
            for name, engine in ENGINES.items()
        }
        results = _read_all(children, documents)
        note = quiet.note()
    fingerprint = " ".join(f"{name}:{child.fingerprint}" for name, child in children.items())
    return conclude(options, "ocr", figures_of(results), fingerprint, note)


def _python(name: str, given: argparse.Namespace) -> Path:
    chosen: Path | None = getattr(given, name)
    if chosen:
        # Not resolved: what an interpreter is called by tells it which environment it is of.
        return chosen.expanduser().absolute()
    if given.make:
        return make_venv(name)
    raise BenchError(f"name an interpreter with --{name}, or have environments made with --make")


def _read_all(children: dict[str, OcrChild], documents: list[Document]) -> dict[str, Results]:
    for name, child in children.items():
        say(f"{name} reads with {child.threads} threads")
        child.read(documents[0].path)
    progress = Progress("ocr", len(documents))
    results: dict[str, Results] = {name: [] for name in children}
    for at, document in enumerate(documents):
        for name in list(children)[:: -1 if at % 2 else 1]:
            results[name].append((document, children[name].read(document.path)))
        progress.step(f"{document.dataset} {document.sheet}")
    return results


def figures_of(results: dict[str, Results]) -> dict[str, Figure]:
    """The figures of every engine, then what one takes over the other."""
    figures: dict[str, Figure] = {}
    for name, mine in results.items():
        figures |= _words(f"ocr.{name}.words", mine) | _fields(f"ocr.{name}.fields", mine)
        figures |= _cost(f"ocr.{name}", mine)
    times = {name: _by_sheet(mine, lambda _, page: [page["ms"]]) for name, mine in results.items()}
    figures["ocr.rapid_over_paddle.read.p50"] = ratio(times["rapid"], times["paddle"], 50)
    return figures


def _words(key: str, results: Results) -> dict[str, Figure]:
    receipts = [(document, page) for document, page in results if document.dataset == "sroie"]
    figures = {f"{key}.recall": share(_by_sheet(results, _recalled))}
    if receipts:
        figures[f"{key}.precision"] = share(_by_sheet(receipts, _right))
    return figures


def _fields(key: str, results: Results) -> dict[str, Figure]:
    figures = {}
    for field in FIELDS:
        labelled = [(document, page) for document, page in results if field in document.labels]
        if labelled:
            figures[f"{key}.{field}"] = share(_by_sheet(labelled, _reading_of(field)))
    return figures


def _reading_of(field: str) -> Callable[[Document, dict[str, Any]], list[float]]:
    def read(document: Document, page: dict[str, Any]) -> list[float]:
        return [float(is_read(field, document.labels[field], page["lines"]))]

    return read


def _cost(key: str, results: Results) -> dict[str, Figure]:
    times = _by_sheet(results, lambda _, page: [page["ms"]])
    return {
        f"{key}.read.p50_ms": ranked(times, 50, "ms"),
        f"{key}.read.p95_ms": ranked(times, 95, "ms"),
        f"{key}.read.cpu_s": mean(_by_sheet(results, lambda _, page: [page["cpu_s"]]), "s"),
        f"{key}.rss_mib": count(max(page["rss_mib"] for _, page in results), len(results), "MiB"),
    }


def _recalled(document: Document, page: dict[str, Any]) -> list[float]:
    return _shared(labelled_words(document), words(page["lines"]))


def _right(document: Document, page: dict[str, Any]) -> list[float]:
    return _shared(words(page["lines"]), labelled_words(document))


def _shared(these: Counter[str], those: Counter[str]) -> list[float]:
    """For each of these words, 1 where it is among those as well, else 0."""
    both = (these & those).total()
    return [1.0] * both + [0.0] * (these.total() - both)


def _by_sheet(
    results: Results, values: Callable[[Document, dict[str, Any]], list[float]]
) -> Groups:
    sheets: dict[tuple[str, str], list[float]] = {}
    for document, page in results:
        sheets.setdefault((document.dataset, document.sheet), []).extend(values(document, page))
    return list(sheets.values())
