"""Packing: a turn behind others is answered as if it were alone."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
import torch

from edge_clm.config import Model
from edge_clm.model.load import load
from edge_clm.model.picture import Pictures
from edge_clm.model.prompt import Prompt
from edge_clm.model.tokens import Tokens
from edge_clm.train.nano.fit import Trainer, answer_loss
from edge_clm.train.nano.lora import adapter_of, attach, begin
from edge_clm.train.nano.pack import Packed, pack
from edge_clm.train.nano.turns import Turn, turns
from tests.model.conftest import _save_tiny, models
from tests.train.nano.sheets import sheets

__all__ = ["models"]


@pytest.fixture(scope="module")
def parts(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A small random model with its tokenizer and image processor."""
    directory = tmp_path_factory.mktemp("tiny") / "qwen2_5_vl"
    _save_tiny("qwen2_5_vl", models / "nano", directory)
    return load(Model(name=str(directory), device="cpu", threads=1))


def packed(parts: Any, reports: Path, most: int) -> tuple[list[Turn], list[Packed], torch.Tensor]:
    """The turns of a page packed together, then each packed alone; and the picture's features."""
    sheet = sheets(reports, "train", 1)[1]
    asked = turns(sheet, Random(1), "train", most)
    tokens = Tokens(parts.tokenizer)
    picture = Pictures(parts.pictures, 0, 600).make(sheet.seen)
    prompt = Prompt(tokens)
    page = prompt.page(picture.tokens, sheet.lines, 600)
    made = [
        pack(parts.model, prompt, tokens.plain, picture, page, some)
        for some in (asked, *([one] for one in asked))
    ]
    with torch.no_grad():
        seen = parts.model.model.visual(picture.pixel_values, grid_thw=picture.grid)
    return asked, made, seen.pooler_output


@torch.no_grad()
def test_a_turn_among_others_costs_what_it_costs_alone(parts: Any, reports: Path) -> None:
    """The loss of turns packed behind one page is what each has behind a page of its own."""
    asked, (together, *alone), features = packed(parts, reports, 6)
    loss, exact = answer_loss(parts.model, together, features)
    weights = [float(one.weight.sum()) for one in alone]
    each = [answer_loss(parts.model, one, features) for one in alone]
    mean = sum(float(a) * w for (a, _), w in zip(each, weights, strict=True)) / sum(weights)
    assert float(loss) == pytest.approx(mean, rel=1e-4)
    assert exact.tolist() == [bool(one) for _, one in each]
    assert len(asked) == 6


@torch.no_grad()
def test_a_page_looks_the_same_whatever_is_asked(parts: Any, reports: Path) -> None:
    """No token of the page sees a question."""
    _, (together, *alone), _ = packed(parts, reports, 3)
    page = int((together.mask[0, 0, -1]).sum()) - (alone[-1].ids.shape[1] - together.image[1])
    length = together.image[1]
    assert page
    assert not together.mask[0, 0, :length, length:].any()


def test_training_lowers_the_loss_and_changes_only_what_it_may(parts: Any, reports: Path) -> None:
    """After some steps on one page its answers are likelier, and no frozen weight has moved."""
    _, (together, *_), features = packed(parts, reports, 4)
    frozen = {name: one.clone() for name, one in parts.model.state_dict().items()}
    layers = attach(parts.model, 4, 1)

    def again() -> Iterator[tuple[Packed, torch.Tensor]]:
        for _ in range(24):
            yield together, features

    losses = [step.loss for step in Trainer(parts.model, layers, 1e-2, 24, 2).learn(again())]
    assert losses[-1] < 0.7 * losses[0]
    now = parts.model.state_dict()
    held = {name.replace(".frozen.", "."): one for name, one in now.items()}
    assert all(torch.equal(held[name], one) for name, one in frozen.items())
    assert all(tensor.dtype == torch.float16 for tensor in adapter_of(layers).values())


def test_training_goes_on_from_an_adapter(parts: Any) -> None:
    """Started from an adapter, the layers change the model as the adapter does, and give it back."""
    layers = attach(deepcopy(parts.model), 4, 1)
    for layer in layers.values():
        torch.nn.init.normal_(layer.up, generator=torch.Generator().manual_seed(2))
    adapter = adapter_of(layers)
    others = attach(deepcopy(parts.model), 4, 3)
    begin(others, adapter)
    again = adapter_of(others)
    assert adapter.keys() == again.keys()
    assert all(torch.equal(adapter[name], again[name]) for name in adapter)
    with pytest.raises(ValueError, match="rank"):
        begin(attach(deepcopy(parts.model), 8, 1), adapter)


def test_rows_are_shown_beside_their_own_question_alone(parts: Any, reports: Path) -> None:
    """A turn with rows has so many tokens more, and asks for the same answer; the next one is as it was."""
    (first, second), _, _ = packed(parts, reports, 2)
    sheet = sheets(reports, "train", 1)[1]
    tokens = Tokens(parts.tokenizer)
    picture = Pictures(parts.pictures, 0, 600).make(sheet.seen)
    prompt = Prompt(tokens)
    page = prompt.page(picture.tokens, sheet.lines, 600)
    rows = ("TOTAL  9.00", "CASH  10.00")

    def made(*some: Turn) -> Packed:
        return pack(parts.model, prompt, tokens.plain, picture, page, some)

    plain, shown = made(first, second), made(replace(first, rows=rows), second)
    more = len(prompt.question(first.question, rows)) - len(prompt.question(first.question))
    assert more > 0
    assert (shown.asked - plain.asked == more).all()
    assert torch.equal(shown.wanted, plain.wanted)
