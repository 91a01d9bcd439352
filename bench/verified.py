"""Answers confirmed from drafts, over the same model's answers without: whether they are the same.

On each of N documents (default 40, inv3d and sroie in turn) the page is read and made a page state once; five
fields are asked for in two wordings each, every answer once without a draft and once with each of these:

  exact      its own answer, as a snapshot of the same question gives it
  near       the answer to the other wording
  spelled    its own answer by its text alone, as another model's snapshot gives it
  digit      its own answer with one digit changed; where it has none there is no trial
  foreign    the answer to the next field's question

  verified.SOURCE.equal       share of answers with the same tokens as without a draft
  verified.SOURCE.confirmed   share of drafts that were the answer, token for token
  verified.SOURCE.over_plain  time with the draft over time without
  verified.equal, verified.digit_differs, verified.wrong_draft.wrong   over all, and over digit and foreign

--dtype bfloat16 measures the same in that precision. Finished documents are kept, for the same code and weights.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.documents import Document, pick
from bench.finished import Finished
from bench.machine import commit
from bench.options import Options
from bench.progress import Progress, say
from bench.quiet import Quiet
from bench.report import Figure, count, ratio, share
from bench.session import conclude
from bench.wording import REWORDED
from edge_clm.config import Config
from edge_clm.media.decode import decode
from edge_clm.model.vlm import QwenModel
from edge_clm.page.geometry import turned
from edge_clm.page.reader import open_reader
from edge_clm.types import Draft, Drafted, Sampling

DEFAULT_N = 40
SOURCES = ("exact", "near", "spelled", "digit", "foreign")
WRONG = ("digit", "foreign")
_MOST = 48
"""Tokens of an answer."""
_KEY = "page"
_DIGIT = re.compile(r"\d")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Adds the precision."""
    parser.epilog = f"--n counts documents in all; default {DEFAULT_N}."
    parser.add_argument(
        "--dtype", choices=("float32", "bfloat16"), default="float32", help="default %(default)s"
    )


def run(options: Options, given: argparse.Namespace) -> int:
    """Measures and reports; 0 when every figure could be given."""
    wanted = options.n or DEFAULT_N
    documents, missing = pick(options.data, wanted, options.seed)
    say("\n".join(missing) or f"{wanted} documents")
    named = {"name": options.model, "models": str(options.models), "dtype": given.dtype}
    quiet = Quiet(options.wait_s, any_load=options.any_load)
    quiet.wait()
    desk = _Desk(Config.model_validate({"model": named}))
    figures = figures_of(_measure(options, desk, documents[:wanted]))
    bench = "verified" if given.dtype == "float32" else f"verified_{given.dtype}"
    return conclude(options, bench, figures, desk.model.fingerprint, quiet.note())


def _measure(options: Options, desk: _Desk, documents: Sequence[Document]) -> list[list[Trial]]:
    finished = Finished("verified", key=(desk.model.fingerprint, commit(), REWORDED, _MOST))
    if options.restart:
        finished.forget()
    progress, results = Progress("verified", len(documents)), []
    for document in documents:
        data = document.path.read_bytes()
        name = hashlib.sha256(data).hexdigest()
        result = finished.get(name)
        if result is None:
            result = {"trials": [asdict(trial) for trial in desk.trials(data)]}
            finished.put(name, result)
            progress.step(document.name)
        else:
            progress.skip(1)
        results.append([Trial(**trial) for trial in result["trials"]])
    return results


@dataclass(frozen=True, slots=True)
class Trial:
    """One answer with a draft and the same one without."""

    source: str
    equal: bool
    same_digits: bool
    confirmed: bool
    """Whether the draft was the answer, token for token."""
    ms: float
    plain_ms: float


@dataclass(frozen=True, slots=True)
class _Said:
    tokens: tuple[int, ...]
    text: str
    ms: float
    drafted: Drafted | None

    @property
    def digits(self) -> str:
        return "".join(filter(str.isdigit, self.text))


class _Desk:
    """A reader and a model, without a daemon around them."""

    def __init__(self, config: Config) -> None:
        self.model = QwenModel.load(config.model)
        self._limits = config.limits
        self._reader = open_reader(config.ocr, Path(config.model.models))

    def trials(self, data: bytes) -> Iterator[Trial]:
        """Every question about a document, with every draft."""
        pixels = decode(data, 1, self._limits).pixels
        text = self._reader.read(pixels)
        self.model.prefill(_KEY, turned(pixels, text.turn), text, _never)
        plain = [[self._said(wording) for wording in pair] for pair in REWORDED]
        for at, pair in enumerate(REWORDED):
            foreign = plain[(at + 1) % len(plain)]
            for turn, question in enumerate(pair):
                mine, other = plain[at][turn], plain[at][1 - turn]
                for source, draft in _drafts(mine, other, foreign[turn]):
                    yield _trial(source, mine, self._said(question, draft))

    def _said(self, question: str, draft: Draft | None = None) -> _Said:
        started = time.perf_counter()
        pieces = [*self.model.generate(_KEY, question, Sampling(_MOST), _never, draft)]
        ms = (time.perf_counter() - started) * 1000
        tokens = tuple(token for piece in pieces for token in piece.tokens)
        return _Said(tokens, "".join(piece.text for piece in pieces), ms, pieces[-1].drafted)


def _drafts(mine: _Said, other: _Said, foreign: _Said) -> Iterator[tuple[str, Draft]]:
    yield "exact", Draft("", mine.tokens)
    yield "near", Draft("", other.tokens)
    yield "spelled", Draft(mine.text, ())
    if mine.digits:
        yield (
            "digit",
            Draft(_DIGIT.sub(lambda found: str((int(found[0]) + 1) % 10), mine.text, 1), ()),
        )
    if foreign.tokens != mine.tokens:
        yield "foreign", Draft("", foreign.tokens)


def _trial(source: str, plain: _Said, said: _Said) -> Trial:
    drafted = said.drafted
    confirmed = drafted is not None and drafted == Drafted(len(said.tokens), 0)
    same = said.digits == plain.digits
    return Trial(source, said.tokens == plain.tokens, same, confirmed, said.ms, plain.ms)


def figures_of(documents: Sequence[Sequence[Trial]]) -> dict[str, Figure]:
    """All figures by name, from the trials of each document."""
    figures = {}
    for source in SOURCES:
        groups = [[one for one in trials if one.source == source] for trials in documents]
        groups = [group for group in groups if group]
        if not groups:
            continue
        figures[f"verified.{source}.equal"] = share(_told(groups, lambda one: one.equal))
        figures[f"verified.{source}.confirmed"] = share(_told(groups, lambda one: one.confirmed))
        above, below = _told(groups, lambda one: one.ms), _told(groups, lambda one: one.plain_ms)
        for rank in (50, 95):
            figures[f"verified.{source}.over_plain.p{rank}"] = ratio(above, below, rank)
    every = [one for trials in documents for one in trials]
    wrong = [one for one in every if one.source in WRONG]
    figures["verified.equal"] = share(_told(documents, lambda one: one.equal))
    different = sum(not one.same_digits for one in every)
    figures["verified.digit_differs"] = count(different, len(every), "answers")
    misled = sum(not one.equal for one in wrong)
    figures["verified.wrong_draft.wrong"] = count(misled, len(wrong), "answers")
    return figures


def _told(groups: Sequence[Sequence[Trial]], told: Callable[[Trial], float]) -> list[list[float]]:
    return [[float(told(one)) for one in group] for group in groups if group]


def _never() -> bool:
    return False
