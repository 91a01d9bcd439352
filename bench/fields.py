"""How often values of documents come back right, and how long each stage takes.

Takes N inv3d photos, N sroie receipts and N adbuy documents of several pages (default 40 of each, chosen
by seed and spread over sheets, bends and lights) over a unix socket: one PutCapture a document, one
Extract of all its pages, then one Ask a field in plain English and one in Chinese; of adbuy, where a
question may go to every page, only every fourth document is asked. Besides, N lab reports, N radiology
reports and N/4 invoices and receipts are generated (test split, photographed by simulation; --no-made
leaves them out). How a value is taken from the model's text is written down in bench/score.py; an
extracted field counts as it is printed on the page.

Figures: extract.SET.FIELD.exact and .anls (names and addresses), extract.confidence.ece,
ask.SET.FIELD.exact and .anls, ask.zh.FIELD.exact, ask.lab.value.exact, ask.lab.flag.exact (low, normal or
high; out of range or not), ask.radiology.impression.anls, ask.radiology.size.exact, ask.absent.said and
ask.present.refused (what is on no invoice, and what a generated page lacks), grounded.share (of the
answers that state a value, those whose evidence was found), grounded.wrong (of those, the wrong ones),
grounded.missed (of the right answers, those called ungrounded), stage.NAME.p50_ms, .p95_ms; and from
bench/pixels.py, on 2N marked pages, pixels.right, .right_blanked, .right_swapped, .chance.
--no-ask extracts alone, from the real documents: then many more of them take as long; --only-made asks
about generated documents alone.
Finished documents are kept, for the same code and weights; --restart measures them again.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from bench.arms import mode, stages
from bench.asked import asked_of
from bench.daemon import Daemon
from bench.documents import ADBUY, INV3D_TAGS, KINDS, SETS, SROIE_KEYS, Asked, Document, pick
from bench.finished import Finished
from bench.machine import commit
from bench.made import make
from bench.options import Options
from bench.pixels import pixels
from bench.progress import Progress, say
from bench.report import Figure, ranked
from bench.rightness import accuracy, calibration, grounding, refusals
from bench.score import score, score_value
from bench.session import conclude, session
from bench.wording import CHINESE, FIELDS
from edge_clm.client import Client
from edge_clm.v1 import edge_clm_pb2 as pb
from edge_clm.weights import user_cache

DEFAULT_N = 40
PIXEL_PAGES = 2
"""Marked pages for each document of a set."""
ASKED_OF_ADBUY = 4
"""Of so many adbuy documents one is asked questions."""
EXTRACTED = {"due": "due_date", "address": "seller_address"}
"""What extractions call a field, where they call it otherwise."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """What is left out."""
    parser.add_argument("--no-made", action="store_true", help="only the documents under --data")
    parser.add_argument(
        "--only-made", action="store_true", help="only generated reports, invoices and receipts"
    )
    parser.add_argument("--no-ask", action="store_true", help="only Extract, and --no-made")
    parser.epilog = f"--n counts pictures of each set; default {DEFAULT_N}."


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    sets, count = (*SETS, ADBUY), options.n or DEFAULT_N
    documents: list[Document] = []
    missing: list[str] = []
    if not given.only_made:
        documents, missing = pick(options.data, count, options.seed, sets)
    made = not (given.no_made or given.no_ask)
    if made:
        documents += _made(options)
    say("\n".join(missing) or f"{len(documents)} documents")
    with session(options) as (quiet, daemon, client):
        fingerprint = client.info().fingerprint
        asks = not given.no_ask
        results = _ask_all(options, daemon, client, documents, fingerprint, asks=asks)
        note = quiet.note()
    figures = {
        **accuracy("extract", documents, [one["extracted"] for one in results]),
        **calibration(results),
        **accuracy("ask", documents, [one["scores"] for one in results]),
        **refusals(results),
        **grounding(results),
        **_stage_times(results),
        **(_pixels(options) if made else {}),
    }
    _say_modes(results)
    if asks:
        _say_unasked(documents)
    return conclude(options, "fields", figures, fingerprint, note)


def _pixels(options: Options) -> dict[str, Figure]:
    reports = options.data / "reports"
    if not reports.is_dir():
        return {}
    return pixels(options, reports, PIXEL_PAGES * (options.n or DEFAULT_N))


def _made(options: Options) -> list[Document]:
    reports = options.data / "reports"
    if not reports.is_dir():
        say(f"{reports} is not there: no radiology reports")
    count = options.n or DEFAULT_N
    few = -(-count // 4)
    sets = {"lab": count, "radiology": count, "made_invoice": few, "made_receipt": few}
    directory = user_cache() / "bench" / "made"
    return [
        document
        for dataset, n in sets.items()
        if dataset != "radiology" or reports.is_dir()
        for document in make(dataset, n, options.seed, reports, directory)
    ]


def _ask_all(
    options: Options,
    daemon: Daemon,
    client: Client,
    documents: list[Document],
    fingerprint: str,
    *,
    asks: bool,
) -> list[dict[str, Any]]:
    asked_as = [*FIELDS.items(), *CHINESE.items()] if asks else []
    finished = Finished("fields", key=(fingerprint, commit(), asked_as))
    if options.restart:
        finished.forget()
    progress = Progress("fields", len(documents))
    results = []
    counts: Counter[str] = Counter()
    for document in documents:
        at = counts[document.dataset]
        counts[document.dataset] += 1
        data = document.path.read_bytes()
        name = f"{document.dataset}/{document.name}/{hashlib.sha256(data).hexdigest()}"
        result = finished.get(name)
        if result is None:
            skipped = not asks or (document.dataset == ADBUY and at % ASKED_OF_ADBUY)
            asked = [] if skipped else asked_of(document, options.seed)
            result = _ask_one(client, document, data, asked)
            finished.put(name, result)
            progress.step(f"{document.dataset} {document.sheet}")
        else:
            progress.skip(1)
        results.append(result)
    return results


def _ask_one(
    client: Client, document: Document, data: bytes, asked: Sequence[Asked]
) -> dict[str, Any]:
    handle = client.put_capture(data).handle
    result: dict[str, Any] = {
        "extracted": [],
        "sure": [],
        "scores": [],
        "refused": [],
        "grounded": [],
        "stages": [],
        "modes": [],
    }
    if document.labels:
        _extract(client, document, handle, result)
    for one in asked:
        answer = client.ask(one.question, handle=handle)
        result["refused"].append((bool(one.label), answer.outcome == pb.OUTCOME_NOT_ON_PAGE))
        result["stages"].append(stages(answer))
        result["modes"].append(mode(answer))
        if one.figure:
            found = score(one.kind, one.label, answer.text)
            result["scores"].append((one.figure, (found.exact, found.anls)))
            result["grounded"].append((answer.grounded, found.exact))
    return result


def _extract(client: Client, document: Document, handle: str, result: dict[str, Any]) -> None:
    response = client.extract(handle=handle)
    result["stages"].append(stages(response))
    read = {field.name: field for field in response.extraction.fields}
    for name, label in document.labels.items():
        field = read.get(EXTRACTED.get(name, name))
        found = score_value(KINDS[name], label, field.raw if field and not field.ambiguous else "")
        figure = f"{document.dataset}.{name}"
        result["extracted"].append((figure, (found.exact, found.anls)))
        if field and not field.ambiguous:
            result["sure"].append((field.confidence, found.exact))


def _stage_times(results: list[dict[str, Any]]) -> dict[str, Figure]:
    """Over all answers that had the stage, whatever their serve mode."""
    names = dict.fromkeys(name for one in results for times in one["stages"] for name in times)
    figures = {}
    for name in names:
        groups = [[times[name] for times in one["stages"] if name in times] for one in results]
        groups = [group for group in groups if group]
        figures[f"stage.{name}.p50_ms"] = ranked(groups, 50, "ms")
        figures[f"stage.{name}.p95_ms"] = ranked(groups, 95, "ms")
    return figures


def _say_modes(results: list[dict[str, Any]]) -> None:
    counted = Counter(name for one in results for name in one["modes"])
    say("served " + ", ".join(f"{name} {times}" for name, times in counted.most_common()))


def _say_unasked(documents: list[Document]) -> None:
    for dataset, fields in (("inv3d", INV3D_TAGS), ("sroie", SROIE_KEYS)):
        mine = [document for document in documents if document.dataset == dataset]
        for field, key in fields.items():
            if mine and not any(field in document.labels for document in mine):
                say(f"{dataset}.{field} was not asked: no document has a value under {key}")
