"""How many turns of lessons a model answers exactly, by what they ask."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import torch

from edge_clm.train.nano.fit import answer_loss
from edge_clm.train.nano.lessons import Lesson


@torch.no_grad()
def check(model: Any, lessons: Iterable[Lesson]) -> dict[str, dict[str, float]]:
    """Share of exact turns and their number, by concept; absent ones and all together besides.

    A turn is exact where every token of its answer is the likeliest one, the answer so far given:
    then greedy decoding says just that.
    """
    told: dict[str, list[bool]] = defaultdict(list)
    for lesson in lessons:
        _, exact = answer_loss(model, lesson.packed, lesson.features)
        for turn, right in zip(lesson.turns, exact.tolist(), strict=True):
            told[turn.concept if turn.present else "absent"].append(right)
            told["present" if turn.present else "all absent"].append(right)
    return {
        name: {"exact": round(sum(rights) / len(rights), 3), "n": len(rights)}
        for name, rights in sorted(told.items())
    }
