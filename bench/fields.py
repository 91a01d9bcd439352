"""How often values asked of real documents come back right, and how long each stage takes.

Asks every labelled field of N inv3d photos and N sroie receipts (default 40 of each, chosen by seed and
spread over sheets, bends and lights) in plain English over a unix socket: one PutCapture a document,
then one Ask a field. How a value is taken from the model's text is written down in bench/score.py.

Figures: ask.SET.FIELD.exact, ask.SET.FIELD.anls (names and addresses), stage.NAME.p50_ms, .p95_ms.
Finished documents are kept, for the same code and weights; --restart measures them again.
"""

from __future__ import annotations

import argparse
import hashlib
from collections import Counter
from typing import Any

from bench.arms import mode, stages
from bench.daemon import Daemon
from bench.documents import INV3D_TAGS, KINDS, SETS, SROIE_KEYS, Document, pick
from bench.finished import Finished
from bench.machine import commit
from bench.options import Options
from bench.progress import Progress, say
from bench.report import Figure, mean, ranked, share
from bench.score import score
from bench.session import conclude, session
from bench.wording import FIELDS
from edge_clm.client import Client

DEFAULT_N = 40


def add_options(parser: argparse.ArgumentParser) -> None:
    """This bench has none of its own."""
    parser.epilog = f"--n counts pictures of each set; default {DEFAULT_N}."


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    documents, missing = pick(options.data, options.n or DEFAULT_N, options.seed)
    say("\n".join(missing) or f"{len(documents)} documents")
    with session(options) as (quiet, daemon, client):
        fingerprint = client.info().fingerprint
        results = _ask_all(options, daemon, client, documents, fingerprint)
        note = quiet.note()
    figures = _accuracy(documents, results) | _stage_times(results)
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
    for document in documents:
        data = document.path.read_bytes()
        name = f"{document.dataset}/{document.name}/{hashlib.sha256(data).hexdigest()}"
        result = finished.get(name)
        if result is None:
            result = _ask_one(client, document, data)
            finished.put(name, result)
            progress.step(f"{document.dataset} {document.sheet}")
        else:
            progress.skip(1)
        results.append(result)
    return results


def _ask_one(client: Client, document: Document, data: bytes) -> dict[str, Any]:
    handle = client.put_capture(data).handle
    scores, times, modes = {}, [], []
    for field, label in document.labels.items():
        answer = client.ask(FIELDS[field], handle=handle)
        found = score(KINDS[field], label, answer.text)
        scores[field] = (found.exact, found.anls)
        times.append(stages(answer))
        modes.append(mode(answer))
    return {"scores": scores, "stages": times, "modes": modes}


def _accuracy(documents: list[Document], results: list[dict[str, Any]]) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for dataset in SETS:
        for field in FIELDS:
            sheets: dict[str, list[tuple[bool, float | None]]] = {}
            for document, result in zip(documents, results, strict=True):
                if document.dataset == dataset and field in result["scores"]:
                    sheets.setdefault(document.sheet, []).append(result["scores"][field])
            if sheets:
                figures |= _field(f"ask.{dataset}.{field}", list(sheets.values()))
    return figures


def _field(key: str, sheets: list[list[tuple[bool, float | None]]]) -> dict[str, Figure]:
    figures = {f"{key}.exact": share([[float(exact) for exact, _ in sheet] for sheet in sheets])}
    likeness = [[anls for _, anls in sheet if anls is not None] for sheet in sheets]
    if any(likeness):
        figures[f"{key}.anls"] = mean(likeness, "0…1")
    return figures


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
