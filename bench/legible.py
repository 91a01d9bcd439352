"""Which values are legible to the eye on which photos: a fixed list, made by looking at them."""

from __future__ import annotations

import csv
from pathlib import Path

from bench.failure import BenchError

LIST = Path(__file__).with_name("legible.csv")


def legible() -> frozenset[tuple[str, str]]:
    """Photo and field of each value that can be read; photos as paths below inv3d/.

    Raises BenchError where the list is missing or says something else.
    """
    try:
        with LIST.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        return frozenset((row["photo"], row["field"]) for row in rows if int(row["legible"]))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchError(f"{LIST.name} cannot be read: {error!r}") from error
