"""An answer on its way: unfinished, made, and given to one caller or another."""

from __future__ import annotations

import secrets
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from edge_clm.errors import InternalFault, PageStateGone
from edge_clm.inquiry import Request
from edge_clm.paper import Grounding, Notice, PageText
from edge_clm.ports import Engine
from edge_clm.trace import Trace
from edge_clm.types import (
    Answer,
    Drafted,
    File,
    Finish,
    Outcome,
    Piece,
    Prefilled,
    Reason,
    ServeMode,
    Snapshot,
    Stage,
    Step,
    Task,
)


@dataclass(slots=True)
class Unfinished:
    """An answer while it is being made."""

    trace: Trace = field(default_factory=Trace)
    text: str = ""
    tokens: tuple[int, ...] = ()
    finish: Finish | None = None
    drafted: Drafted = field(default=Drafted(0, 0))
    vector: bytes = b""
    outcome: Outcome | None = None
    grounding: Grounding = field(default=Grounding())
    prefilled: Prefilled = field(default=Prefilled(warm=False, tokens=0, dropped_lines=0))

    def take(self, step: Step) -> str:
        """Adds what the engine reports; returns the text that is new."""
        match step:
            case Stage():
                self.trace.add([step])
            case Prefilled():
                self.prefilled = step
            case Outcome():
                self.outcome = step
            case Grounding():
                self.grounding = step
            case Piece():
                self.text += step.text
                self.tokens += step.tokens
                self.finish = step.finish or self.finish
                self.drafted = step.drafted or self.drafted
                self.vector = step.vector or self.vector
                return step.text
        return ""

    @property
    def ended(self) -> tuple[Finish, Outcome]:
        """How it ended; raises InternalFault where the engine has not said."""
        if self.finish is None or self.outcome is None:
            raise InternalFault("the engine left an answer unfinished")
        return self.finish, self.outcome

    @property
    def mode(self) -> ServeMode:
        """How it came about, on the engine's side."""
        if not self.prefilled.warm:
            return ServeMode.COLD
        confirmed = self.drafted.accepted > 0 and self.drafted.rejected == 0
        whole = confirmed and self.drafted.accepted == len(self.tokens)
        return ServeMode.VERIFIED if whole else ServeMode.WARM

    def explain(self, trace: Trace) -> None:
        """Notes whether the page state was there, and what became of a draft."""
        there = "on_disk" if self.prefilled.restore_ms else "in_memory"
        trace.decided("state", there if self.prefilled.warm else "made")
        told = self.drafted.accepted + self.drafted.rejected
        if told:
            outcome = "rejected" if self.drafted.rejected else "confirmed"
            trace.decided("draft", outcome, f"{self.drafted.accepted} of {told} tokens")

    def snapshot(self, request: Request, page_key: str, text: PageText) -> Snapshot:
        """What would be kept of it as an answer about the page of that key and text; raises as `ended`."""
        _, outcome = self.ended
        return Snapshot(
            id=f"a_{secrets.token_hex(16)}",
            joint_hash=request.joint_hash_of(page_key),
            tenant=request.inquiry.tenant,
            page_key=page_key,
            suffix=request.suffix,
            text=self.text,
            tokens=self.tokens,
            outcome=outcome,
            fingerprint=request.fingerprint,
            prompt_tokens=self.prefilled.tokens,
            dropped_lines=self.prefilled.dropped_lines,
            created=time.time(),
            turn=text.turn,
            width=text.width,
            height=text.height,
            grounding=self.grounding,
            vector=self.vector,
        )


async def told(
    engine: Engine, task: Task, file: Callable[[], Awaitable[File]]
) -> AsyncGenerator[Step, None]:
    """What the engine reports on a task; where it lacks the page state, once more with the file to make it from."""
    try:
        async with aclosing(engine.answer(task)) as steps:
            async for step in steps:
                yield step
    except PageStateGone:
        async with aclosing(engine.answer(replace(task, file=await file()))) as steps:
            async for step in steps:
                yield step


@dataclass(frozen=True, slots=True)
class Made:
    """A finished answer, still without the capture that one or another caller sent."""

    snapshot: Snapshot
    mode: ServeMode
    finish: Finish
    stored: bool
    stages: tuple[Stage, ...] = ()
    drafted: Drafted = field(default=Drafted(0, 0))
    notices: tuple[Notice, ...] = ()
    reasons: tuple[Reason, ...] = ()


def given(request: Request, made: Made, trace: Trace) -> Answer:
    """The answer to one caller: what was made, about the capture that this one sent."""
    snapshot = made.snapshot
    trace.add(made.stages)
    replayed = made.mode is ServeMode.REPLAY
    return Answer(
        id=snapshot.id if made.stored else "",
        text=snapshot.text,
        outcome=snapshot.outcome,
        mode=made.mode,
        finish=made.finish,
        stages=trace.stages,
        page=request.shown.view.number,
        pages=request.shown.pages,
        handle=request.shown.view.handle,
        prompt_tokens=snapshot.prompt_tokens,
        answer_tokens=len(snapshot.tokens),
        dropped_lines=snapshot.dropped_lines,
        stored=made.stored,
        age_s=max(0.0, time.time() - snapshot.created) if replayed else 0.0,
        turn=snapshot.turn,
        width=snapshot.width,
        height=snapshot.height,
        grounding=snapshot.grounding,
        drafted=made.drafted,
        notices=made.notices,
        reasons=(*trace.reasons, *made.reasons),
    )
