"""The path of a request, top to bottom."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Protocol

from edge_clm.admission import Admission
from edge_clm.breaker import CacheBreaker
from edge_clm.config import Config
from edge_clm.errors import AnswerUnknown, Cancelled, QuestionMissing, QuestionTooLong
from edge_clm.flight import Flights
from edge_clm.identify import Identifier, Shown, Source
from edge_clm.policy import Wish, may_keep, may_replay
from edge_clm.trace import Trace
from edge_clm.types import (
    Answer,
    Capture,
    Engine,
    Finish,
    Memory,
    Outcome,
    PageText,
    Piece,
    Prefilled,
    Sampling,
    ServeMode,
    Snapshot,
    Stage,
    Step,
    Suffix,
    Task,
)

UNREADABLE = "Nothing can be read on this page."


@dataclass(frozen=True, slots=True)
class Inquiry:
    """One question, or the wish for a description, as it came in."""

    tenant: str
    source: Source
    deadline: float
    """In the event loop's time."""
    question: str = ""
    """Empty for a description."""
    describe: bool = False
    wish: Wish = field(default=Wish())
    max_tokens: int = 0
    """0 for the configured default."""
    temperature: float = 0.0
    seed: int = 0


class JointHash(Protocol):
    """Makes the joint hash of design §2."""

    def __call__(
        self,
        *,
        tenant: str,
        page_key: str,
        page_version: int,
        suffix: Suffix,
        language: str,
        format: str,
        fingerprint: str,
    ) -> str:
        """Full SHA-256, hex."""
        ...


@dataclass(frozen=True, slots=True)
class Request:
    """An inquiry whose page and meaning are known."""

    inquiry: Inquiry
    shown: Shown
    suffix: Suffix
    sampling: Sampling
    joint_hash: str
    fingerprint: str


@dataclass(slots=True)
class Draft:
    """An answer while it is being made."""

    text: str = ""
    tokens: tuple[int, ...] = ()
    finish: Finish = Finish.STOP
    outcome: Outcome = Outcome.UNREADABLE
    prefilled: Prefilled = field(default=Prefilled(warm=False, tokens=0, dropped_lines=0))

    def take(self, step: Step, trace: Trace) -> str:
        """Adds what the engine reports; returns the text that is new."""
        match step:
            case Stage():
                trace.add(step)
            case Prefilled():
                self.prefilled = step
            case Outcome():
                self.outcome = step
            case Piece():
                self.text += step.text
                self.tokens += step.tokens
                self.finish = step.finish or self.finish
                return step.text
        return ""


class Answerer:
    """Answers inquiries from memory where that is safe, and from the engine where it is not."""

    def __init__(
        self,
        config: Config,
        memory: Memory,
        engine: Engine,
        admission: Admission,
        identifier: Identifier,
        breaker: CacheBreaker,
        suffix_of: Callable[[str], Suffix],
        joint_hash_of: JointHash,
    ) -> None:
        self._config = config
        self._memory = memory
        self._engine = engine
        self._admission = admission
        self._identifier = identifier
        self._breaker = breaker
        self._suffix_of = suffix_of
        self._joint_hash_of = joint_hash_of
        self._flights: Flights[str | Answer] = Flights()
        self._readings: Flights[PageText] = Flights()

    async def answer(self, inquiry: Inquiry) -> AsyncGenerator[str | Answer, None]:
        """Yields the text piece by piece, then the whole answer once.

        Closing it drops this caller's interest; the model stops within one token when nobody else
        waits for the same work. Raises every error of `errors` but those of starting up.
        """
        trace = Trace()
        self._check(inquiry)
        self._admission.refuse_when_closed()
        shown = await self._identifier.identify(
            inquiry.tenant,
            inquiry.source,
            fresh=inquiry.wish.fresh,
            keep=not inquiry.wish.no_store,
            deadline=inquiry.deadline,
            trace=trace,
        )
        with trace.stage("suffix"):
            request = self._understand(inquiry, shown)
        with trace.stage("lookup"):
            snapshot = await self._breaker.ask(
                self._memory.snapshot(inquiry.tenant, request.joint_hash), None
            )
        if snapshot and may_replay(snapshot, inquiry.wish, request.sampling, time.time()):
            yield snapshot.text
            yield await self._replay(request, snapshot, trace)
            return
        work = self._flights.join(_flight_key(request), lambda: self._work(request, trace))
        async with aclosing(work) as events:
            async for event in events:
                yield event

    async def put_capture(self, tenant: str, data: bytes, deadline: float) -> Capture:
        """Keeps a document's file; raises the image errors, DiskFull and StoreUnavailable."""
        self._admission.refuse_when_closed()
        return await self._identifier.put(tenant, data, deadline)

    async def feedback(self, tenant: str, answer_id: str, right: bool, correction: str) -> None:
        """Records a judgement; raises AnswerUnknown."""
        if not await self._memory.feedback(tenant, answer_id, right, correction):
            raise AnswerUnknown("no such answer", field="answer_id")

    def _check(self, inquiry: Inquiry) -> None:
        if not inquiry.describe and not inquiry.question.strip():
            raise QuestionMissing("the question is empty", field="question")
        limit = self._config.limits.max_question_chars
        if len(inquiry.question) > limit:
            length = len(inquiry.question)
            raise QuestionTooLong(f"{length} characters; at most {limit}", field="question")

    def _understand(self, inquiry: Inquiry, shown: Shown) -> Request:
        model, limits = self._config.model, self._config.limits
        usual = model.describe_tokens if inquiry.describe else model.max_tokens
        max_tokens = min(inquiry.max_tokens or usual, limits.max_tokens)
        suffix, fingerprint = self._suffix_of(inquiry.question), self._engine.fingerprint
        joint_hash = self._joint_hash_of(
            tenant=inquiry.tenant,
            page_key=shown.view.page_key,
            page_version=1,
            suffix=suffix,
            language="",
            format="description" if inquiry.describe else "text",
            fingerprint=fingerprint,
        )
        sampling = Sampling(max_tokens, inquiry.temperature, inquiry.seed)
        return Request(inquiry, shown, suffix, sampling, joint_hash, fingerprint)

    async def _replay(self, request: Request, snapshot: Snapshot, trace: Trace) -> Answer:
        await self._breaker.ask(self._memory.touch_snapshot(snapshot.tenant, snapshot.id), None)
        return _answer_from(request, snapshot, trace, ServeMode.REPLAY, Finish.STOP, stored=True)

    async def _work(self, request: Request, trace: Trace) -> AsyncGenerator[str | Answer, None]:
        """Answers with the engine, as one of the few that may use it at once."""
        inquiry, draft = request.inquiry, Draft()
        queued = time.perf_counter()
        async with self._admission.slot(inquiry.tenant, inquiry.deadline):
            trace.add(Stage("queue", (time.perf_counter() - queued) * 1000))
            text = await self._text(request, trace)
            async with aclosing(self._generate(request, text)) as steps:
                async for step in steps:
                    if delta := draft.take(step, trace):
                        yield delta
        if draft.finish is Finish.CANCELLED:
            raise Cancelled("the work was stopped")
        yield await self._keep(request, draft, text, trace)

    async def _generate(self, request: Request, text: PageText) -> AsyncGenerator[Step, None]:
        if not text.lines:
            # A model asked about a page without words answers from nothing.
            yield Piece(UNREADABLE, (), Finish.STOP)
            return
        task = Task(
            page_key=request.shown.view.page_key,
            file=await request.shown.file(),
            page=request.shown.view.number,
            text=text,
            question=request.inquiry.question,
            sampling=request.sampling,
            fresh=request.inquiry.wish.fresh,
        )
        async with aclosing(self._engine.answer(task)) as steps:
            async for step in steps:
                yield step

    async def _text(self, request: Request, trace: Trace) -> PageText:
        """The text of the page: kept, or read now, once for all who wait for it."""
        tenant, view = request.inquiry.tenant, request.shown.view
        ocr = self._engine.ocr_fingerprint
        if not request.inquiry.wish.fresh:
            kept = await self._breaker.ask(self._memory.page_text(tenant, view.page_key, ocr), None)
            if kept is not None:
                return kept

        async def read() -> PageText:
            text = await self._engine.read(await request.shown.file(), view.number)
            if not request.inquiry.wish.no_store:
                await self._breaker.ask(
                    self._memory.put_page(tenant, view.page_key, text, ocr), None
                )
            return text

        with trace.stage("ocr"):
            return await self._readings.once((view.page_key, request.inquiry.wish), read)

    async def _keep(self, request: Request, draft: Draft, text: PageText, trace: Trace) -> Answer:
        snapshot = Snapshot(
            id=f"a_{secrets.token_hex(16)}",
            joint_hash=request.joint_hash,
            tenant=request.inquiry.tenant,
            page_key=request.shown.view.page_key,
            suffix=request.suffix,
            text=draft.text,
            tokens=draft.tokens,
            outcome=draft.outcome,
            fingerprint=request.fingerprint,
            prompt_tokens=draft.prefilled.tokens,
            dropped_lines=draft.prefilled.dropped_lines,
            created=time.time(),
            turn=text.turn,
            width=text.width,
            height=text.height,
        )
        stored = may_keep(request.inquiry.wish, request.sampling, draft.finish)
        if stored:
            with trace.stage("store"):
                stored = await self._breaker.ask(self._store(snapshot), False)
        mode = ServeMode.WARM if draft.prefilled.warm else ServeMode.COLD
        return _answer_from(request, snapshot, trace, mode, draft.finish, stored=stored)

    async def _store(self, snapshot: Snapshot) -> bool:
        await self._memory.put_snapshot(snapshot)
        return True


def _flight_key(request: Request) -> Hashable:
    """Requests with equal keys share their work; sampled and fresh ones share with nobody."""
    if request.sampling.temperature > 0 or request.inquiry.wish.fresh:
        return object()
    return request.joint_hash, request.sampling.max_tokens, request.inquiry.wish.no_store


def _answer_from(
    request: Request,
    snapshot: Snapshot,
    trace: Trace,
    mode: ServeMode,
    finish: Finish,
    *,
    stored: bool,
) -> Answer:
    return Answer(
        id=snapshot.id if stored else "",
        text=snapshot.text,
        outcome=snapshot.outcome,
        mode=mode,
        finish=finish,
        stages=trace.stages,
        page=request.shown.view.number,
        pages=request.shown.pages,
        handle=request.shown.view.handle,
        prompt_tokens=snapshot.prompt_tokens,
        answer_tokens=len(snapshot.tokens),
        dropped_lines=snapshot.dropped_lines,
        stored=stored,
        age_s=max(0.0, time.time() - snapshot.created) if mode is ServeMode.REPLAY else 0.0,
        turn=snapshot.turn,
        width=snapshot.width,
        height=snapshot.height,
    )
