"""Figures of new photographs of known pages, from calls that are made up."""

from __future__ import annotations

import pytest

from bench.reuse_figures import Asking, Miss, figures_of

COLD = {"ocr": 900.0, "generate": 100.0}
WARM = {"identify.recall": 20.0, "identify.register": 100.0, "identify.prove": 80.0}


def asking(document: str, mode: str, reuse_ms: float, *, right: bool = True) -> Asking:
    return Asking(document, mode, reuse_ms, 1000.0, right, True, WARM if mode == "warm" else COLD)


def test_a_photo_counts_by_how_it_was_served() -> None:
    """Times over cold of all further photos, and of the warm ones apart; a wrong warm answer is told."""
    askings = [asking("a", "warm", 200), asking("a", "warm", 300, right=False)]
    askings += [asking("b", "cold", 1100), asking("b", "warm", 400)]
    figures = figures_of(askings, [])
    assert figures["rephoto.served"].value == 0.75
    assert (figures["rephoto.right"].value, figures["cold.right"].value) == (0.75, 1.0)
    assert figures["rephoto.wrong_warm"].value == pytest.approx(1 / 3)
    assert figures["e2e.warm_over_cold.p50"].value == pytest.approx(0.3)
    assert figures["e2e.rephoto_over_cold.p50"].value == pytest.approx(0.35)
    assert figures["stage.identify.prove.p50_ms"].value == 80
    assert not any(name.startswith("miss.") for name in figures)


def test_nothing_is_said_of_warm_answers_where_there_are_none() -> None:
    """Only what was measured has a figure."""
    figures = figures_of([asking("a", "cold", 1000)], [])
    assert figures["rephoto.served"].value == 0
    assert not {name for name in figures if "warm" in name}


def test_what_was_read_is_told_by_what_barred_it() -> None:
    """The last word about a known page; what was served is not among them."""
    whys = (["recall likely", "compare unsure", "state made"], ["recall nothing_like_it"], [])
    read = [Asking("a", "cold", 1.0, 1.0, True, True, COLD, (), why) for why in whys]
    served = Asking("a", "warm", 1.0, 1.0, True, True, WARM, (), ["recall likely", "compare same"])
    figures = figures_of([*read, served], [])
    told = {name: figure.value for name, figure in figures.items() if ".read." in name}
    assert told == {
        "rephoto.read.compare.unsure": 0.25,
        "rephoto.read.recall.nothing_like_it": 0.25,
        "rephoto.read.untold": 0.25,
    }


def test_notices_are_counted_by_kind() -> None:
    """Of photographs of one paper none has changed, and of unseen pages nothing is known."""
    seen = Asking("a", "cold", 1.0, 1.0, True, True, COLD, ["seen_before", "seen_before"])
    wrong = Asking("a", "cold", 1.0, 1.0, True, True, COLD, ["changed"])
    misses = [Miss("b", "cold", COLD), Miss("c", "cold", COLD, ["same_number"])]
    figures = figures_of([seen, wrong], misses)
    assert (figures["notice.seen_before"].value, figures["notice.changed"].value) == (0.5, 0.5)
    assert figures["notice.false"].value == 0.5


def test_a_miss_costs_what_recall_adds() -> None:
    """Over the stages that the page has anyway; an answer from memory about an unseen page is told."""
    misses = [
        Miss("a", "cold", COLD),
        Miss("b", "cold", COLD | {"identify.recall": 20.0}),
        Miss("c", "warm", COLD | WARM),
    ]
    figures = figures_of([asking("a", "warm", 200)], misses)
    assert figures["miss.unique_over_off.p50"].value == pytest.approx(1.02)
    assert figures["miss.asked"].value == pytest.approx(1 / 3)
    assert figures["miss.wrong"].value == 1
