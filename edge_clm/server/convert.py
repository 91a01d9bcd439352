"""Answers as the contract words them."""

from __future__ import annotations

from edge_clm.errors import Cancelled
from edge_clm.paper import Evidence
from edge_clm.types import Answer, Finish, Outcome, ServeMode
from edge_clm.v1 import edge_clm_pb2 as pb

_MODES = {
    ServeMode.COLD: pb.SERVE_MODE_COLD,
    ServeMode.WARM: pb.SERVE_MODE_WARM,
    ServeMode.VERIFIED: pb.SERVE_MODE_VERIFIED,
    ServeMode.REPLAY: pb.SERVE_MODE_REPLAY,
}
_OUTCOMES = {
    Outcome.ANSWERED: pb.OUTCOME_ANSWERED,
    Outcome.NOT_ON_PAGE: pb.OUTCOME_NOT_ON_PAGE,
    Outcome.UNREADABLE: pb.OUTCOME_UNREADABLE,
}
_FINISHES = {
    Finish.STOP: pb.FINISH_REASON_STOP,
    Finish.LENGTH: pb.FINISH_REASON_LENGTH,
    Finish.REPETITION: pb.FINISH_REASON_REPETITION,
}


def answer_message(answer: Answer) -> pb.Answer:
    """The contract's Answer; raises Cancelled for one that was broken off, which is no answer."""
    if answer.finish is Finish.CANCELLED:
        raise Cancelled("the answer was broken off")
    return pb.Answer(
        answer_id=answer.id,
        text=answer.text,
        outcome=_OUTCOMES[answer.outcome],
        serve_mode=_MODES[answer.mode],
        finish_reason=_FINISHES[answer.finish],
        page=pb.PageInfo(
            handle=answer.handle,
            number=answer.page,
            count=answer.pages,
            width=answer.width,
            height=answer.height,
            turn=answer.turn,
        ),
        stages=[pb.Stage(name=stage.name, ms=stage.ms) for stage in answer.stages],
        tokens=pb.Tokens(page=answer.prompt_tokens, answer=answer.answer_tokens),
        provenance=pb.Provenance(stored=answer.stored, age_s=answer.age_s),
        dropped_lines=answer.dropped_lines,
        evidence=[_evidence(item) for item in answer.evidence],
    )


def _evidence(item: Evidence) -> pb.Evidence:
    return pb.Evidence(text=item.text, quad=[pb.Point(x=x, y=y) for x, y in item.quad])
