"""What only pixels tell: questions about marks, with the page's picture, a grey one and another page's.

Pages of the test split with stamps, signatures, strikes, handwriting and coloured boxes, photographed
by simulation. The model is given the page text without fault, in which no mark is a word, and asked in
wordings that no training page has. Of each sort as many pages have the mark as have not.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.failure import BenchError
from bench.options import Options
from bench.progress import Progress, say
from bench.report import Figure, count, share
from bench.score import Kind, score
from edge_clm.config import Config
from edge_clm.model.vlm import QwenModel
from edge_clm.paper import PageText
from edge_clm.types import Pixels, Sampling

_FIRST = 800_000
_MAX_TOKENS = 24
_COLOURS = 5
_GREY = 128
_ARMS = ("right", "right_blanked", "right_swapped")


def pixels(options: Options, reports: Path, pages: int) -> dict[str, Figure]:
    """pixels.right, .right_blanked, .right_swapped, .chance, and pixels.SORT.right.

    Empty where the model's vision tower is untrained. Raises BenchError without what makes pages.
    """
    named = {"name": options.model, "models": str(options.models)}
    config = Config.model_validate({"model": named})
    model = QwenModel.load(config.model)
    if not model.sees:
        say(f"{options.model} has no trained vision tower: what only pixels tell was not asked")
        return {}
    asked = _asked(reports, options.seed, pages)
    right: dict[str, list[list[float]]] = {arm: [] for arm in _ARMS}
    by_sort: dict[str, list[list[float]]] = defaultdict(list)
    progress = Progress("pixels", len(asked))
    for at, (seen, text, turns) in enumerate(asked):
        other = asked[(at + 1) % len(asked)][0]
        grey = np.full_like(seen, _GREY)
        for arm, picture in zip(_ARMS, (seen, grey, other), strict=True):
            scored = _answers(model, picture, text, turns)
            right[arm].append(scored)
            if arm == "right":
                for turn, one in zip(turns, scored, strict=True):
                    by_sort[turn.concept].append([one])
        progress.step(str(at))
    figures = {f"pixels.{arm}": share(groups) for arm, groups in right.items()}
    chances = [_chance(turn) for _, _, turns in asked for turn in turns]
    figures["pixels.chance"] = count(float(np.mean(chances)), len(chances), "share")
    return figures | {f"pixels.{sort}.right": share(groups) for sort, groups in by_sort.items()}


def _answers(
    model: QwenModel, picture: Pixels, text: PageText, turns: Sequence[Any]
) -> list[float]:
    model.prefill("", picture, text, _never)
    answers = [
        "".join(
            piece.text for piece in model.generate("", turn.question, Sampling(_MAX_TOKENS), _never)
        )
        for turn in turns
    ]
    return [
        float(score(_kind(turn), turn.answer.strip("."), answer).exact)
        for turn, answer in zip(turns, answers, strict=True)
    ]


def _asked(reports: Path, seed: int, pages: int) -> list[tuple[Pixels, PageText, list[Any]]]:
    """Photographs, texts and turns; a page that nothing is asked of is left out."""
    try:
        from edge_clm.train.nano.marks_asked import SORTS, coloured, whether
        from edge_clm.train.nano.pool import Recipe
        from edge_clm.train.pages.draw import chance
    except ModuleNotFoundError as error:
        raise BenchError(f"{error.name} is missing: pip install 'edge-clm[train]'") from error
    recipe = Recipe(seed, "test", reports)
    rng = chance("pixels", seed)
    numbers = range(_FIRST, _FIRST + pages)
    drawn = [recipe.draw(number, marked=1.0) for number in numbers]
    turns: list[list[Any]] = [[] for _ in drawn]
    for concept in SORTS:
        told = [(at, whether(page, rng, "test", concept)) for at, page in enumerate(drawn)]
        for at, turn in _balanced(told, rng.sample):
            turns[at].append(turn)
    for at, page in enumerate(drawn):
        if colour := coloured(page, rng, "test"):
            turns[at].append(colour)
    return [
        (recipe.captured(page, number).pixels, page.text(), mine)
        for number, page, mine in zip(numbers, drawn, turns, strict=True)
        if mine
    ]


def _balanced(
    told: Sequence[tuple[int, Any]], sample: Callable[[list[Any], int], list[Any]]
) -> list[tuple[int, Any]]:
    """As many turns that are true as are not."""
    yes = [one for one in told if one[1].answer == "Yes."]
    no = [one for one in told if one[1].answer != "Yes."]
    least = min(len(yes), len(no))
    return [*sample(yes, least), *sample(no, least)]


def _kind(turn: Any) -> Kind:
    return Kind.NAME if turn.concept == "stamp_colour" else Kind.YES_NO


def _chance(turn: Any) -> float:
    return 1 / _COLOURS if turn.concept == "stamp_colour" else 1 / 2


def _never() -> bool:
    return False
