"""A new photograph of a known page, answered without reading it whole: warm across captures, design §3."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

from edge_clm.breaker import CacheBreaker
from edge_clm.drafts import Drafts, draft_of
from edge_clm.errors import InternalFault, InvalidInput, MemoryExhausted
from edge_clm.ground import rests_on
from edge_clm.inquiry import Request
from edge_clm.knownpages import KnownPages
from edge_clm.making import Made, Unfinished, told
from edge_clm.notices import Notices
from edge_clm.paper import Evidence, Grounded, Grounding, Quad
from edge_clm.ports import Engine, Memory
from edge_clm.trace import Trace
from edge_clm.types import (
    File,
    Finish,
    Judged,
    Known,
    KnownPage,
    Outcome,
    Proof,
    ServeMode,
    Snapshot,
    Stage,
    Task,
    Verdict,
)

log = logging.getLogger(__name__)

_RESTS_ON_MORE = "may_rest_on_more"
_COMPARING = ("identify.register", "identify.prove", "identify.attempt")


class Rephotographs:
    """Answers about captures that are proven to show a known page.

    What is given was said by the model now, over the known page's state, and is held back until what it
    rests on has been proven on the new capture. Answers that rest on the whole page are never given so.
    """

    def __init__(
        self,
        memory: Memory,
        engine: Engine,
        breaker: CacheBreaker,
        pages: KnownPages,
        drafts: Drafts,
        notices: Notices,
    ) -> None:
        self._memory = memory
        self._engine = engine
        self._breaker = breaker
        self._pages = pages
        self._drafts = drafts
        self._notices = notices

    async def answer(self, request: Request, trace: Trace) -> Made | None:
        """The answer, with its evidence as it lies on this capture; None where that cannot be proven.

        The caller holds a slot. Raises the errors of the engine, and HandleUnknown where the capture's
        own file is no longer kept.
        """
        if barred := self._bars(request):
            trace.decided("recall", barred)
            return None
        file = await request.shown.file()
        tenant, view = request.inquiry.tenant, request.shown.view
        for page in await self._pages.recalled(tenant, view, file, trace):
            known = await self._pages.known(tenant, page)
            if known is None:
                continue
            before = trace.ms(*_COMPARING)
            made = await self._tried(request, file, page, known, trace)
            ms = trace.ms(*_COMPARING) - before
            self._pages.compared(tenant, page, ms, served=made is not None)
            if made:
                self._pages.let_go(view)
                return made
        return None

    async def _tried(
        self, request: Request, file: File, page: KnownPage, known: Known, trace: Trace
    ) -> Made | None:
        """The answer about one known page; a fault on this short way is no reason not to go the long one."""
        try:
            return await self._about(request, file, page, known, trace)
        except InvalidInput as error:
            # The capture itself has been unpacked before: it is the known page's file that cannot be.
            log.warning("a known page is forgotten: %s", error.reason)
            await self._pages.forget(request.inquiry.tenant, page)
        except (InternalFault, MemoryExhausted) as error:
            log.warning("a known page could not be compared with: %s", error.reason)
        return None

    async def _about(
        self, request: Request, file: File, page: KnownPage, known: Known, trace: Trace
    ) -> Made | None:
        """The answer about one known page, if the capture shows it and what the answer rests on."""
        # What most likely rests on the same as before is refused before the model is asked.
        expected = await self._drafts.likeliest(request, page.page_key)
        grounding = expected.grounding if expected and _is_own(expected, request) else Grounding()
        if grounding.whole:
            trace.decided("answer", _RESTS_ON_MORE)
            return None
        boxes = _boxes(grounding)
        if not await self._proven(request, file, known, boxes, trace):
            return None
        said = await self._told(request, page, known, expected)
        said.explain(trace)
        made = None
        if barred := _bars_giving(request, said):
            trace.decided("answer", barred)
        elif judged := await self._proven(request, file, known, _boxes(said.grounding), trace):
            made = await self._given(request, page, known, said, judged)
        # What the model did in vain is no part of what the answer takes that is then made the long way.
        stages = said.trace.stages
        vain = Stage("identify.attempt", sum(stage.ms for stage in stages))
        trace.add(stages if made else [vain])
        return made

    def _bars(self, request: Request) -> str:
        """What bars a capture from being compared with known pages; empty where nothing does."""
        inquiry = request.inquiry
        if not self._pages.recalls:
            return "switched_off"
        if inquiry.wish.fresh or inquiry.wish.no_store:
            return "fresh_wanted" if inquiry.wish.fresh else "no_store_wanted"
        if not (request.shown.keepable and request.shown.view.handle):
            return "capture_not_kept"
        if inquiry.describe:
            return "about_the_whole_page"
        return "sampled" if request.sampling.temperature > 0 else ""

    async def _proven(
        self, request: Request, file: File, known: Known, boxes: Sequence[Quad], trace: Trace
    ) -> Judged | None:
        """What comparing told, where the capture shows the page and what stands in the boxes."""
        number = request.shown.view.number
        judged, ms = await self._engine.judge(known, file, number, boxes)
        trace.decided("compare", judged.verdict.value, "; ".join(judged.reasons))
        registering = judged.register_ms
        trace.add([Stage("identify.register", registering)])
        trace.add([Stage("identify.prove", max(0.0, ms - registering))])
        return judged if judged.verdict is Verdict.SAME else None

    async def _told(
        self,
        request: Request,
        page: KnownPage,
        known: Known,
        expected: Snapshot | None,
    ) -> Unfinished:
        """The model's answer about the known page."""
        task = Task(
            page_key=page.page_key,
            file=None,
            page=page.page,
            text=known.text,
            question=request.inquiry.question,
            sampling=request.sampling,
            fresh=False,
            draft=draft_of(expected, request.fingerprint),
            keep=True,
        )
        said = Unfinished()
        async with aclosing(told(self._engine, task, lambda: _at_once(known.file))) as steps:
            async for step in steps:
                said.take(step)
        return said

    async def _given(
        self, request: Request, page: KnownPage, known: Known, said: Unfinished, judged: Judged
    ) -> Made | None:
        """Keeps the answer and its proof, and gives what memory then has for this capture.

        That is nothing where the answer was found to be wrong before, and where it cannot be kept: it could
        not be reported as wrong.
        """
        snapshot = said.snapshot(request, page.page_key, known.text)
        kept = await self._breaker.write(self._memory.put_snapshot(snapshot), None)
        if kept is None or kept.disputed:
            return None
        tenant, view = request.inquiry.tenant, request.shown.view
        told = snapshot.grounding
        placed = tuple(
            Evidence(one.text, quad, view.number)
            for one, quad in zip((*told.evidence, *told.named), judged.places, strict=True)
        )
        count = len(told.evidence)
        grounding = replace(told, evidence=placed[:count], named=placed[count:])
        frame = (judged.turn, judged.width, judged.height)
        proof = Proof(request.joint_hash, kept.id, grounding, *frame)
        await self._breaker.write(self._memory.put_proof(tenant, view, page, proof), None)
        look_up = self._memory.snapshot(tenant, request.joint_hash)
        given = await self._breaker.read(look_up, None)
        if given is None or given.id != kept.id:
            return None
        # That the known page's state had to be made again changes nothing for who sent this capture.
        mode = ServeMode.WARM if said.mode is ServeMode.COLD else said.mode
        notices = await self._notices.proven(tenant, page)
        return Made(given, mode, Finish.STOP, True, drafted=said.drafted, notices=notices)


async def _at_once(file: File) -> File:
    return file


def _bars_giving(request: Request, said: Unfinished) -> str:
    """What bars an answer from being given for another photograph; empty where nothing does."""
    grounding = said.grounding
    if said.finish is not Finish.STOP or said.outcome is not Outcome.ANSWERED:
        return "no_value"
    if grounding.grounded is not Grounded.YES or not grounding.evidence:
        return "not_grounded"
    if grounding.whole:
        return _RESTS_ON_MORE
    rests = rests_on(request.inquiry.question, said.text, grounding.evidence)
    return "" if rests else "says_more_than_its_evidence"


def _is_own(snapshot: Snapshot, request: Request) -> bool:
    """Whether its boxes are of the text that is read now."""
    return snapshot.fingerprint == request.fingerprint


def _boxes(grounding: Grounding) -> tuple[Quad, ...]:
    """What must be proven of another capture: the answer's evidence, and what the question names."""
    return tuple(one.quad for one in (*grounding.evidence, *grounding.named))
