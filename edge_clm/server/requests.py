"""Requests of the contract, checked field by field and turned into inquiries."""

from __future__ import annotations

import math

from edge_clm.config import Limits
from edge_clm.errors import ImageMissing, ImageTooManyBytes, QuestionMissing, RequestInvalid
from edge_clm.extractor import Order
from edge_clm.identify import Source
from edge_clm.inquiry import Inquiry
from edge_clm.policy import Wish
from edge_clm.server.call import Call
from edge_clm.v1 import edge_clm_pb2 as pb

_LEAST_TEMPERATURE = 0.0099
"""A little under 0.01, which has no exact float."""
_LONGEST_NAME = 256
"""Characters of a handle or an answer's id; ours are far shorter."""


def asked(request: pb.AskRequest | pb.AskStreamRequest, call: Call, limits: Limits) -> Inquiry:
    """The inquiry of a question; raises the error that names the field at fault."""
    if not request.question.strip():
        raise QuestionMissing("the question is empty", field="question")
    return Inquiry(
        tenant=call.tenant,
        source=_source(request.page, limits),
        deadline=call.deadline,
        question=request.question,
        wish=_wish(request.reuse),
        max_tokens=_max_tokens(request.generation, limits),
        temperature=_temperature(request.generation),
        seed=request.generation.seed,
    )


def described(request: pb.DescribeRequest, call: Call, limits: Limits) -> Inquiry:
    """The inquiry of a wish for a description; raises the error that names the field at fault."""
    return Inquiry(
        tenant=call.tenant,
        source=_source(request.page, limits),
        deadline=call.deadline,
        describe=True,
        wish=_wish(request.reuse),
        max_tokens=_max_tokens(request.generation, limits),
        temperature=_temperature(request.generation),
        seed=request.generation.seed,
    )


def ordered(request: pb.ExtractRequest, call: Call, limits: Limits) -> Order:
    """The order of an extraction; raises the error that names the field at fault."""
    source = _source(request.page, limits)
    return Order(call.tenant, source, call.deadline, _wish(request.reuse))


def judged(request: pb.FeedbackRequest, limits: Limits) -> bool:
    """Whether the answer was right; raises RequestInvalid."""
    _name(request.answer_id, "answer_id")
    if not request.answer_id:
        raise RequestInvalid("answer_id is empty", field="answer_id")
    if len(request.correction) > limits.max_question_chars:
        raise RequestInvalid(
            f"correction is longer than {limits.max_question_chars} characters", field="correction"
        )
    if request.judgement not in (pb.JUDGEMENT_RIGHT, pb.JUDGEMENT_WRONG):
        raise RequestInvalid("judgement is neither right nor wrong", field="judgement")
    return request.judgement == pb.JUDGEMENT_RIGHT


def refuse_above(size: int, limits: Limits, field: str) -> None:
    """Raises ImageTooManyBytes for more than the daemon accepts."""
    if size > limits.max_bytes:
        raise ImageTooManyBytes(f"more than {limits.max_bytes} bytes", field=field)


def _source(page: pb.Page, limits: Limits) -> Source:
    if page.number < 0:
        raise RequestInvalid("page.number is negative; pages count from 1", field="page.number")
    if page.WhichOneof("source") == "handle":
        if not page.handle:
            raise ImageMissing("the handle is empty", field="page.handle")
        _name(page.handle, "page.handle")
        return Source(None, page.handle, page.number)
    if not page.image:
        raise ImageMissing("neither image nor handle was given", field="page")
    refuse_above(len(page.image), limits, "page.image")
    return Source(page.image, "", page.number)


def _name(value: str, field: str) -> None:
    if len(value) > _LONGEST_NAME:
        raise RequestInvalid(f"{field} is longer than {_LONGEST_NAME} characters", field=field)


def _wish(reuse: pb.Reuse) -> Wish:
    if not (reuse.max_age_s >= 0 and math.isfinite(reuse.max_age_s)):
        raise RequestInvalid("reuse.max_age_s is no duration", field="reuse.max_age_s")
    return Wish(fresh=reuse.fresh, no_store=reuse.no_store, max_age_s=reuse.max_age_s)


def _max_tokens(generation: pb.Generation, limits: Limits) -> int:
    if generation.max_tokens < 0:
        raise RequestInvalid("generation.max_tokens is negative", field="generation.max_tokens")
    return min(generation.max_tokens, limits.max_tokens)


def _temperature(generation: pb.Generation) -> float:
    warmth = generation.temperature
    # Below the least, chances overflow; who means greedy says 0.
    if warmth != 0 and not _LEAST_TEMPERATURE <= warmth <= 2:
        raise RequestInvalid(
            "generation.temperature is neither 0 nor 0.01 to 2", field="generation.temperature"
        )
    return warmth
