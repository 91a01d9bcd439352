"""How often values of real documents come back right, and how long each stage takes.

Takes N inv3d photos, N sroie receipts and N adbuy documents of several pages (default 40 of each, chosen
by seed and spread over sheets, bends and lights) over a unix socket: one PutCapture a document, one
Extract of all its pages, then one Ask a field in plain English; of adbuy, where a question may go to every
page, only every fourth document is asked. How a value is taken from the model's text is written down in
bench/score.py; an extracted field counts as it is printed on the page.

Figures: extract.SET.FIELD.exact and .anls (names and addresses), extract.confidence.ece,
ask.SET.FIELD.exact and .anls, grounded.share (of the answers that state a value, those whose evidence was
found), grounded.wrong (of those, the wrong ones), grounded.missed (of the right answers, those called
ungrounded), stage.NAME.p50_ms, .p95_ms.
Finished documents are kept, for the same code and weights; --restart measures them again.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from typing import Any

from bench.arms import mode, stages
from bench.daemon import Daemon
from bench.documents import ADBUY, INV3D_TAGS, KINDS, SETS, SROIE_KEYS, Document, pick
from bench.finished import Finished
from bench.machine import commit
from bench.options import Options
from bench.progress import Progress, say
from bench.report import Figure, ranked
from bench.rightness import accuracy, calibration, grounding
from bench.score import score, score_value
from bench.session import conclude, session
from bench.wording import FIELDS
from edge_clm.client import Client

DEFAULT_N = 40
ASKED_OF_ADBUY = 4
"""Of so many adbuy documents one is asked questions."""
EXTRACTED = {"due": "due_date", "address": "seller_address"}
"""What extractions call a field, where they call it otherwise."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """This bench has none of its own."""
    parser.epilog = f"--n counts pictures of each set; default {DEFAULT_N}."


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    sets = (*SETS, ADBUY)
    documents, missing = pick(options.data, options.n or DEFAULT_N, options.seed, sets)
    say("\n".join(missing) or f"{len(documents)} documents")
    with session(options) as (quiet, daemon, client):
        fingerprint = client.info().fingerprint
        results = _ask_all(options, daemon, client, documents, fingerprint)
        note = quiet.note()
    figures = {
        **accuracy("extract", documents, [one["extracted"] for one in results]),
        **calibration(results),
        **accuracy("ask", documents, [one["scores"] for one in results]),
        **grounding(results),
        **_stage_times(results),
    }
    _say_modes(results)
    _say_unasked(documents)
    return conclude(options, "fields", figures, fingerprint, note)


def _ask_all(
    options: Options,
    daemon: Daemon,
    client: Client,
    documents: list[Document],
    fingerprint: str,
) -> list[dict[str, Any]]:
    finished = Finished("fields", key=(fingerprint, commit(), sorted(FIELDS.items())))
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
            asked = document.dataset != ADBUY or at % ASKED_OF_ADBUY == 0
            result = _ask_one(client, document, data, asked=asked)
            finished.put(name, result)
            progress.step(f"{document.dataset} {document.sheet}")
        else:
            progress.skip(1)
        results.append(result)
    return results


def _ask_one(client: Client, document: Document, data: bytes, *, asked: bool) -> dict[str, Any]:
    handle = client.put_capture(data).handle
    response = client.extract(handle=handle)
    result: dict[str, Any] = {
        "extracted": {},
        "sure": [],
        "scores": {},
        "grounded": [],
        "stages": [stages(response)],
        "modes": [],
    }
    read = {field.name: field for field in response.extraction.fields}
    for name, label in document.labels.items():
        field = read.get(EXTRACTED.get(name, name))
        found = score_value(KINDS[name], label, field.raw if field and not field.ambiguous else "")
        result["extracted"][name] = (found.exact, found.anls)
        if field and not field.ambiguous:
            result["sure"].append((field.confidence, found.exact))
    for name, label in document.labels.items() if asked else ():
        answer = client.ask(FIELDS[name], handle=handle)
        found = score(KINDS[name], label, answer.text)
        result["scores"][name] = (found.exact, found.anls)
        result["grounded"].append((answer.grounded, found.exact))
        result["stages"].append(stages(answer))
        result["modes"].append(mode(answer))
    return result


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
