"""From numbers to packed pages: what the training and its check are fed with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

import torch

from edge_clm.model.picture import Picture, Pictures
from edge_clm.model.prompt import Prompt
from edge_clm.model.tokens import Tokens
from edge_clm.page.fields.extract import extract
from edge_clm.paper import PageKind
from edge_clm.pointing import rows_for
from edge_clm.train.nano.marks_asked import mark_turns
from edge_clm.train.nano.noise import Noise
from edge_clm.train.nano.pack import Packed, pack
from edge_clm.train.nano.pool import Recipe, kept, perfect, sheet
from edge_clm.train.nano.shown import Sheet
from edge_clm.train.nano.turns import Turn, turns
from edge_clm.train.pages.draw import chance

_TURNS = 16
_ROOM = 1200
"""Most tokens of a page; what is longer is cut at the end, as the daemon does it."""
_SMALL = 48 * 28 * 28
"""Pixels of most pictures, where nothing is asked that only pixels tell."""
_WHOLE = 0.2
"""Share of pictures in the size that the daemon shows them in."""
_LOOKS = 4
"""Most of the turns that only pixels answer."""
_PERFECT = 0.15
"""Share of pages that are read without fault."""
_NOISY = 0.5
"""Share of pages that are misread as captures are."""
_KINDS: Mapping[PageKind, float] = {
    PageKind.INVOICE: 0.27,
    PageKind.RECEIPT: 0.4,
    PageKind.LAB_REPORT: 0.2,
    PageKind.RADIOLOGY_REPORT: 0.13,
}
"""Of pages that no capture was made of: reports have more that is asked of no other page."""
_SHOWN = 0.7
"""Share of questions beside which the rows are shown that the rules have read what is asked in."""
_FRESH = 500_000
"""Pages that no capture was made of have numbers beyond those of any pool."""


@dataclass(frozen=True, slots=True)
class Lesson:
    """A page to learn from."""

    packed: Packed
    features: torch.Tensor
    """Of its picture: (picture tokens, hidden)."""
    turns: tuple[Turn, ...]


class Lessons:
    """Makes lessons of one recipe for one model."""

    def __init__(
        self,
        model: Any,
        tokenizer: Any,
        pictures: Any,
        recipe: Recipe,
        pool: Path,
        *,
        sees: bool,
        noise: Noise | None,
    ) -> None:
        """`pool`: where the captures of the recipe's pages were read to; see `pool.read_all`.

        `sees`: whether the model's vision tower is trained, so that what only pixels tell is asked.
        `noise`: how to misread pages that no capture was made of; without it most are captures.
        """
        self._model, self._recipe, self._pool, self._sees = model, recipe, pool, sees
        self._noise = noise
        self._tokens = Tokens(tokenizer)
        self._prompt = Prompt(self._tokens)
        self._small = Pictures(pictures, _SMALL, _ROOM)
        self._whole = Pictures(pictures, 0, _ROOM)
        self._read = kept(pool) if pool.is_dir() else []

    def draw(self, count: int, start: int = 0) -> Iterator[Lesson]:
        """`count` lessons from the one numbered `start` on; the same for the same recipe and pool."""
        for number in range(start, count):
            rng = chance("lesson", self._recipe.split, self._recipe.seed, number)
            yield self._lesson(self._sheet(rng, number), rng)

    def _sheet(self, rng: Random, number: int) -> Sheet:
        odds = rng.random()
        if self._read and odds > _PERFECT + (_NOISY if self._noise else 0.0):
            return sheet(self._recipe, self._read[number % len(self._read)], self._pool)
        fresh = perfect(self._recipe.draw(_FRESH + number, kinds=_KINDS))
        if not self._noise or odds < _PERFECT:
            return fresh
        lines = self._noise.of(fresh.lines, rng)
        return replace(fresh, text=replace(fresh.text, lines=lines))

    def _lesson(self, sheet: Sheet, rng: Random) -> Lesson:
        looked = self._sees and (bool(sheet.page.marks) or rng.random() < _WHOLE)
        whole = looked or rng.random() < _WHOLE
        picture = (self._whole if whole else self._small).make(sheet.seen)
        page = self._prompt.page(picture.tokens, sheet.lines, _ROOM)
        split = self._recipe.split
        seen = mark_turns(sheet.page, rng, split, _LOOKS) if looked else []
        told = turns(sheet.cut(page.dropped_lines), rng, split, _TURNS - len(seen))
        asked = (*seen, *_pointed(sheet, told, rng))
        packed = pack(self._model, self._prompt, self._tokens.plain, picture, page, asked)
        return Lesson(packed, self._features(picture), asked)

    @torch.no_grad()
    def _features(self, picture: Picture) -> torch.Tensor:
        vision = self._model.model.visual
        seen = vision(picture.pixel_values.to(vision.dtype), grid_thw=picture.grid)
        return torch.as_tensor(seen.pooler_output)


def _pointed(sheet: Sheet, asked: Sequence[Turn], rng: Random) -> Iterator[Turn]:
    """Turns with the rows that the daemon would show beside them: right ones mostly, as far as the rules go."""
    extraction = extract([(1, sheet.text)])
    for turn in asked:
        shown = rng.random() < _SHOWN
        rows = rows_for(turn.question, turn.concept, sheet.text, extraction) if shown else ()
        yield replace(turn, rows=rows)
