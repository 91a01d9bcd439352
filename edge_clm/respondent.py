"""Answers in the engine's process: the page state, the model's words, and what they rest on."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import replace
from functools import partial

from edge_clm.comparing import extraction_of
from edge_clm.context import in_context
from edge_clm.errors import PageStateGone
from edge_clm.ground import ground
from edge_clm.model.prompt import outcome_of
from edge_clm.page.fields.lab_check import side_of
from edge_clm.page.fields.medical import sex_of
from edge_clm.page.geometry import turned
from edge_clm.paper import Extraction, Grounding, PageText
from edge_clm.pictures import Pictures
from edge_clm.pointing import rows_for
from edge_clm.ports import LanguageModel
from edge_clm.question.english import back_in_chinese, in_english
from edge_clm.question.field import asked_field, likely_field
from edge_clm.types import Finish, Outcome, Piece, Pixels, Sampling, Stage, Step, Stop, Task

UNREADABLE = "Nothing can be read on this page."


class Respondent:
    """Has the model answer tasks, in its own language, and looks for each answer on the page."""

    def __init__(self, model: LanguageModel, pictures: Pictures) -> None:
        self._model = model
        self._pictures = pictures

    def warm_up(self, pixels: Pixels, text: PageText) -> None:
        """Answers a question about a small page, end to end."""
        self._model.prefill("", pixels, text, lambda: False)
        question = "What is the total?"
        for _ in self._model.generate("", question, Sampling(8), lambda: False):
            pass
        # The first page costs rules a second: patterns are compiled and lists of words loaded.
        _grounding(question, "42.17", text, extraction_of(1, text))

    def answer(self, task: Task, stop: Stop) -> Iterator[Step]:
        """Answers a question over the page state, made first where it is missing."""
        if not task.text.lines and not self._model.sees:
            # A model asked about a page of which it knows nothing answers from nothing.
            yield Piece(UNREADABLE, (), Finish.STOP)
            yield Outcome.UNREADABLE
            return
        if task.fresh or not self._model.has_state(task.page_key):
            yield from self._prefill(task, stop)
        else:
            yield from self._found(task)
        english = "" if self._model.reads_chinese else in_english(task.question)
        asked = english or task.question
        rows = (yield from _pointed(task)) if self._model.wants_rows else ()
        pieces = self._model.generate(task.page_key, asked, task.sampling, stop, task.draft, rows)
        text = yield from _told(pieces, chinese=bool(english))
        outcome = outcome_of(text)
        yield outcome
        if outcome is Outcome.ANSWERED:
            yield from _ground(task, text)

    def _found(self, task: Task) -> Iterator[Step]:
        """A page state that is there; one that is asked about again is worth a place on the disk."""
        found = self._model.prefilled(task.page_key)
        yield found
        if found.restore_ms:
            yield Stage("restore", found.restore_ms)
        if task.keep:
            self._model.keep(task.page_key)

    def _prefill(self, task: Task, stop: Stop) -> Iterator[Step]:
        if task.file is None:
            raise PageStateGone("the page state is not in memory")
        pixels = turned(self._pictures.of(task.file, task.page).pixels, task.text.turn)
        started = time.perf_counter()
        yield self._model.prefill(task.page_key, pixels, task.text, stop)
        yield Stage("prefill", _ms_since(started))


def _pointed(task: Task) -> Generator[Step, None, tuple[str, ...]]:
    """Rows that the rules have read what is asked in, for the model to look at once more."""
    started = time.perf_counter()
    extraction = extraction_of(task.page, task.text)
    rows = rows_for(task.question, likely_field(task.question), task.text, extraction)
    yield Stage("extract", _ms_since(started))
    return rows


def _told(pieces: Iterator[Piece], chinese: bool) -> Generator[Step, None, str]:
    """An answer as it comes, with its times; returns the model's whole text.

    Said in `chinese` it comes in one piece, since its end may change its meaning.
    """
    started, first, text = time.perf_counter(), True, ""
    for piece in _joined(pieces) if chinese else pieces:
        text += piece.text
        yield replace(piece, text=_in_chinese(text)) if chinese else piece
        if first:
            yield Stage("first_token", _ms_since(started))
            started, first = time.perf_counter(), False
    yield Stage("generate", _ms_since(started))
    return text


def _joined(pieces: Iterator[Piece]) -> Iterator[Piece]:
    whole = list(pieces)
    tokens = tuple(token for piece in whole for token in piece.tokens)
    yield replace(whole[-1], text="".join(piece.text for piece in whole), tokens=tokens)


def _in_chinese(text: str) -> str:
    return back_in_chinese(outcome_of(text), text)


def _ground(task: Task, answer: str) -> Iterator[Step]:
    started = time.perf_counter()
    yield _grounding(task.question, answer, task.text, extraction_of(task.page, task.text))
    yield Stage("ground", _ms_since(started))


def _grounding(question: str, answer: str, text: PageText, extraction: Extraction) -> Grounding:
    side = partial(side_of, sex=sex_of(list(extraction.fields)))
    asked = asked_field(question)
    told = ground(question, answer, text, extraction, asked=asked, side_of=side)
    return in_context(told, question, text, extraction, asked)


def _ms_since(started: float) -> float:
    return (time.perf_counter() - started) * 1000
