"""Answers as the contract words them."""

from __future__ import annotations

from collections.abc import Sequence

from edge_clm.document import ReadPage
from edge_clm.errors import Cancelled
from edge_clm.extractor import Extracted
from edge_clm.paper import Grounded, Notice
from edge_clm.server.values import (
    evidence_message,
    extraction_message,
    flaw_values,
    notice_message,
    value_message,
)
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
_GROUNDED = {
    Grounded.UNEXAMINED: pb.GROUNDED_UNSPECIFIED,
    Grounded.YES: pb.GROUNDED_YES,
    Grounded.NO: pb.GROUNDED_NO,
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
            notices=[notice_message(notice) for notice in answer.notices],
        ),
        stages=[pb.Stage(name=stage.name, ms=stage.ms) for stage in answer.stages],
        tokens=pb.Tokens(
            page=answer.prompt_tokens,
            answer=answer.answer_tokens,
            accepted=answer.drafted.accepted,
            rejected=answer.drafted.rejected,
        ),
        provenance=pb.Provenance(stored=answer.stored, age_s=answer.age_s),
        dropped_lines=answer.dropped_lines,
        value=value_message(answer.grounding.value),
        grounded=_GROUNDED[answer.grounding.grounded],
        evidence=[evidence_message(item, answer.page) for item in answer.grounding.evidence],
    )


def extract_message(extracted: Extracted) -> pb.ExtractResponse:
    """The contract's ExtractResponse."""
    return pb.ExtractResponse(
        extraction=extraction_message(extracted.extraction),
        pages=[
            _page(page, notices)
            for page, notices in zip(extracted.pages, extracted.notices, strict=True)
        ],
        serve_mode=_MODES[extracted.mode],
        stages=[pb.Stage(name=stage.name, ms=stage.ms) for stage in extracted.stages],
    )


def _page(page: ReadPage, notices: Sequence[Notice]) -> pb.PageInfo:
    return pb.PageInfo(
        handle=page.shown.view.handle,
        number=page.number,
        count=page.shown.pages,
        width=page.text.width,
        height=page.text.height,
        turn=page.text.turn,
        flaws=flaw_values(page.text.flaws),
        notices=[notice_message(notice) for notice in notices],
    )
