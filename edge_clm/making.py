"""An answer on its way: unfinished, made, and given to one caller or another."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from edge_clm.inquiry import Request
from edge_clm.paper import Grounding
from edge_clm.trace import Trace
from edge_clm.types import (
    Answer,
    Finish,
    Outcome,
    Piece,
    Prefilled,
    ServeMode,
    Snapshot,
    Stage,
    Step,
)


@dataclass(slots=True)
class Unfinished:
    """An answer while it is being made."""

    trace: Trace = field(default_factory=Trace)
    text: str = ""
    tokens: tuple[int, ...] = ()
    finish: Finish | None = None
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
                return step.text
        return ""


@dataclass(frozen=True, slots=True)
class Made:
    """A finished answer, still without the capture that one or another caller sent."""

    snapshot: Snapshot
    mode: ServeMode
    finish: Finish
    stored: bool
    stages: tuple[Stage, ...] = ()


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
    )
