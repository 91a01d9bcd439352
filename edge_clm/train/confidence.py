"""Calibrates the confidence of extracted fields: `python -m edge_clm.train.confidence --reports DIR`.

Reads the pages of a pool (see `train.nano.pool`) by the rules, and looks up how often what they read is
right; writes the curves for `page.fields.calibration` and prints the expected calibration error on pages
of the test split, before and after.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from edge_clm.config import Config
from edge_clm.page.fields.calibration import OTHER, Curve, worth
from edge_clm.page.fields.extract import read_document
from edge_clm.paper import Field, PageText
from edge_clm.train.calibration_error import ece
from edge_clm.train.nano.base import cache_home
from edge_clm.train.nano.pool import Recipe, kept, read_all, sheet
from edge_clm.train.nano.shown import Sheet
from edge_clm.train.pages.make import FIELDS
from edge_clm.train.pages.page import Split
from edge_clm.values.equal import equal

_FEWEST = 60
"""Readings that a curve of its own is worth."""
_POINTS = 7
"""Of a curve, at most."""
TARGET = Path("edge_clm/page/fields/calibration.toml")

Judged = tuple[str, float, bool]
"""A field's name, the strength of its reading, and whether that is right."""


def main() -> int:
    """Makes the pools where they are not there, fits, writes, tells."""
    given = _parser().parse_args()
    found = []
    splits: tuple[tuple[Split, int], ...] = (("train", given.pages), ("test", given.check))
    for split, count in splits:
        recipe = Recipe(given.seed, split, given.reports)
        pool = cache_home() / f"pool-{split}-{given.seed}"
        for _ in read_all(recipe, count, Config(), pool):
            pass
        found.append(
            [one for number in kept(pool)[:count] for one in judged(sheet(recipe, number, pool))]
        )
    learnt, held_out = found
    curves = fit(learnt)
    given.out.write_text(_as_toml(curves), encoding="utf-8")
    plain = [(strength, right) for _, strength, right in held_out]
    mapped = [
        (worth(curves.get(name, curves[OTHER]), strength), right)
        for name, strength, right in held_out
    ]
    sys.stdout.write(f"readings {len(learnt)} learnt, {len(held_out)} held out\n")
    sys.stdout.write(f"calibration error {ece(plain):.3f} before, {ece(mapped):.3f} after\n")
    return 0


def judged(sheet: Sheet) -> Iterator[Judged]:
    """What the rules read on a sheet, each with whether the page says so.

    Ambiguous fields say nothing, nor do fields that generated pages are not known to have.
    """
    text = PageText(tuple(sheet.lines), 0, *_size(sheet))
    read = read_document([(1, text)])
    for field in read.fields:
        if not field.ambiguous and field.name in FIELDS[sheet.page.kind]:
            yield field.name, field.best.confidence, _right(field, sheet)


def fit(readings: Sequence[Judged]) -> dict[str, Curve]:
    """A curve for each field that was read often enough, and one for the rest."""
    groups: dict[str, list[tuple[float, bool]]] = defaultdict(list)
    for name, strength, right in readings:
        groups[name].append((strength, right))
    rare = [pair for pairs in groups.values() if len(pairs) < _FEWEST for pair in pairs]
    every = [pair for pairs in groups.values() for pair in pairs]
    curves = {
        name: isotonic(pairs) for name, pairs in sorted(groups.items()) if len(pairs) >= _FEWEST
    }
    return curves | {OTHER: isotonic(rare if len(rare) >= _FEWEST else every)}


def isotonic(pairs: Sequence[tuple[float, bool]]) -> Curve:
    """The rising curve nearest to what was seen, by pooling neighbours that fall; a few points of it.

    A share is drawn towards a half by one reading each way, so that none is ever called certain.
    """
    blocks: list[list[float]] = []
    for strength, group in itertools.groupby(sorted(pairs), key=lambda pair: pair[0]):
        rights = [right for _, right in group]
        blocks.append([strength, float(sum(rights)), float(len(rights))])
        while len(blocks) > 1 and blocks[-2][1] * blocks[-1][2] >= blocks[-1][1] * blocks[-2][2]:
            _join(blocks, len(blocks) - 2)
    while len(blocks) > _POINTS:
        sizes = [one[2] + other[2] for one, other in itertools.pairwise(blocks)]
        _join(blocks, sizes.index(min(sizes)))
    heights = np.maximum.accumulate([(right + 1) / (n + 2) for _, right, n in blocks])
    return tuple(
        (round(block[0], 4), round(float(height), 4))
        for block, height in zip(blocks, heights, strict=True)
    )


def _join(blocks: list[list[float]], at: int) -> None:
    """Makes two neighbours one, in the middle of what they hold."""
    (x, right, n), (y, more, m) = blocks[at], blocks.pop(at + 1)
    blocks[at] = [(x * n + y * m) / (n + m), right + more, n + m]


def _right(field: Field, sheet: Sheet) -> bool:
    truth = sheet.page.fields.get(field.name)
    if truth is None:
        return False
    same = field.best.value is not None and equal(field.best.value, truth.value)
    # A bare sign such as $ leaves the currency to be guessed at; what is printed is right all the same.
    return same or field.best.raw == truth.text


def _size(sheet: Sheet) -> tuple[int, int]:
    points = [point for line in sheet.lines for point in line.quad] or [(1.0, 1.0)]
    return int(max(x for x, _ in points)) + 1, int(max(y for _, y in points)) + 1


def _as_toml(curves: Mapping[str, Curve]) -> str:
    rows = [
        "# What a reading's strength is worth: points (strength, share of right ones), straight between them.",
        "# Made by `python -m edge_clm.train.confidence` on generated pages; do not edit.",
        "",
    ]
    rows += [
        f"{name} = [{', '.join(f'[{x}, {y}]' for x, y in curve)}]" for name, curve in curves.items()
    ]
    return "\n".join(rows) + "\n"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m edge_clm.train.confidence", description=__doc__
    )
    add = parser.add_argument
    add("--reports", type=Path, required=True, help="directory with texts of radiology reports")
    add("--seed", type=int, default=1)
    add("--pages", type=int, default=360)
    add("--check", type=int, default=60)
    add("--out", type=Path, default=TARGET)
    return parser


if __name__ == "__main__":
    sys.exit(main())
