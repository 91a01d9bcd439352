"""From what a comparison has told to a verdict: the rule of design §4, with thresholds that were calibrated."""

from __future__ import annotations

from dataclasses import dataclass

from edge_clm.types import Verdict


@dataclass(frozen=True, slots=True)
class Signals:
    """What a comparison has told, as far as one wanted answer needs it; ratios are in nats."""

    matches: int
    """Points of the page that were found on the capture; 0 where it could not be registered."""
    names: str
    """The fields that name the page, joined by commas; empty where nothing on it does."""
    naming: float
    """The least ratio among them."""
    others: float
    """The least ratio among the other identity fields that lie where they were expected."""
    evidence: float
    """The least ratio among what the wanted answer rests on."""
    words: float
    """Share of a sample of the page's lines that are likelier than their rivals, 0…1."""
    near: float
    """Log odds of a mark on or beside what names the page and what the answer rests on."""
    sign: float
    """The most new ink before a number that the answer rests on, as a share of what its print has."""
    far: float
    """Log odds of a mark anywhere on the page."""
    whole: bool
    """True where the answer is about the whole page."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """From where on each signal speaks for or against the page; calibrated, never set by eye."""

    matches: int
    naming: float
    conflict: float
    """Below it another identity field says something else."""
    evidence: float
    words: float
    near: float
    sign: float
    far: float


@dataclass(frozen=True, slots=True)
class Ruling:
    """A verdict with the reasons for it; a page that is the same needs none."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()


def rule(signals: Signals, thresholds: Thresholds) -> Ruling:
    """Whether a capture shows the known page, as far as one wanted answer needs to know.

    What stands elsewhere on the page matters to an answer about the whole page alone: a stamp leaves the
    values that it does not touch as they were. `different` where something that is printed is told to be something else; `unsure` where anything
    needed was not read, or a mark is not explained.
    """
    if signals.matches < thresholds.matches:
        return Ruling(Verdict.UNSURE, ("the page was not found on the capture",))
    if not signals.names:
        return Ruling(Verdict.UNSURE, ("nothing on the page names it",))
    conflicts = [
        f"{what}: something else is printed, ratio {ratio:.0f}"
        for what, ratio in _ratios(signals).items()
        if ratio < thresholds.conflict
    ]
    if conflicts:
        return Ruling(Verdict.DIFFERENT, tuple(conflicts))
    unread = tuple(_unread(signals, thresholds))
    return Ruling(Verdict.UNSURE, unread) if unread else Ruling(Verdict.SAME)


def _ratios(signals: Signals) -> dict[str, float]:
    return {
        signals.names: signals.naming,
        "another identity field": signals.others,
        "evidence": signals.evidence,
    }


def _unread(signals: Signals, thresholds: Thresholds) -> list[str]:
    told = {
        f"{signals.names}: unread, ratio {signals.naming:.1f}": signals.naming < thresholds.naming,
        f"evidence: unread, ratio {signals.evidence:.1f}": signals.evidence < thresholds.evidence,
        f"words: {signals.words:.0%} agree": signals.words < thresholds.words,
        "a mark beside what the answer rests on": signals.near > thresholds.near,
        "a sign before a number": signals.sign > thresholds.sign,
        "a mark elsewhere on the page": signals.whole and signals.far > thresholds.far,
    }
    return [reason for reason, holds in told.items() if holds]
