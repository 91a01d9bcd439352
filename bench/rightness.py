"""Figures of how right values are: extracted, asked for, and called grounded."""

from __future__ import annotations

from typing import Any

from bench.bounds import bootstrap
from bench.documents import Document
from bench.report import Figure, mean, share
from edge_clm.train.calibration_error import ece
from edge_clm.v1 import edge_clm_pb2 as pb

Scored = list[tuple[str, tuple[bool, float | None]]]
"""The name of a figure, and exact and anls."""


def accuracy(what: str, documents: list[Document], scored: list[Scored]) -> dict[str, Figure]:
    """WHAT.NAME.exact, and .anls for names, addresses and passages, by sheet; names keep their order."""
    sheets: dict[str, dict[str, list[tuple[bool, float | None]]]] = {}
    for document, scores in zip(documents, scored, strict=True):
        for name, score in scores:
            sheets.setdefault(name, {}).setdefault(document.sheet, []).append(score)
    figures: dict[str, Figure] = {}
    for name, groups in sheets.items():
        figures |= _field(f"{what}.{name}", list(groups.values()))
    return figures


def refusals(results: list[dict[str, Any]]) -> dict[str, Figure]:
    """ask.absent.said and ask.present.refused, over equal numbers of questions to each document."""
    said, refused = [], []
    for one in results:
        absent = [outcome for there, outcome in one["refused"] if not there]
        present = [outcome for there, outcome in one["refused"] if there]
        if absent and present:
            said.append([float(outcome) for outcome in absent])
            refused.append([float(outcome) for outcome in present[: len(absent)]])
    if not said:
        return {}
    return {"ask.absent.said": share(said), "ask.present.refused": share(refused)}


def _field(key: str, sheets: list[list[tuple[bool, float | None]]]) -> dict[str, Figure]:
    figures = {f"{key}.exact": share([[float(exact) for exact, _ in sheet] for sheet in sheets])}
    likeness = [[anls for _, anls in sheet if anls is not None] for sheet in sheets]
    if any(likeness):
        figures[f"{key}.anls"] = mean(likeness, "0…1")
    return figures


def calibration(results: list[dict[str, Any]]) -> dict[str, Figure]:
    """extract.confidence.ece: how far confidence and share of right fields lie apart, in ten bins."""
    groups = [one["sure"] for one in results if one["sure"]]
    pairs = [pair for group in groups for pair in group]
    if not pairs:
        return {}
    at = iter(range(len(pairs)))
    places = [[float(next(at)) for _ in group] for group in groups]
    low, high = bootstrap(places, lambda drawn: ece([pairs[int(place)] for place in drawn]))
    note = "of labelled fields on these documents"
    return {"extract.confidence.ece": Figure(ece(pairs), len(pairs), "0…1", low, high, note)}


def grounding(results: list[dict[str, Any]]) -> dict[str, Figure]:
    """grounded.share, .wrong and .missed, by document."""
    groups = [one["grounded"] for one in results]
    yes, unexamined = pb.GROUNDED_YES, pb.GROUNDED_UNSPECIFIED
    shares = {
        "share": [[float(said == yes) for said, _ in one if said != unexamined] for one in groups],
        "wrong": [[float(not right) for said, right in one if said == yes] for one in groups],
        "missed": [
            [float(said == pb.GROUNDED_NO) for said, right in one if right] for one in groups
        ],
    }
    return {f"grounded.{key}": share(values) for key, values in shares.items() if any(values)}
