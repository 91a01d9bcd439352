"""What trials come to."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from bench.twins.contest import contest_figures
from bench.twins.figures import (
    live_figures,
    lookalike_figures,
    reuse_figures,
    stage_figures,
    twinned,
)
from bench.twins.rivals import CLIP, FIELDS, HASH, WORDS
from bench.twins.trials import CONTROL, LOOKALIKE, REUSE, Page, Trial, Trials


def trial(kind: str, asked: str, same: bool, **more: object) -> Trial:
    """A trial whose one signal says what the rule will."""
    made = Trial("p", "d", "inv3d", True, "c", kind, "", asked, False, {"same": same})
    return replace(made, **{"truthful": kind in (CONTROL, REUSE), **more})  # type: ignore[arg-type]


def same(one: Trial) -> bool:
    """A rule that takes the signal's word."""
    return bool(one.signals["same"])


CONTROLS = [trial(CONTROL, "total", True), trial(CONTROL, "date", False)]


def test_a_trial_is_live_where_its_control_was_served() -> None:
    """A question that the unedited page was refused proves nothing, whatever the twin is told."""
    twins = [
        trial("digit", "total", True, edited="total"),
        trial("digit", "total", False, edited="total"),
        trial("digit", "date", True, edited="date"),
        trial("digit", "total", True, edited="total", page="another"),
        trial("stamp", "total", True, truthful=True),
    ]
    found = twinned([*CONTROLS, *twins], same)
    assert (len(found.live), len(found.wrong), found.made) == (2, 1, 4)
    figures = live_figures([*CONTROLS, *twins], same)
    assert (figures["live.wrong"].value, figures["live.wrong"].n) == (1, 2)
    assert figures["live.wrong.kind.digit_total"].n == 2
    assert (figures["live.wrong.kind.digit_date"].n, figures["unchanged.same"].value) == (0, 1)
    assert live_figures(CONTROLS, same) == {}


def test_no_wrong_answer_bounds_the_rate() -> None:
    """None in 300 trials on one paper bounds the rate at one in a hundred by trial, and hardly by paper."""
    twins = [trial("digit", "total", False, edited="total") for _ in range(300)]
    figures = live_figures([*CONTROLS, *twins], same)
    assert "0.99%" in figures["live.wrong"].note
    assert "95.00%" in figures["live.wrong.documents"].note


def test_reuse_counts_what_is_legible_on_both_photos() -> None:
    """Bend and light are the capture's; what the eye cannot read on either photo is left out."""
    one, other = "d/warped_document_curled_shadow.jpg", "d/warped_document_fewfold_color.jpg"
    tried = [
        trial(REUSE, "total", True, page=one, capture=other),
        trial(REUSE, "date", False, page=one, capture=other),
        trial(REUSE, "number", False, page=one, capture=other),
    ]
    legible = {(one, "total"), (other, "total"), (one, "date"), (other, "date"), (one, "number")}
    page = Page(tuple(tried), ("seller", "number"), ())
    figures = reuse_figures([page], same, frozenset(legible))
    assert (figures["reuse.real_photos"].value, figures["reuse.real_photos"].n) == (0.5, 2)
    assert figures["reuse.real_photos.bend.fewfold"].n == 2
    assert (figures["reuse.misread"].value, figures["reuse.misread"].n) == (1, 4)


def test_a_lookalike_that_shares_a_value_is_not_wrong_in_it() -> None:
    """The seller's name of one shop's other receipt is right; that the page was taken is counted all the same."""
    tried = [
        trial(LOOKALIKE, "seller", True, truthful=True),
        trial(LOOKALIKE, "total", False),
        trial(LOOKALIKE, "total", True, capture="e"),
    ]
    figures = lookalike_figures(tried, same)
    assert (figures["lookalike.wrong"].value, figures["lookalike.wrong"].n) == (1, 2)
    assert (figures["lookalike.pairs_taken"].value, figures["lookalike.pairs_taken"].n) == (2, 2)
    assert figures["lookalike.inv3d.pairs_taken"].n == 2
    assert lookalike_figures(CONTROLS, same) == {}


def test_rivals_are_taken_at_their_best() -> None:
    """A hash is the better the smaller it is; each rival stands at the bar that tells twins apart best."""
    good = [
        trial(CONTROL, "total", True, rivals={HASH: 10.0, CLIP: 0.5, WORDS: 0.9, FIELDS: 1.0}),
        trial(CONTROL, "date", True, rivals={HASH: 80.0, CLIP: 0.5, WORDS: 0.9, FIELDS: 0.0}),
    ]
    bad = [
        trial("digit", "total", False, rivals={HASH: 40.0, CLIP: 0.5, WORDS: 0.9, FIELDS: 0.0}),
        trial("digit", "date", True, rivals={HASH: 90.0, CLIP: 0.5, WORDS: 0.8, FIELDS: 0.0}),
    ]
    figures = contest_figures([*good, *bad], same)
    assert (figures["rival.judge.served"].value, figures["rival.judge.wrong"].value) == (1, 1)
    assert (figures["rival.hash.served"].value, figures["rival.hash.wrong"].value) == (0.5, 0)
    assert figures["rival.hash.served_at_none_wrong"].value == 0.5
    assert (figures["rival.words.served"].value, figures["rival.words.wrong"].value) == (1, 1)
    assert figures["rival.words.served_at_none_wrong"].value == 0
    assert (figures["rival.fields.served"].value, figures["rival.fields.wrong"].value) == (0.5, 0)


def test_stages_are_told_in_milliseconds() -> None:
    """Median and tail of each stage that some comparison had."""
    pages = [Page((), (), ({"register": 10.0}, {"register": 20.0, "prove": 5.0}))]
    figures = stage_figures(pages)
    assert figures["stage.identify.register.p50_ms"].value == 15
    assert figures["stage.identify.prove.p95_ms"].n == 1


def test_trials_are_kept_page_by_page(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What was put under a name and a revision comes back as it was, and nothing under another."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    page = Page((*CONTROLS, trial("digit", "total", True)), ("seller",), ({"register": 1.5},))
    Trials("one").put("a", page)
    assert Trials("one").get("a") == page
    assert Trials("one").get("b") is None
    assert Trials("two").get("a") is None
