"""Answers made with the engine: about a known page where that can be proven, else about the capture itself."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, aclosing
from dataclasses import replace

from edge_clm.admission import Admission
from edge_clm.breaker import CacheBreaker
from edge_clm.drafts import Drafts, draft_of
from edge_clm.errors import Cancelled
from edge_clm.inquiry import Request
from edge_clm.knownpages import KnownPages
from edge_clm.making import Made, Unfinished, told
from edge_clm.notices import Notices
from edge_clm.pagetext import PageTexts
from edge_clm.paper import PageText
from edge_clm.policy import UNREACHABLE, bars_keeping
from edge_clm.ports import Engine, Memory
from edge_clm.rephotograph import Rephotographs
from edge_clm.trace import Trace
from edge_clm.types import Finish, ServeMode, Snapshot, Task


class Workbench:
    """Has the engine answer requests, as one of the few that may use it at once, and keeps what it said."""

    def __init__(
        self,
        memory: Memory,
        engine: Engine,
        admission: Admission,
        breaker: CacheBreaker,
        texts: PageTexts,
        pages: KnownPages,
        drafts: Drafts,
        notices: Notices,
    ) -> None:
        self._memory = memory
        self._engine = engine
        self._admission = admission
        self._breaker = breaker
        self._texts = texts
        self._pages = pages
        self._drafts = drafts
        self._notices = notices
        self._rephotographs = Rephotographs(memory, engine, breaker, pages, drafts, notices)

    async def again(self, request: Request, snapshot: Snapshot) -> Made:
        """What was answered before, given once more: no queue and no engine."""
        tenant, view = request.inquiry.tenant, request.shown.view
        await self._breaker.write(self._memory.touch_snapshot(tenant, snapshot.id), None)
        notices = await self._notices.kept(tenant, view)
        return Made(snapshot, ServeMode.REPLAY, Finish.STOP, stored=True, notices=notices)

    async def make(self, request: Request) -> AsyncGenerator[str | Made, None]:
        """Answers with the engine, as one of the few that may use it at once."""
        inquiry, unfinished = request.inquiry, Unfinished()
        async with AsyncExitStack() as stack:
            with unfinished.trace.stage("queue"):
                slot = self._admission.slot(inquiry.tenant, inquiry.deadline)
                await stack.enter_async_context(slot)
            known = await self._texts.known(inquiry.tenant, request.shown, inquiry.wish)
            unfinished.trace.decided("page", "read_before" if known else "not_read")
            if known is None:
                again = await self._rephotographs.answer(request, unfinished.trace)
                if again:
                    trace = unfinished.trace
                    yield again.snapshot.text
                    yield replace(again, stages=trace.stages, reasons=trace.reasons)
                    return
            text = known or await self._read(request, unfinished.trace)
            notices = await self._notices.of(
                inquiry.tenant, request.shown, text, inquiry.wish, unfinished.trace
            )
            task = await self._task(request, text, known=known is not None)
            steps = told(self._engine, task, request.shown.file)
            async for step in await stack.enter_async_context(aclosing(steps)):
                if delta := unfinished.take(step):
                    yield delta
        if unfinished.finish is Finish.CANCELLED:
            raise Cancelled("the work was stopped")
        if known is None:
            read_ms = unfinished.trace.ms("ocr", "prefill")
            self._pages.learn(inquiry.tenant, request.shown, text, inquiry.wish, read_ms)
        made, trace = await self._keep(request, unfinished, text), unfinished.trace
        yield replace(made, notices=notices, stages=trace.stages, reasons=trace.reasons)

    async def _task(self, request: Request, text: PageText, *, known: bool) -> Task:
        """What the engine is asked; the file goes along only where the page state is not there."""
        shown, fresh = request.shown, request.inquiry.wish.fresh
        likely = await self._drafts.likeliest(request, shown.view.page_key) if known else None
        return Task(
            page_key=shown.view.page_key,
            file=None if known and not fresh else await shown.file(),
            page=shown.view.number,
            text=text,
            question=request.inquiry.question,
            sampling=request.sampling,
            fresh=fresh,
            draft=draft_of(likely, request.fingerprint),
            keep=shown.keepable and not request.inquiry.wish.no_store,
        )

    async def _read(self, request: Request, trace: Trace) -> PageText:
        inquiry, shown = request.inquiry, request.shown
        return await self._texts.read(
            inquiry.tenant, shown, inquiry.wish, has_file=request.has_file, trace=trace
        )

    async def _keep(self, request: Request, unfinished: Unfinished, text: PageText) -> Made:
        finish, _ = unfinished.ended
        snapshot = unfinished.snapshot(request, request.shown.view.page_key, text)
        mode, drafted, trace = unfinished.mode, unfinished.drafted, unfinished.trace
        made = Made(snapshot, mode, finish, stored=False, drafted=drafted)
        unfinished.explain(trace)
        barred = bars_keeping(request.inquiry.wish, request.sampling, finish)
        if barred or not request.shown.keepable:
            trace.decided("store", barred or UNREACHABLE)
            return made
        with trace.stage("store"):
            kept = await self._breaker.write(self._memory.put_snapshot(snapshot), None)
        if kept is None:
            trace.decided("store", UNREACHABLE)
            return made
        trace.decided("store", "disputed" if kept.disputed else "kept")
        return replace(made, snapshot=kept, stored=not kept.disputed)
