"""What a confidence is worth: how often a field that was read with it is right."""

from __future__ import annotations

import tomllib
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files

from edge_clm.paper import Candidate, Field, Table

OTHER = "other"
"""The curve of fields that have none of their own."""

Curve = tuple[tuple[float, float], ...]
"""Points (strength of the rules, share of right ones), rising in both; straight between them."""


def calibrated_fields(fields: Sequence[Field]) -> tuple[Field, ...]:
    """The fields with confidences that say how often such a reading is right.

    The curves come from generated pages, photographed by simulation and read by the real OCR
    (`edge_clm.train.confidence`): rising functions of the strength that rules gave a reading, one for
    each field (isotonic regression; Zadrozny and Elkan, Transforming classifier scores, 2002).
    """
    return tuple(
        _calibrated(field, _curves().get(field.name, _curves()[OTHER])) for field in fields
    )


def calibrated_tables(tables: Sequence[Table]) -> tuple[Table, ...]:
    """The same for the cells of tables."""
    return tuple(
        replace(table, rows=tuple(calibrated_fields(row) for row in table.rows)) for table in tables
    )


def worth(curve: Curve, strength: float) -> float:
    """The height of a curve."""
    at = bisect_right(curve, strength, key=lambda point: point[0])
    if at == 0 or at == len(curve):
        return curve[0 if at == 0 else -1][1]
    (left, low), (right, high) = curve[at - 1], curve[at]
    return low + (high - low) * (strength - left) / (right - left)


def _calibrated(field: Field, curve: Curve) -> Field:
    best = _with_worth(field.best, curve)
    return replace(
        field, best=best, alternatives=tuple(_with_worth(one, curve) for one in field.alternatives)
    )


def _with_worth(candidate: Candidate, curve: Curve) -> Candidate:
    return replace(candidate, confidence=worth(curve, candidate.confidence))


@cache
def _curves() -> Mapping[str, Curve]:
    text = files("edge_clm.page.fields").joinpath("calibration.toml").read_text(encoding="utf-8")
    return {
        name: tuple((float(x), float(y)) for x, y in points)
        for name, points in tomllib.loads(text).items()
    }
