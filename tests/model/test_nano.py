"""nano: built the same every time, equal to its source, and able to answer."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from edge_clm.model.nano import (
    add_directions,
    build_nano,
    convert,
    fetch_source,
    load_source,
    save,
    teach,
)
from edge_clm.model.prompt import NOT_ON_PAGE
from edge_clm.model.rows import page_text
from edge_clm.model.vlm import QwenModel
from edge_clm.paper import PageText
from edge_clm.types import Finish, Sampling
from edge_clm.weights import read_manifest, sha256_of


def quiet(what: str, share: float) -> None:
    """Progress that nobody watches."""


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> tuple[Any, Any]:
    """The dequantised model that nano is made from, and its tokenizer."""
    return load_source(fetch_source(tmp_path_factory.mktemp("source"), quiet))


@torch.inference_mode()
def test_text_logits_equal_the_source(source: tuple[Any, Any], receipt: PageText) -> None:
    """On the text of a real receipt nano, before training, gives the very logits of its source."""
    model, tokenizer = source
    nano, _ = convert(model, copy.deepcopy(tokenizer), quiet)
    ids = torch.tensor([tokenizer.encode(page_text(receipt.lines), add_special_tokens=False)])
    ours = nano(input_ids=ids).logits[..., : model.config.vocab_size]
    assert ids.shape[1] > 200
    assert float((ours - model(input_ids=ids).logits).abs().max()) == 0.0


def test_every_build_gives_the_same_bytes(
    models: Path, source: tuple[Any, Any], tmp_path: Path
) -> None:
    """A second build from the source writes every file as the first did."""
    model, tokenizer = convert(*source, quiet)
    teach(model)
    save(model, tokenizer, tmp_path)
    add_directions(tmp_path)
    files = read_manifest(models / "nano").files
    assert {path.name for path in tmp_path.iterdir()} == set(files)
    assert {name: sha256_of(tmp_path / name) for name in files} == {
        name: digest.sha256 for name, digest in files.items()
    }


def test_a_built_model_is_left_alone(models: Path) -> None:
    """Building again where nano is whole fetches nothing and writes nothing."""
    before = (models / "nano/model.safetensors").stat().st_mtime_ns
    said: list[str] = []
    build_nano(models, lambda what, share: said.append(what))
    assert said == ["nano is there and whole"]
    assert (models / "nano/model.safetensors").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    ("question", "printed"),
    [
        ("What is the date?", "25/12/2018"),
        ("What is the document number?", "TD01167104"),
        ("How much change was given?", "1.00"),
    ],
)
def test_answers_a_real_receipt(
    nano: QwenModel, receipt: PageText, question: str, printed: str
) -> None:
    """nano reads values off the labelled text of a real receipt, and says nothing else."""
    blank = np.full((receipt.height, receipt.width, 3), 255, np.uint8)
    nano.prefill("receipt", blank, receipt, lambda: False)
    pieces = list(nano.generate("receipt", question, Sampling(32), lambda: False))
    assert "".join(piece.text for piece in pieces) == printed
    assert pieces[-1].finish is Finish.STOP


def test_says_what_is_not_there(nano: QwenModel, receipt: PageText) -> None:
    """Asked for what no receipt has, nano says so in the words that make it an outcome."""
    blank = np.full((receipt.height, receipt.width, 3), 255, np.uint8)
    nano.prefill("receipt", blank, receipt, lambda: False)
    pieces = nano.generate("receipt", "What is the potassium?", Sampling(32), lambda: False)
    assert "".join(piece.text for piece in pieces) == NOT_ON_PAGE
