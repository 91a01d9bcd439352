"""Finds the main directions of what a model's last layer says: `python -m edge_clm.train.pca --reports DIR --out FILE`.

Has the model answer questions about generated pages, each in two wordings, and keeps the directions along which
question and answer vary most. How many: as many as tell best whether two answers are to the same question about the same
page, on pages of the test split (F1 of the cosine at its best bar).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from edge_clm.config import Model
from edge_clm.model.load import load
from edge_clm.model.vectors import FILE, Projection, write_projection
from edge_clm.model.vlm import QwenModel
from edge_clm.page.fields.extract import extract
from edge_clm.pointing import rows_for
from edge_clm.question.field import likely_field
from edge_clm.train.nano.base import keep, say
from edge_clm.train.nano.pool import Recipe, perfect
from edge_clm.train.nano.shown import Sheet
from edge_clm.train.nano.turns import Turn, turns
from edge_clm.train.pages.draw import chance
from edge_clm.train.pages.page import Split
from edge_clm.types import Sampling

_TURNS = 14
_SAMPLING = Sampling(32)
"""Answers that are longer have no vector: what is described at length is not asked."""
_UNASKED = "describe"
_EQUAL = 1e-9
"""Difference below which two cosines are one."""

Vectors = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Said:
    """What was said to one question about one page."""

    page: int
    concept: str
    answer: str
    """The right one; what the model said may be another."""
    vector: Vectors
    """(hidden,)."""

    def means_the_same(self, other: Said) -> bool:
        """Whether both were asked the same about the same page."""
        return (self.page, self.concept, self.answer) == (other.page, other.concept, other.answer)


def main() -> int:
    """Asks, fits, tries how many directions are best, writes them."""
    given = _parser().parse_args()
    model = _listening(Model(name=given.model, threads=given.threads))
    splits: tuple[tuple[Split, int], ...] = (("train", given.pages), ("test", given.check))
    learnt, held_out = (
        [*said(model, Recipe(given.seed, split, given.reports), count)] for split, count in splits
    )
    projection = fitted(np.stack([one.vector for one in learnt]))
    figures = {count: f1(held_out, projection, count) for count in sorted(given.search)}
    best = max(figures, key=lambda count: figures[count])
    told = {str(count): f"{value:.4f}" for count, value in figures.items()}
    say(json.dumps({"f1": told, "all directions": f"{f1(held_out, projection):.4f}"}, indent=2))
    command = f"python -m edge_clm.train.pca --seed {given.seed} --pages {given.pages}"
    command += f" --check {given.check} --search {','.join(map(str, sorted(given.search)))}"
    about = {"command": command, "answers": str(len(learnt)), "f1": json.dumps(told)}
    axes = Projection(projection.mean, projection.axes[:best])
    keep(given.out, lambda part: write_projection(part, axes, about))
    return 0


def said(model: QwenModel, recipe: Recipe, pages: int) -> Iterator[Said]:
    """What a model that listens to its whole last layer says to questions about generated pages."""
    for number in range(pages):
        sheet = perfect(recipe.draw(number))
        extraction = extract([(1, sheet.text)])
        model.prefill("page", sheet.seen, sheet.text, lambda: False)
        for turn in asked_twice(sheet, recipe, number):
            field = likely_field(turn.question)
            rows = (
                rows_for(turn.question, field, sheet.text, extraction) if model.wants_rows else ()
            )
            *_, last = model.generate("page", turn.question, _SAMPLING, lambda: False, None, rows)
            if last.vector:
                vector = np.frombuffer(last.vector, "<f2").astype(np.float64)
                yield Said(number, turn.concept, turn.answer, vector)
        say(f"{recipe.split}: {number + 1} of {pages} pages")


def fitted(vectors: Vectors) -> Projection:
    """The mean and all directions of vectors, (answers, hidden), the one along which most varies first."""
    mean = vectors.mean(0)
    _, _, axes = np.linalg.svd(vectors - mean, full_matrices=False)
    return Projection(torch.from_numpy(mean).float(), torch.from_numpy(axes).float())


def f1(held_out: Sequence[Said], projection: Projection, dimensions: int | None = None) -> float:
    """How well a cosine along the first directions tells the same from another, at its best bar.

    The others: each pair of questions about one page, and each pair that asks the same of two pages.
    """
    axes = projection.axes[:dimensions].double().numpy()
    along = (np.stack([one.vector for one in held_out]) - projection.mean.double().numpy()) @ axes.T
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    pairs = [
        (float(along[i] @ along[j]), one.means_the_same(other))
        for (i, one), (j, other) in combinations(enumerate(held_out), 2)
        if one.page == other.page or one.concept == other.concept
    ]
    pairs.sort(key=lambda pair: -pair[0])
    cosines, same = (
        np.array([cosine for cosine, _ in pairs]),
        np.array([means for _, means in pairs]),
    )
    taken, hits = np.arange(1, len(pairs) + 1), np.cumsum(same)
    # A bar takes all pairs of one cosine or none.
    bars = np.append(cosines[1:] < cosines[:-1] - _EQUAL, True)
    return float(np.max((2 * hits / (taken + same.sum()))[bars]))


def asked_twice(sheet: Sheet, recipe: Recipe, number: int) -> list[Turn]:
    """What is asked about a page: of all that two draws of questions ask in two wordings, both."""
    kept: dict[tuple[str, str], dict[str, Turn]] = {}
    for draw in ("once", "again"):
        rng = chance("pca", recipe.split, recipe.seed, number, draw)
        for turn in turns(sheet, rng, recipe.split, _TURNS):
            if turn.concept != _UNASKED:
                kept.setdefault((turn.concept, turn.answer), {}).setdefault(turn.question, turn)
    return [turn for some in kept.values() if len(some) > 1 for turn in [*some.values()][:2]]


def _listening(config: Model) -> QwenModel:
    """The model with every direction that its last layer has, so that nothing of what it says is lost."""
    loaded = load(config)
    hidden = loaded.model.config.get_text_config().hidden_size
    every = Projection(torch.zeros(hidden), torch.eye(hidden))
    return QwenModel(config, replace(loaded, projection=every))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m edge_clm.train.pca", description=__doc__)
    add = parser.add_argument
    add("--reports", type=Path, required=True, help="directory with texts of radiology reports")
    add("--out", type=Path, required=True, help=f"{FILE}, beside the model's weights")
    add("--model", default="nano", help="a model's name or directory; default %(default)s")
    add("--seed", type=int, default=1)
    add("--pages", type=int, default=60, help="pages to ask about; default %(default)s")
    add("--check", type=int, default=30, help="pages of the test split to try on")
    add("--search", type=_counts, default=[128, 192, 256, 384], help="numbers of directions to try")
    add("--threads", type=int, default=0)
    return parser


def _counts(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


if __name__ == "__main__":
    sys.exit(main())
