"""New photographs of known pages: how often they are answered without being read, and what that costs.

One daemon with recall on. Of each paper of inv3d N photos (default 6) are sent one after the other, as
devices would send them: the first is asked for every labelled value and makes the page known, each further
one is asked for one of these values, in turn, and then once more cold (fresh). Between papers N receipts of
sroie that were never seen are asked for one value each: what recall costs where there is nothing to recall.

  rephoto.served           share of further photos whose answer was warm or verified; rephoto.verified
  rephoto.read.WHY         share of them that were read, by the last that was decided about a known page
  rephoto.right, cold.right      both arms against the label, on the same captures; .wrong_warm the share of warm
                           answers that are not the label's
  e2e.rephoto_over_cold    from the call to the whole answer, all further photos, whatever their serve mode;
                           e2e.warm_over_cold those that were served warm
  miss.unique_over_off     the stages that recall adds to a page that was never seen, over all others: the mean
                           1 + added / rest, p50 and p95; miss.asked the share of them that looked like a page
                           that is known, so that they were compared with it
  notice.seen_before, .changed   share of further photos with which it was told that the paper was sent before, and
                           that something on it had changed, which is never so; notice.false the share of unseen
                           receipts with which anything was told
  stage.NAME.p50_ms        of further photos

The cold arm comes last, and finds the picture unpacked. Finished papers are kept, for the same code and
weights; a run that goes on knows no page of those before; --restart measures them again.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.arms import Timed, mode, stages, stream
from bench.documents import KINDS, Document, choose, load
from bench.failure import BenchError
from bench.finished import Finished
from bench.machine import commit
from bench.options import Options
from bench.progress import Progress
from bench.reuse_figures import Asking, Miss, figures_of
from bench.score import score_value
from bench.session import conclude, session
from bench.wording import FIELDS
from edge_clm.cli.enums import short
from edge_clm.client import Client
from edge_clm.v1 import edge_clm_pb2 as pb

DEFAULT_N = 6
IDLE_S = 3.0
"""Seconds after a page was read, in which it is made known: what a daemon does when idle is not timed."""
ASKED = ("number", "date", "total", "subtotal")
"""Values that are asked for, of those that a paper is labelled with."""


@dataclass(frozen=True, slots=True)
class Paper:
    """Photos of one sheet, in the order in which they are sent."""

    photos: tuple[Document, ...]

    @property
    def fields(self) -> tuple[str, ...]:
        """What is asked for."""
        return tuple(field for field in ASKED if field in self.photos[0].labels)


def add_options(parser: argparse.ArgumentParser) -> None:
    """Which embedder recalls, and whether what is not worth it is tried."""
    parser.epilog = f"--n counts photos of a paper, and receipts; default {DEFAULT_N}."
    parser.add_argument("--recall", default="docclip", metavar="NAME", help="default %(default)s")
    parser.add_argument(
        "--always", action="store_true", help="compare even where that has cost more than it saved"
    )


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    count = options.n or DEFAULT_N
    papers = list(_papers(options, count))
    receipts = choose(load(options.data, "sroie"), count * len(papers), options.seed)
    if not papers:
        raise BenchError(f"no paper has two photos under {options.data}; name one with --data")
    askings: list[Asking] = []
    misses: list[Miss] = []
    settings = {"recall.model": given.recall, "recall.always": str(given.always).lower()}
    with session(options, settings) as (quiet, _, client):
        fingerprint = client.info().fingerprint
        finished = Finished("reuse", key=(fingerprint, commit(), count, options.seed, given.always))
        if options.restart:
            finished.forget()
        progress = Progress("reuse", len(papers))
        for at, paper in enumerate(papers):
            name = paper.photos[0].sheet
            result = finished.get(name)
            if result is None:
                result = _one(client, paper, receipts[at * count : (at + 1) * count])
                finished.put(name, result)
                progress.step(name)
            else:
                progress.skip(1)
            askings += [Asking(**one) for one in result["askings"]]
            misses += [Miss(**one) for one in result["misses"]]
        note = quiet.note()
    return conclude(options, "reuse", figures_of(askings, misses), fingerprint, note)


def _papers(options: Options, count: int) -> Iterator[Paper]:
    sheets: dict[str, list[Document]] = defaultdict(list)
    for document in load(options.data, "inv3d"):
        sheets[document.sheet].append(document)
    for photos in sheets.values():
        paper = Paper(tuple(choose(photos, count, options.seed)))
        if len(paper.photos) > 1 and paper.fields:
            yield paper


def _one(client: Client, paper: Paper, receipts: Sequence[Document]) -> dict[str, Any]:
    """Receipts that were never seen, then the photos of a paper."""
    misses = [_miss(client, one) for one in receipts]
    _first(client, paper)
    askings = [_again(client, paper, turn) for turn in range(1, len(paper.photos))]
    return {"askings": [*map(asdict, askings)], "misses": [*map(asdict, misses)]}


def _first(client: Client, paper: Paper) -> None:
    handle = client.put_capture(paper.photos[0].path.read_bytes()).handle
    for field in paper.fields:
        client.ask(FIELDS[field], handle=handle)
    time.sleep(IDLE_S)


def _again(client: Client, paper: Paper, turn: int) -> Asking:
    """One value of a further photo, with and without what is known of the page."""
    photo, field = paper.photos[turn], paper.fields[turn % len(paper.fields)]
    data = photo.path.read_bytes()
    reuse = stream(client, FIELDS[field], image=data)
    reasons = _reasons(client, reuse.answer)
    if mode(reuse.answer) == "cold":
        time.sleep(IDLE_S)
    cold = stream(client, FIELDS[field], image=data, fresh=True)
    return Asking(
        document=photo.sheet,
        mode=mode(reuse.answer),
        reuse_ms=reuse.total_ms,
        cold_ms=cold.total_ms,
        reuse_right=_right(photo, field, reuse),
        cold_right=_right(photo, field, cold),
        stages=stages(reuse.answer),
        notices=_notices(reuse.answer),
        reasons=reasons,
    )


def _miss(client: Client, receipt: Document) -> Miss:
    """A page that was never seen."""
    field = next(field for field in ("total", "date", "seller") if field in receipt.labels)
    answer = client.ask(FIELDS[field], image=receipt.path.read_bytes())
    time.sleep(IDLE_S)
    return Miss(receipt.sheet, mode(answer), stages(answer), _notices(answer))


def _notices(answer: pb.Answer) -> list[str]:
    return [short(notice, "kind", notice.kind) for notice in answer.page.notices]


def _reasons(client: Client, answer: pb.Answer) -> list[str]:
    if not answer.answer_id:
        return []
    return [f"{one.step} {one.outcome}" for one in client.explain(answer.answer_id).reasons]


def _right(photo: Document, field: str, timed: Timed) -> bool:
    return score_value(KINDS[field], photo.labels[field], timed.answer.text).exact
