"""The path of a request, top to bottom."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncGenerator, Callable, Hashable
from contextlib import aclosing
from dataclasses import replace
from typing import Protocol

from edge_clm.admission import Admission
from edge_clm.breaker import CacheBreaker
from edge_clm.config import Config
from edge_clm.document import Documents
from edge_clm.errors import (
    AnswerUnknown,
    Exhausted,
    QuestionMissing,
    QuestionTooLong,
)
from edge_clm.flight import Flights
from edge_clm.identify import Shown
from edge_clm.inquiry import Inquiry, Request
from edge_clm.making import Made, given
from edge_clm.paper import Grounded
from edge_clm.policy import NOTHING_KEPT, UNREACHABLE, bars_replay, bars_report
from edge_clm.ports import Engine, Memory
from edge_clm.search import best, likeliest
from edge_clm.trace import Trace
from edge_clm.types import PAGE_VERSION, Answer, Capture, Sampling, Snapshot, Suffix
from edge_clm.workbench import Workbench

_IN_TIME_S = 1.0
"""How long before its deadline a search ends with what it has."""


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


class Answerer:
    """Answers inquiries from memory where that is safe, and from the engine where it is not."""

    def __init__(
        self,
        config: Config,
        memory: Memory,
        engine: Engine,
        admission: Admission,
        documents: Documents,
        bench: Workbench,
        breaker: CacheBreaker,
        suffix_of: Callable[[str], Suffix],
        joint_hash_of: JointHash,
    ) -> None:
        self._config = config
        self._memory = memory
        self._engine = engine
        self._admission = admission
        self._identifier = documents.identifier
        self._documents = documents
        self._breaker = breaker
        self._suffix_of = suffix_of
        self._joint_hash_of = joint_hash_of
        self._bench = bench
        self._flights: Flights[str | Made] = Flights()

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
        if shown.pages > 1 and not inquiry.source.number and not inquiry.describe:
            async for found in self._search(inquiry, trace):
                yield found
            return
        with trace.stage("suffix"):
            request = self._understand(inquiry, shown)
        with trace.stage("lookup"):
            look_up = self._memory.snapshot(inquiry.tenant, request.joint_hash)
            snapshot = await self._breaker.read(look_up, None)
            barred = await self._bars(request, snapshot)
        trace.decided("lookup", barred or "found")
        if snapshot and not barred:
            yield snapshot.text
            yield given(request, await self._bench.again(request, snapshot), trace)
            return
        work = self._flights.join(_flight_key(request), lambda: self._bench.make(request))
        async with aclosing(work) as events:
            async for event in events:
                yield event if isinstance(event, str) else given(request, event, trace)

    async def _bars(self, request: Request, snapshot: Snapshot | None) -> str:
        """What bars what is kept from being given again; empty where nothing does."""
        inquiry, view = request.inquiry, request.shown.view
        barred = bars_replay(snapshot, inquiry.wish, request.sampling, time.time())
        if barred == NOTHING_KEPT and self._breaker.reading_stopped:
            return UNREACHABLE
        if barred:
            return barred
        look_up = self._memory.sighting(inquiry.tenant, view.page_key)
        return bars_report(await self._breaker.read(look_up, None), view.handle)

    async def _search(self, inquiry: Inquiry, trace: Trace) -> AsyncGenerator[str | Answer, None]:
        """Asks the likeliest page first, until one holds the answer; the answer names its page."""
        # Known text will do to choose an order by; each page is then asked as the caller wishes.
        source, wish = inquiry.source, replace(inquiry.wish, fresh=False)
        pages = await self._documents.read(inquiry.tenant, source, wish, inquiry.deadline, trace)
        ranked = likeliest(inquiry.question, [(page.number, page.text) for page in pages])
        answers: list[Answer] = []
        for number in ranked[: self._config.limits.search_pages]:
            one = replace(inquiry, source=replace(source, number=number))
            try:
                async with asyncio.timeout_at(inquiry.deadline - (_IN_TIME_S if answers else 0)):
                    answers.append(await self._whole(one))
            except (TimeoutError, Exhausted):
                # An answer in time is worth more than a better one too late.
                if not answers:
                    raise
                break
            if answers[-1].grounding.grounded is Grounded.YES:
                break
        found = best(answers)
        for answer in answers:
            trace.add(answer.stages)
        yield found.text
        yield replace(found, stages=trace.stages)

    async def _whole(self, inquiry: Inquiry) -> Answer:
        async with aclosing(self.answer(inquiry)) as events:
            found = [event async for event in events if isinstance(event, Answer)]
        return found[-1]

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

        def joint_hash_of(page_key: str) -> str:
            return self._joint_hash_of(
                tenant=inquiry.tenant,
                page_key=page_key,
                page_version=PAGE_VERSION,
                suffix=suffix,
                language="",
                format="description" if inquiry.describe else "text",
                fingerprint=fingerprint,
            )

        sampling = Sampling(max_tokens, inquiry.temperature, inquiry.seed)
        joint_hash = joint_hash_of(shown.view.page_key)
        return Request(inquiry, shown, suffix, sampling, joint_hash, joint_hash_of, fingerprint)


def _flight_key(request: Request) -> Hashable:
    """Requests with equal keys share their work; sampled and fresh ones share with nobody."""
    if request.sampling.temperature > 0 or request.inquiry.wish.fresh:
        return object()
    return (
        request.joint_hash,
        request.sampling.max_tokens,
        request.inquiry.wish.no_store,
        request.has_file,
    )
