"""The word lists of generated pages, each entry in one split."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from edge_clm.train.pages.draw import split_of
from edge_clm.train.pages.page import Split
from edge_clm.train.pages.places import Place


@cache
def word_lists(name: str) -> dict[str, Any]:
    """The lists of one file under `words/`."""
    source = files("edge_clm.train.pages").joinpath("words", f"{name}.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


@cache
def entries(file: str, section: str, name: str, split: Split) -> tuple[str, ...]:
    """The entries of a list that belong to a split; the whole list where it is too short to be parted."""
    found = tuple(word_lists(file).get(section, {}).get(name, ()))
    own = tuple(entry for entry in found if split_of(entry) == split)
    return own or found


class Labels:
    """The labels of one page: for each concept one paraphrase, the same wherever it is printed."""

    def __init__(self, rng: Random, place: Place, split: Split) -> None:
        self.language = place.language
        self.tax = rng.choice(place.taxes).removesuffix(" @")
        """What the page calls its tax."""
        self._sign = place.signs[0].strip()
        self.used: set[str] = set()
        self._rng, self._split = rng, split
        self._chosen: dict[str, str] = {}
        self._upper = rng.random() < 0.18

    def of(self, concept: str) -> str:
        """The paraphrase of a concept; empty where this split has none in the language."""
        if concept not in self._chosen:
            self._chosen[concept] = self._choose(concept)
        return self._chosen[concept]

    def _choose(self, concept: str) -> str:
        lists = word_lists("labels").get(self.language, {}).get(concept, {})
        known = lists.get(self._split, [])
        if not known:
            return ""
        phrase = str(self._rng.choice(known))
        self.used.add(f"{self.language}.{concept}.{phrase}")
        # What the country calls its tax and its money is part of many labels.
        said = phrase.replace("{tax}", self.tax).replace("{sign}", self._sign)
        return said.upper() if self._upper else said


def phrase(rng: Random, language: str, name: str, split: Split) -> str:
    """A sentence or slogan; empty where the language has none of that sort."""
    known = entries("phrases", language, name, split)
    return rng.choice(known) if known else ""
