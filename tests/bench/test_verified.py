"""Figures of answers from drafts, from trials that are known."""

from __future__ import annotations

from bench.verified import Trial, _drafts, _Said, _trial, figures_of
from edge_clm.types import Draft, Drafted


def said(*tokens: int, text: str = "", drafted: Drafted | None = None) -> _Said:
    return _Said(tokens, text, 10.0, drafted)


def test_drafts_are_made_of_the_answers_at_hand() -> None:
    """The digit is changed in the text; without a digit, and where the other field says the same, there is no trial."""
    mine, other = said(1, 2, text="Total 9.50"), said(3, text="x")
    found = dict(_drafts(mine, other, said(4)))
    assert found == {
        "exact": Draft("", (1, 2)),
        "near": Draft("", (3,)),
        "spelled": Draft("Total 9.50", ()),
        "digit": Draft("Total 0.50", ()),
        "foreign": Draft("", (4,)),
    }
    assert set(dict(_drafts(other, mine, other))) == {"exact", "near", "spelled"}


def test_a_trial_tells_what_a_draft_has_changed() -> None:
    """Tokens, digits, and whether the draft was the answer."""
    plain = said(1, 2, text="4.20")
    same = _trial("exact", plain, said(1, 2, text="4.20", drafted=Drafted(2, 0)))
    assert (same.equal, same.same_digits, same.confirmed) == (True, True, True)
    other = _trial("digit", plain, said(1, 3, text="4.30", drafted=Drafted(1, 1)))
    assert (other.equal, other.same_digits, other.confirmed) == (False, False, False)


def test_figures_by_source_and_over_all() -> None:
    """Shares by source, counts of what must not happen, times as ratios."""
    right = Trial("exact", True, True, True, 2.0, 10.0)
    wrong = Trial("digit", False, False, False, 12.0, 10.0)
    figures = figures_of([[right, wrong], [right]])
    assert figures["verified.exact.equal"].value == 1
    assert figures["verified.exact.over_plain.p50"].value == 0.2
    assert figures["verified.equal"].value == 2 / 3
    assert figures["verified.digit_differs"].value == 1
    assert (
        figures["verified.wrong_draft.wrong"].value,
        figures["verified.wrong_draft.wrong"].n,
    ) == (1, 1)
