"""Answers as people and as programs read them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from edge_clm.cli.enums import short
from edge_clm.cli.notice import notice_records

if TYPE_CHECKING:
    from edge_clm.v1.edge_clm_pb2 import Answer, Evidence


def json_line(value: dict[str, Any]) -> str:
    """One line of JSON."""
    return json.dumps(value, ensure_ascii=False)


def answer_fields(answer: Answer) -> dict[str, Any]:
    """An answer as JSON keeps it; milliseconds by stage, enums by their short names."""
    return {
        "answer": answer.text,
        "outcome": outcome(answer),
        "serve_mode": serve_mode(answer),
        "finish_reason": finish_reason(answer),
        "answer_id": answer.answer_id,
        "handle": answer.page.handle,
        "page": answer.page.number,
        "pages": answer.page.count,
        "width": answer.page.width,
        "height": answer.page.height,
        "turn": answer.page.turn,
        "stages": {name: round(ms, 3) for name, ms in stage_ms(answer).items()},
        "tokens": {
            "page": answer.tokens.page,
            "answer": answer.tokens.answer,
            "accepted": answer.tokens.accepted,
            "rejected": answer.tokens.rejected,
        },
        "stored": answer.provenance.stored,
        "age_s": round(answer.provenance.age_s, 3),
        "dropped_lines": answer.dropped_lines,
        "notices": notice_records(answer.page),
        "evidence": [_evidence_fields(evidence) for evidence in answer.evidence],
    }


def how(answer: Answer) -> str:
    """One line that says how an answer came about, and what a reader must know of it.

    Stages of less than a millisecond are left out.
    """
    long = {name: ms for name, ms in stage_ms(answer).items() if ms >= 1}
    stages = ", ".join(f"{name} {_ms(ms)}" for name, ms in long.items())
    parts = [serve_mode(answer)]
    if stages:
        parts.append(f"{stages} ms")
    if drafted := answer.tokens.accepted + answer.tokens.rejected:
        parts.append(f"{answer.tokens.accepted} of {drafted} drafted tokens confirmed")
    if answer.provenance.age_s:
        parts.append(f"first answered {answer.provenance.age_s:.0f} s ago")
    if finish_reason(answer) != "stop":
        parts.append(f"cut: {finish_reason(answer)}")
    if answer.dropped_lines:
        parts.append(f"{answer.dropped_lines} lines at the end of the page did not fit")
    return " · ".join(parts)


def stage_ms(answer: Answer) -> dict[str, float]:
    """Milliseconds by stage in the order in which the stages first ran."""
    total: dict[str, float] = {}
    for stage in answer.stages:
        total[stage.name] = total.get(stage.name, 0.0) + stage.ms
    return total


def serve_mode(answer: Answer) -> str:
    """How the answer came about: cold, warm, verified or replay."""
    return short(answer, "serve_mode", answer.serve_mode)


def outcome(answer: Answer) -> str:
    """What kind of answer it is: answered, not_on_page or unreadable."""
    return short(answer, "outcome", answer.outcome)


def finish_reason(answer: Answer) -> str:
    """Why the text ended: stop, length or repetition."""
    return short(answer, "finish_reason", answer.finish_reason)


def printable(text: str) -> str:
    """Text without control characters: what a page says must not steer the terminal."""
    return "".join(char if char.isprintable() or char in "\n\t" else "\ufffd" for char in text)


def _evidence_fields(evidence: Evidence) -> dict[str, Any]:
    return {"text": evidence.text, "quad": [[point.x, point.y] for point in evidence.quad]}


def _ms(ms: float) -> str:
    return f"{ms:.0f}" if ms >= 10 else f"{ms:.1f}"
