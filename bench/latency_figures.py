"""Makes the latency bench's figures from the times of its documents."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from bench.report import Figure, Groups, ranked, ratio

Results = list[dict[str, Any]]
RANKS = (50, 95)
MB = 1e6


def figures_of(results: Results) -> dict[str, Figure]:
    """Every figure of the bench; `results` has one entry a document."""
    return _warm(results) | _replays(results) | _plain(results) | _absolute(results)


def _warm(results: Results) -> dict[str, Figure]:
    figures = {}
    for rank in RANKS:
        for key, field in (("ttft", "first_ms"), ("ttft_server", "server_first_ms")):
            warm = _groups(results, ("warm", "short"), field)
            figures[f"{key}.warm_over_cold.p{rank}"] = ratio(warm, _cold(results, field), rank)
        whole = _groups(results, ("warm",), "total_ms")
        figures[f"e2e.warm_over_cold.p{rank}"] = ratio(whole, _cold(results, "total_ms"), rank)
    return figures


def _replays(results: Results) -> dict[str, Figure]:
    figures = {}
    for kind in ("handle", "bytes"):
        note = (
            f"largest file {max(one['bytes'] for one in results) / MB:.2f} MB"
            if kind == "bytes"
            else ""
        )
        for key, column in ((f"replay.{kind}", 0), (f"replay.{kind}.client", 1)):
            groups = [[times[column] for times in one["replays"][kind]] for one in results]
            groups = [group for group in groups if group]
            for rank in RANKS if groups else ():
                figures[f"{key}.p{rank}_ms"] = ranked(groups, rank, "ms", note)
    return figures


def _plain(results: Results) -> dict[str, Figure]:
    """Cold over plain transformers.

    With the same prompt only documents count where both wrote as many tokens: the daemon stops an
    answer that repeats itself, and to have written less is not to have been faster. Without the page
    text the answers are others anyhow; the note says how long they were.
    """
    alike = [
        one for one in results if one["cold"]["tokens"] == one["plain"]["same_prompt"]["tokens"]
    ]
    said = f"the {len(alike)} of {len(results)} documents with equally long answers"
    figures = {}
    for rank in RANKS:
        if alike:
            plain = _plain_times(alike, "same_prompt", "total_ms")
            cold, less_ocr = _cold(alike, "total_ms"), _cold_without_ocr(alike)
            key = "cold_over_plain.same_prompt"
            figures[f"{key}.p{rank}"] = ratio(cold, plain, rank, said)
            figures[f"{key}.less_ocr.p{rank}"] = ratio(less_ocr, plain, rank, said)
        plain = _plain_times(results, "no_ocr_text", "total_ms")
        cold = _cold(results, "total_ms")
        figures[f"cold_over_plain.no_ocr_text.p{rank}"] = ratio(cold, plain, rank, _tokens(results))
        for kind in ("same_prompt", "no_ocr_text"):
            first = _plain_times(results, kind, "first_ms")
            key = f"cold_over_plain.{kind}.first.p{rank}"
            figures[key] = ratio(_cold(results, "first_ms"), first, rank)
    return figures


def _absolute(results: Results) -> dict[str, Figure]:
    arms: dict[str, Callable[[str], Groups]] = {
        "cold": lambda field: _cold(results, field),
        "warm": lambda field: _groups(results, ("warm",), field),
        "plain.same_prompt": lambda field: _plain_times(results, "same_prompt", field),
        "plain.no_ocr_text": lambda field: _plain_times(results, "no_ocr_text", field),
    }
    figures = {}
    for arm, times in arms.items():
        figures[f"ttft.{arm}.p50_ms"] = ranked(times("first_ms"), 50, "ms")
        figures[f"e2e.{arm}.p50_ms"] = ranked(times("total_ms"), 50, "ms")
    return figures


def _cold(results: Results, field: str) -> Groups:
    return [[one["cold"][field]] for one in results]


def _groups(results: Results, arms: tuple[str, ...], field: str) -> Groups:
    return [[times[field] for arm in arms for times in one[arm]] for one in results]


def _plain_times(results: Results, kind: str, field: str) -> Groups:
    return [[one["plain"][kind][field]] for one in results]


def _cold_without_ocr(results: Results) -> Groups:
    return [[one["cold"]["total_ms"] - one["cold"]["ocr_ms"]] for one in results]


def _tokens(results: Results) -> str:
    cold = sum(one["cold"]["tokens"] for one in results) / len(results)
    plain = sum(one["plain"]["no_ocr_text"]["tokens"] for one in results) / len(results)
    return f"tokens an answer: cold {cold:.0f}, plain {plain:.0f}"
