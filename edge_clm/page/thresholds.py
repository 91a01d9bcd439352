"""The thresholds that were calibrated, as they are kept beside the curve that they were taken from."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path

from edge_clm.errors import ModelDamaged, ModelMissing
from edge_clm.page.rule import Thresholds

FILE = "thresholds.json"


def load_thresholds(place: Path) -> Thresholds:
    """Reads what was calibrated; raises ModelMissing without the file, ModelDamaged where it is no such file."""
    path = place / FILE
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))["thresholds"]
        values = {field.name: kept[field.name] for field in fields(Thresholds)}
    except FileNotFoundError as error:
        raise ModelMissing(f"there are no thresholds of page identity at {path}") from error
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelDamaged(f"the thresholds {path} cannot be read") from error
    if any(
        isinstance(value, bool) or not isinstance(value, int | float) for value in values.values()
    ):
        raise ModelDamaged(f"the thresholds {path} are not all numbers")
    return Thresholds(**{**values, "matches": int(values["matches"])})
