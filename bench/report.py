"""Figures with bounds, as a table on the terminal and as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.bounds import Bounds, bootstrap, bootstrap_ratio, percentile, wilson

Groups = Sequence[Sequence[float]]
"""Values by document."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure; `low` and `high` are 95 % bounds."""

    value: float
    n: int
    unit: str
    low: float
    high: float
    note: str = ""
    """What a reader must know beside the figure."""


def share(groups: Groups) -> Figure:
    """A share of trials, each 0…1, grouped by document.

    The bounds are the wider of two: Wilson's by trial, and a bootstrap over whole documents, since
    trials on one document are not independent. Both are trusted only as far as there are documents.
    """
    values = [value for group in groups for value in group]
    by_trial = wilson(round(sum(values)), len(values))
    by_document = bootstrap(groups, lambda drawn: float(np.mean(drawn)))
    low, high = _wider(by_trial, by_document)
    return Figure(float(np.mean(values)), len(values), "share", low, high, _documents(groups))


def mean(groups: Groups, unit: str) -> Figure:
    """A mean, grouped by document."""
    values = [value for group in groups for value in group]
    low, high = bootstrap(groups, lambda drawn: float(np.mean(drawn)))
    return Figure(float(np.mean(values)), len(values), unit, low, high, _documents(groups))


def ranked(groups: Groups, rank: float, unit: str, note: str = "") -> Figure:
    """The `rank`-th percentile of values grouped by document."""
    values = [value for group in groups for value in group]
    low, high = bootstrap(groups, lambda drawn: float(np.percentile(drawn, rank)))
    return Figure(percentile(values, rank), len(values), unit, low, high, note)


def ratio(above: Groups, below: Groups, rank: float, note: str = "") -> Figure:
    """Percentile over percentile of two arms on the same documents; n is of the smaller arm."""
    one = [value for group in above for value in group]
    other = [value for group in below for value in group]
    low, high = bootstrap_ratio(above, below, rank)
    value = percentile(one, rank) / percentile(other, rank)
    sizes = f"n {len(one)} over {len(other)}"
    return Figure(
        value, min(len(one), len(other)), "ratio", low, high, "; ".join(filter(None, (sizes, note)))
    )


def count(value: float, n: int, unit: str = "count", note: str = "") -> Figure:
    """A count or an extreme, which is what it is: its bounds are itself."""
    return Figure(value, n, unit, value, value, note)


def _wider(one: Bounds, other: Bounds) -> Bounds:
    return min(one[0], other[0]), max(one[1], other[1])


def _documents(groups: Groups) -> str:
    return f"{len(groups)} document{'s' if len(groups) != 1 else ''}"


@dataclass(frozen=True, slots=True)
class Report:
    """What a bench found, and on what."""

    bench: str
    figures: dict[str, Figure]
    machine: str
    fingerprint: str
    commit: str
    note: str = ""
    """What a reader must know beside every figure."""

    def table(self) -> str:
        """The figures as aligned text, with where they were measured beneath."""
        rows = [("figure", "value", "95 %", "n", "unit", "")]
        rows += [_row(key, figure) for key, figure in self.figures.items()]
        widths = [max(len(row[at]) for row in rows) for at in range(5)]
        lines = [_line(row, widths) for row in rows]
        lines.insert(1, "-" * max(map(len, lines)))
        where = [f"machine      {self.machine}", f"fingerprint  {self.fingerprint}"]
        where += [
            f"commit       {self.commit}",
            *([f"NOTE         {self.note}"] if self.note else []),
        ]
        return "\n".join([*lines, "", *where])

    def document(self) -> dict[str, Any]:
        """The figures in the form that is committed."""
        return {
            "bench": self.bench,
            "figures": {key: _plain(figure, self.note) for key, figure in self.figures.items()},
            "machine": self.machine,
            "fingerprint": self.fingerprint,
            "commit": self.commit,
        }

    def write(self, path: Path) -> None:
        """Writes the JSON; a reader never meets half a file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        half = path.with_name(path.name + ".part")
        half.write_text(json.dumps(self.document(), indent=1) + "\n", encoding="utf-8")
        half.replace(path)


Row = tuple[str, str, str, str, str, str]


def _plain(figure: Figure, note: str) -> dict[str, Any]:
    found: dict[str, Any] = {
        "value": _round(figure.value),
        "n": figure.n,
        "unit": figure.unit,
        "low": _round(figure.low),
        "high": _round(figure.high),
    }
    said = "; ".join(filter(None, (figure.note, note)))
    return found | ({"note": said} if said else {})


def _round(value: float) -> float:
    return float(f"{value:.6g}")


def _row(key: str, figure: Figure) -> Row:
    bounds = f"{_short(figure.low)} … {_short(figure.high)}"
    return key, _short(figure.value), bounds, str(figure.n), figure.unit, figure.note


def _short(value: float) -> str:
    return f"{value:.4g}" if abs(value) < 1000 else f"{value:.0f}"


def _line(row: Row, widths: list[int]) -> str:
    key, value, bounds, n, unit, note = row
    cells = (
        key.ljust(widths[0]),
        value.rjust(widths[1]),
        bounds.rjust(widths[2]),
        n.rjust(widths[3]),
        unit.ljust(widths[4]),
        note,
    )
    return "  ".join(cells).rstrip()
