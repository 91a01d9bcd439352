"""How a question is worded: a concept, one of its paraphrases, and a frame around it."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib.resources import files
from random import Random
from typing import Any

from edge_clm.paper import PageKind
from edge_clm.train.pages.page import Split

_STOPS = " ?.!"


@cache
def _lists() -> dict[str, Any]:
    source = files("edge_clm.train.nano").joinpath("wordings.toml")
    return tomllib.loads(source.read_text(encoding="utf-8"))


def concepts() -> tuple[str, ...]:
    """Everything that can be asked for."""
    return tuple(name for name in _lists() if name not in ("frames", "doc"))


def question(rng: Random, concept: str, kind: PageKind, split: Split, name: str = "") -> str:
    """A question for a concept, in words of the split; `name` is the item or analyte it is about."""
    said = rng.choice(_lists()[concept][split])
    if said.startswith("the "):
        frame = rng.choice(_lists()["frames"][split])
        said = frame.replace("{np}", said).replace("{Np}", said[4].upper() + said[5:])
    doc = rng.choice(_lists()["doc"][kind][split])
    said = said.replace("{doc}", doc).replace("{Doc}", doc.capitalize()).replace("{name}", name)
    return _as_typed(rng, said)


def wordings(split: Split) -> Iterable[str]:
    """Every paraphrase of a split, as listed."""
    return (said for concept in concepts() for said in _lists()[concept][split])


def _as_typed(rng: Random, said: str) -> str:
    """Now and then without its mark or in small letters, as people type."""
    odds = rng.random()
    if odds < 0.08:
        return said.rstrip(_STOPS)
    return said.lower() if odds < 0.14 else said
