"""What grounding told of an answer, as JSON."""

from __future__ import annotations

import json
from datetime import date
from decimal import Decimal
from typing import Any

from edge_clm.paper import Evidence, Grounded, Grounding, Quad
from edge_clm.values.value import Day, Money, Quantity, Text, Truth, Value


def encode_grounding(grounding: Grounding) -> str:
    """A grounding as JSON; every number comes back as it was."""
    value = None if grounding.value is None else _encode_value(grounding.value)
    evidence, named = (
        [[item.text, item.quad, item.page] for item in items]
        for items in (grounding.evidence, grounding.named)
    )
    told = {
        "grounded": grounding.grounded.value,
        "value": value,
        "evidence": evidence,
        "named": named,
        "whole": grounding.whole,
    }
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def decode_grounding(encoded: str) -> Grounding:
    """The inverse of `encode_grounding`."""
    told = json.loads(encoded)
    value = None if told["value"] is None else _decode_value(*told["value"])
    evidence, named = (
        tuple(Evidence(text, _quad(quad), page) for text, quad, page in items)
        for items in (told["evidence"], told.get("named", ()))
    )
    # Kept by an older edge_clm it says neither.
    whole = bool(told.get("whole", True))
    return Grounding(Grounded(told["grounded"]), value, evidence, named, whole)


def _encode_value(value: Value) -> list[Any]:
    match value:
        case Money():
            return ["money", str(value.amount), value.currency]
        case Day():
            return ["day", *(day.isoformat() for day in value.readings)]
        case Quantity():
            return ["quantity", str(value.number), value.unit, value.comparison]
        case Text():
            return ["text", value.text]
        case Truth():
            return ["truth", value.truth]


def _decode_value(kind: str, *parts: Any) -> Value:
    match kind:
        case "money":
            return Money(Decimal(parts[0]), parts[1])
        case "day":
            return Day(tuple(map(date.fromisoformat, parts)))
        case "quantity":
            return Quantity(Decimal(parts[0]), *parts[1:])
        case "text":
            return Text(parts[0])
        case "truth":
            return Truth(parts[0])
    raise ValueError(f"no kind of value is named {kind}")


def _quad(corners: list[list[float]]) -> Quad:
    a, b, c, d = ((x, y) for x, y in corners)
    return a, b, c, d
