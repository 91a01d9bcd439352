"""Near twins lived through: sent to a daemon that knows the page by another capture, and asked over its socket.

Of each set (photos of inv3d, receipts of sroie, generated invoices, receipts and lab reports) N pages (default 10).
The daemon is sent the anchor and asked the values that twins will be asked, then the control (the same page,
photographed again), then --twins twins of that photograph, each asked for the value that its edit changed: a
field of the document, or what a line says of the item or the analyte that is named. Recall is on and compares
always; that the true page is among the likely ones is up to it.

  lived.wrong         answers of the known page that were given for a twin, and lived.SORT.wrong; of a line's value
                      only where what was given is what was printed before: the model may have read another
  lived.live          share of twins whose control was answered from the known page for that field: the others
                      could not have gone wrong. lived.recalled: share of twins that were compared with a page
  lived.control       share of controls that were answered from the known page
  miss.lookalike_over_off.p50, .p95   all stages of a twin's answer over those that it would have had without recall

Finished pages are kept, for the same code and weights; --restart tries them again.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from itertools import islice

from PIL import Image

from bench.arms import mode, stages
from bench.failure import BenchError
from bench.finished import Finished
from bench.machine import commit
from bench.options import Options
from bench.progress import Progress, say
from bench.report import Figure, count, ranked, share
from bench.reuse_figures import SERVED, Miss
from bench.session import conclude, session
from bench.twins.edits import Twin
from bench.twins.known import Known, Rig, known, open_rig
from bench.twins.labels import Asked, sort_of
from bench.twins.making import ELSEWHERE, twins_of
from bench.twins.sets import generated, photos, scans
from bench.twins.sources import Opened, Source
from bench.twins.strips import strips_of
from bench.twins.visible import visible
from bench.wording import FIELDS
from edge_clm.client import Client
from edge_clm.train.pages.draw import chance
from edge_clm.types import Pixels
from edge_clm.v1 import edge_clm_pb2 as pb

DEFAULT_N = 10
IDLE_S = 2.5
"""Seconds after a page was read, in which it is made known."""
_SORTS = ("invoice", "receipt", "lab_report")
"""Of generated pages: radiology reports have no value that is asked for in plain words."""
_OF_LINES = {"quantity": "quantity", "unit_price": "unit price", "amount": "amount"}
_CHANGED = ("digit", "point", "sign")
"""Kinds of edits of an analyte that surely change what its value is: units and flags are asked for apart."""
_QUALITY = 92


@dataclass(frozen=True, slots=True)
class Lived:
    """What became of one twin, or with an empty kind of a control."""

    page: str
    kind: str
    field: str
    mode: str
    given: bool
    """Whether the known page's answer was given for it."""
    live: bool
    compared: bool
    over_off: float
    """All stages over those that it would have had without recall."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds how many twins a page has."""
    parser.epilog = f"--n counts pages of each set; default {DEFAULT_N}."
    parser.add_argument("--twins", type=int, default=4, metavar="N", help="default %(default)s")


def run(options: Options, given: argparse.Namespace) -> int:
    """Tries and reports; 1 where a twin was given the known page's answer."""
    sources = _sources(options)
    rig = open_rig(options.models, reads=False)
    lived: list[Lived] = []
    settings = {"recall.model": "docclip", "recall.always": "true"}
    with session(options, settings) as (quiet, _, client):
        fingerprint = client.info().fingerprint
        finished = Finished("lived", key=(fingerprint, commit(), options.seed, given.twins))
        if options.restart:
            finished.forget()
        progress = Progress("lived", len(sources))
        for source in sources:
            result = finished.get(source.name)
            if result is None:
                result = {"lived": [*map(asdict, _one(client, rig, source, given.twins))]}
                finished.put(source.name, result)
                progress.step(source.name)
            else:
                progress.skip(1)
            lived += [Lived(**one) for one in result["lived"]]
        note = quiet.note()
    figures = figures_of(lived)
    conclude(options, "lived", figures, fingerprint, note)
    return int(figures["lived.wrong"].value > 0)


def _sources(options: Options) -> list[Source]:
    wanted, data, seed = options.n or DEFAULT_N, options.data, options.seed
    made = [one for one in generated(data, wanted, seed) if one.sort in _SORTS]
    found: list[Sequence[Source]] = [
        photos(data, wanted, seed),
        scans(data, wanted, seed),
        *([one for one in made if one.sort == sort] for sort in _SORTS),
    ]
    longest = max(map(len, found))
    # In turn, so that a run that is broken off has some of each.
    return [group[at] for at in range(longest) for group in found if at < len(group)]


def _one(client: Client, rig: Rig, source: Source, most: int) -> Iterator[Lived]:
    """A page, its control and its twins."""
    opened = source.opened(rig.readings)
    page, control = known(rig, opened), opened.photographed(opened.picture)
    twins = [*islice(_twins(rig, source, opened, page, control), most)]
    fields = [*dict.fromkeys(twin.field for twin, _ in twins)]
    handle = client.put_capture(_jpeg(opened.anchor)).handle
    asking = {field: question_of(page.asked[field]) for field in fields}
    for question in asking.values():
        client.ask(question, handle=handle)
    time.sleep(IDLE_S)
    live = set()
    for at, field in enumerate(fields):
        # Each another capture: a control that was read once would answer the next from its own state.
        answer = client.ask(asking[field], image=_jpeg(control, _QUALITY - at))
        if mode(answer) in SERVED and "identify.prove" in stages(answer):
            live.add(field)
        yield _lived(source, None, field, answer, live=field in live)
        time.sleep(IDLE_S)
    for twin, photograph in twins:
        answer = client.ask(asking[twin.field], image=_jpeg(photograph))
        told = _lived(source, twin, twin.field, answer, live=twin.field in live)
        if told.given:
            _accuse(client, source, twin, answer)
        yield told
        time.sleep(IDLE_S)


def question_of(asked: Asked) -> str:
    """How a value is asked for; empty where it is not."""
    if asked.field in FIELDS:
        return FIELDS[asked.field]
    table, _, column = asked.field.partition(".")
    if not asked.thing:
        return ""
    if table == "analytes":
        return f"What is the {asked.thing}?"
    word = _OF_LINES.get(column.rpartition(".")[2])
    return f"What is the {word} of the {asked.thing}?" if word else ""


def _twins(
    rig: Rig, source: Source, opened: Opened, page: Known, control: Pixels
) -> Iterator[tuple[Twin, Pixels]]:
    """Twins of which a value is another that can be asked for, and that an eye could tell, photographed."""
    places = [line.quad for line in opened.text.lines]
    strips = strips_of(opened.picture, places, rig.reader.recognise, rig.reader.alphabet)
    rng = chance(source.seed, source.name, "twins")
    for twin in twins_of(opened.picture, list(page.asked.values()), strips, rng):
        if twin.kind in ELSEWHERE or not question_of(page.asked[twin.field]):
            continue
        if sort_of(twin.field) == "level" and not twin.kind.startswith(_CHANGED):
            continue
        photograph = opened.photographed(twin.pixels)
        if visible(control, photograph):
            yield twin, photograph


def _lived(
    source: Source, twin: Twin | None, field: str, answer: pb.Answer, *, live: bool
) -> Lived:
    told = Miss(source.name, mode(answer), stages(answer))
    compared = "identify.register" in told.stages
    given = (
        twin is not None
        and told.mode in SERVED
        and (field in FIELDS or twin.before in "".join(answer.text.split()))
    )
    kind = twin.kind if twin else ""
    return Lived(source.name, kind, field, told.mode, given, live, compared, told.over_off)


def _accuse(client: Client, source: Source, twin: Twin, answer: pb.Answer) -> None:
    """Says of what page a wrong answer was given and why; never what it says."""
    reasons = client.explain(answer.answer_id).reasons
    told = "; ".join(f"{one.step} {one.outcome} {one.detail}".strip() for one in reasons)
    say(f"WRONG {source.name}: {twin.kind} of {twin.field}, {mode(answer)}: {told}")


def _jpeg(pixels: Pixels, quality: int = _QUALITY) -> bytes:
    data = BytesIO()
    Image.fromarray(pixels).save(data, "JPEG", quality=quality)
    return data.getvalue()


def figures_of(lived: Sequence[Lived]) -> dict[str, Figure]:
    """All figures by name; raises BenchError where no twin was tried."""
    twins = [one for one in lived if one.kind]
    if not twins:
        raise BenchError("no page has a twin of which a value could be asked for")
    figures = {"lived.wrong": _wrong(twins)}
    for sort in dict.fromkeys(sort_of(one.field) for one in twins):
        mine = [one for one in twins if sort_of(one.field) == sort]
        figures[f"lived.{sort}.wrong"] = _wrong(mine)
    figures["lived.live"] = share(_by_page(twins, lambda one: one.live))
    figures["lived.recalled"] = share(_by_page(twins, lambda one: one.compared))
    controls = [one for one in lived if not one.kind]
    figures["lived.control"] = share(_by_page(controls, lambda one: one.live))
    cold = [one for one in twins if one.mode == "cold"]
    for rank in (50, 95) if cold else ():
        over = _by_page(cold, lambda one: one.over_off)
        figures[f"miss.lookalike_over_off.p{rank}"] = ranked(over, rank, "ratio")
    return figures


def _wrong(twins: Sequence[Lived]) -> Figure:
    live = sum(one.live for one in twins)
    wrong = sum(one.given for one in twins)
    return count(wrong, len(twins), "answers", f"{live} of them live")


def _by_page(lived: Sequence[Lived], told: Callable[[Lived], float]) -> list[list[float]]:
    groups: dict[str, list[float]] = defaultdict(list)
    for one in lived:
        groups[one.page].append(float(told(one)))
    return list(groups.values())
