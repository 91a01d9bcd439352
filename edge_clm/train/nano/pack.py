"""Several turns packed behind one page: each sees the page and itself, as if it were alone with it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch

from edge_clm.model.picture import Picture
from edge_clm.model.prompt import PagePrompt, Prompt
from edge_clm.train.nano.turns import Turn

_AT_LEAST = 10
"""Tokens from which on a longer answer's tokens count less each."""


@dataclass(frozen=True, slots=True)
class Packed:
    """One forward pass over a page and its turns."""

    ids: torch.Tensor
    """int64, (1, tokens)."""
    image: tuple[int, int]
    """First picture token and the one after the last."""
    positions: torch.Tensor
    """int64, (3, 1, tokens)."""
    mask: torch.Tensor
    """bool, (1, 1, tokens, tokens): what each token (row) sees."""
    asked: torch.Tensor
    """int64, (answer tokens,): the places after which an answer's token comes."""
    wanted: torch.Tensor
    """int64, (answer tokens,): the token that comes."""
    weight: torch.Tensor
    """float32, (answer tokens,): how much each counts."""
    turn: torch.Tensor
    """int64, (answer tokens,): the turn that each belongs to."""


def pack(
    model: Any,
    prompt: Prompt,
    plain: Any,
    picture: Picture,
    page: PagePrompt,
    turns: Sequence[Turn],
) -> Packed:
    """Packs turns behind a page; `plain` makes an answer's tokens."""
    start, delta = _positions(model, page.ids, page.image, picture)
    ids, owner, places = list(page.ids), [-1] * len(page.ids), [start]
    asked: list[int] = []
    wanted: list[int] = []
    weight: list[float] = []
    turn: list[int] = []
    for number, one in enumerate(turns):
        question = prompt.question(one.question, one.rows)
        answer = [*plain(one.answer), prompt.end]
        first = len(ids) + len(question) - 1
        asked += range(first, first + len(answer))
        wanted += answer
        weight += [min(1.0, _AT_LEAST / len(answer))] * len(answer)
        turn += [number] * len(answer)
        length = len(question) + len(answer) - 1
        places.append((len(page.ids) + delta + torch.arange(length)).expand(3, 1, -1))
        ids += [*question, *answer[:-1]]
        owner += [number] * length
    return Packed(
        torch.tensor([ids]),
        page.image,
        torch.cat(places, dim=-1),
        _mask(torch.tensor(owner)),
        torch.tensor(asked),
        torch.tensor(wanted),
        torch.tensor(weight),
        torch.tensor(turn),
    )


def _positions(
    model: Any, ids: Sequence[int], image: tuple[int, int], picture: Picture
) -> tuple[torch.Tensor, int]:
    row = torch.tensor([ids])
    types = torch.zeros_like(row)
    types[0, image[0] : image[1]] = 1
    places, delta = model.model.get_rope_index(
        row, mm_token_type_ids=types, image_grid_thw=picture.grid
    )
    return places, int(delta)


def _mask(owner: torch.Tensor) -> torch.Tensor:
    """Each token sees what came before it of the page (-1) and of its own turn."""
    places = torch.arange(len(owner))
    before = places[:, None] >= places[None, :]
    shared = (owner[None, :] == -1) | (owner[None, :] == owner[:, None])
    return (before & shared)[None, None]
