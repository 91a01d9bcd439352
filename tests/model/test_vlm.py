"""The model as the engine drives it, for each family, against stock transformers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from edge_clm.errors import Cancelled, PageStateGone, QuestionTooLong
from edge_clm.model.picture import Pictures
from edge_clm.model.prompt import Prompt
from edge_clm.model.quiet import transformers
from edge_clm.model.tokens import Tokens
from edge_clm.model.vlm import QwenModel
from edge_clm.paper import PageText
from edge_clm.types import Finish, Piece, Pixels, Sampling

from .conftest import page_of

Load = Callable[..., QwenModel]

GREEDY = Sampling(12)
RECEIPT = page_of("ROMA CAFE", "Tea  3.00", "Total  3.20")
INVOICE = page_of("INVOICE 4711", "21 March 2018", "Net 100.00", "Tax 19.00", "Gross 119.00")


def go_on() -> bool:
    return False


def photo(height: int, width: int, seed: int = 0) -> Pixels:
    return np.random.default_rng(seed).integers(0, 255, (height, width, 3), dtype=np.uint8)


def tokens_of(pieces: Iterable[Piece]) -> tuple[int, ...]:
    return tuple(token for piece in pieces for token in piece.tokens)


def ask(model: QwenModel, key: str, question: str, sampling: Sampling = GREEDY) -> tuple[int, ...]:
    return tokens_of(model.generate(key, question, sampling, go_on))


class Stock:
    """Stock transformers over the fused prompt, in one pass."""

    def __init__(self, directory: Path) -> None:
        hf = transformers()
        self.model = hf.AutoModelForImageTextToText.from_pretrained(directory, dtype=torch.float32)
        processor = hf.AutoImageProcessor.from_pretrained(directory)
        self.prompt = Prompt(Tokens(hf.AutoTokenizer.from_pretrained(directory)))
        self.pictures = Pictures(processor, 0, 1536)

    def inputs(self, pixels: Pixels, text: PageText, question: str) -> dict[str, Any]:
        picture = self.pictures.make(pixels)
        page = self.prompt.page(picture.tokens, text.lines, 1536)
        ids = torch.tensor([[*page.ids, *self.prompt.question(question)]])
        types = torch.zeros_like(ids)
        types[0, page.image[0] : page.image[1]] = 1
        return {
            "input_ids": ids,
            "mm_token_type_ids": types,
            "pixel_values": picture.pixel_values,
            "image_grid_thw": picture.grid,
        }

    def answer(self, pixels: Pixels, text: PageText, question: str) -> tuple[int, ...]:
        inputs = self.inputs(pixels, text, question)
        mask = torch.ones_like(inputs["input_ids"])
        out = self.model.generate(
            **inputs, attention_mask=mask, max_new_tokens=GREEDY.max_tokens, do_sample=False
        )
        said = out[0, inputs["input_ids"].shape[1] :].tolist()
        return tuple(token for token in said if token != 2)


@pytest.mark.parametrize("size", [(300, 200), (97, 411), (64, 64)])
def test_equals_stock_generation(
    load_tiny: Load, tiny: Callable[[str], Path], family: str, size: tuple[int, int]
) -> None:
    """Page state plus question gives the tokens that stock generate() gives on the whole prompt."""
    model, stock = load_tiny(), Stock(tiny(family))
    pixels = photo(*size)
    model.prefill("p", pixels, INVOICE, go_on)
    for question in ("What is the total?", "When?"):
        said = stock.answer(pixels, INVOICE, question)
        assert ask(model, "p", question) == said
        assert said


def test_the_picture_matters(load_tiny: Load) -> None:
    """Another picture with the same text gives another answer: the comparison above sees pictures."""
    model = load_tiny()
    for key in ("a", "b"):
        model.prefill(key, photo(300, 200, ord(key)), INVOICE, go_on)
    questions = [f"What is number {i}?" for i in range(4)]
    assert [ask(model, "a", q) for q in questions] != [ask(model, "b", q) for q in questions]


def test_cold_and_warm_agree_bit_for_bit(load_tiny: Load) -> None:
    """A page state made anew and one that served other questions give the same tokens, in bf16 too."""
    model = load_tiny(dtype="bfloat16")
    pixels = photo(300, 200)
    model.prefill("p", pixels, INVOICE, go_on)
    cold = ask(model, "p", "What is the total?")
    ask(model, "p", "When is it due?")
    kept = [part.clone() for pair in model._states.get("p").kv for part in pair]
    warm = ask(model, "p", "What is the total?")
    model.prefill("p", pixels, INVOICE, go_on)
    again = [part for pair in model._states.get("p").kv for part in pair]
    assert cold == warm == ask(model, "p", "What is the total?")
    assert all(torch.equal(a, b) for a, b in zip(kept, again, strict=True))


def test_pages_interleaved_token_by_token(load_tiny: Load) -> None:
    """Two pages answered in turns give what each gives alone: no position leaks between requests."""
    model = load_tiny()
    pages = {"a": (photo(300, 200), RECEIPT), "b": (photo(80, 400, 1), INVOICE)}
    for key, (pixels, text) in pages.items():
        model.prefill(key, pixels, text, go_on)
    alone = {key: ask(model, key, "What is the total?") for key in pages}
    running = {key: model.generate(key, "What is the total?", GREEDY, go_on) for key in pages}
    said: dict[str, list[Piece]] = {key: [] for key in pages}
    while running:
        for key, pieces in list(running.items()):
            if piece := next(pieces, None):
                said[key].append(piece)
            else:
                del running[key]
        model.prefill("c", photo(60, 60), RECEIPT, go_on)
    assert {key: tokens_of(pieces) for key, pieces in said.items()} == alone
    assert alone["a"] != alone["b"]


def test_a_long_page_is_stopped_between_chunks(load_tiny: Load) -> None:
    """Prefill asks before every pass, and a stopped one leaves no page state."""
    model = load_tiny()
    long = page_of(*(f"Item {i} of many, 4.50 each" for i in range(90)))
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(len(asked) > 0)
        return asked[-1]

    with pytest.raises(Cancelled):
        model.prefill("long", photo(300, 200), long, stop)
    assert asked == [False, True]
    assert not model.has_state("long")


def test_chunks_change_no_answer(load_tiny: Load, tiny: Callable[[str], Path], family: str) -> None:
    """A page of several chunks gives what stock generate() gives in one pass."""
    model, stock = load_tiny(), Stock(tiny(family))
    long = page_of(*(f"Item {i} of many, 4.50 each" for i in range(75)))
    pixels = photo(300, 200)
    told = model.prefill("p", pixels, long, go_on)
    assert told.tokens > 2 * 512
    assert told.dropped_lines == 0
    assert ask(model, "p", "What is the total?") == stock.answer(pixels, long, "What is the total?")


@pytest.mark.parametrize("after", [0, 1, 5])
def test_cancelling_stops_within_one_token(load_tiny: Load, after: int) -> None:
    """Once stop is true no forward pass follows: there are as many tokens as passes before."""
    model = load_tiny()
    model.prefill("p", photo(300, 200), RECEIPT, go_on)
    asked: list[bool] = []

    def stop() -> bool:
        asked.append(len(asked) >= after)
        return asked[-1]

    pieces = list(model.generate("p", "What is the total?", GREEDY, stop))
    assert pieces[-1].finish is Finish.CANCELLED
    assert len(tokens_of(pieces)) == after
    assert asked.count(True) == 1


def test_the_limit_of_tokens_ends_an_answer(load_tiny: Load) -> None:
    """An answer has at most max_tokens tokens and says that it was cut."""
    model = load_tiny()
    model.prefill("p", photo(300, 200), RECEIPT, go_on)
    pieces = list(model.generate("p", "What is the total?", Sampling(3), go_on))
    assert pieces[-1].finish is Finish.LENGTH
    assert len(tokens_of(pieces)) == 3
    assert [piece.finish for piece in pieces[:-1]] == [None] * (len(pieces) - 1)


def test_sampling_is_repeatable(load_tiny: Load) -> None:
    """One seed gives one answer; seeds differ among each other."""
    model = load_tiny()
    model.prefill("p", photo(300, 200), RECEIPT, go_on)
    said = [
        ask(model, "p", "What?", Sampling(8, temperature=1.5, seed=seed)) for seed in (1, 1, 2, 3)
    ]
    assert said[0] == said[1]
    assert len(set(said)) > 1


@pytest.mark.parametrize("size", [(32, 6080), (6080, 32), (33, 5000), (4, 2000), (1999, 3001)])
def test_odd_pages_are_taken(load_tiny: Load, size: tuple[int, int]) -> None:
    """Pages of extreme shapes make a page state within the limits and are answered."""
    model = load_tiny()
    told = model.prefill("p", photo(*size), RECEIPT, go_on)
    assert told.tokens < 250
    assert ask(model, "p", "What is the total?")


def test_page_text_that_does_not_fit_is_counted(load_tiny: Load) -> None:
    """A page longer than page_tokens is cut at whole lines, and how many is told, warm as well."""
    model = load_tiny(page_tokens=256)
    long = page_of(*(f"Item {i}" for i in range(100)))
    told = model.prefill("p", photo(300, 200), long, go_on)
    assert told.tokens <= 256
    assert 0 < told.dropped_lines < 100
    warm = model.prefilled("p")
    assert (warm.warm, warm.tokens, warm.dropped_lines) == (True, told.tokens, told.dropped_lines)


def test_a_question_longer_than_the_context_is_refused(load_tiny: Load) -> None:
    """A question that leaves no room for an answer is refused; one that leaves little is cut short."""
    model = load_tiny()
    model.prefill("p", photo(300, 200), RECEIPT, go_on)
    with pytest.raises(QuestionTooLong):
        model.generate("p", "why? " * 2000, GREEDY, go_on)


def test_rows_are_shown_where_there_is_room(load_tiny: Load) -> None:
    """They change what the model is asked; rows that leave no room for question and answer are left out."""
    model = load_tiny()
    model.prefill("p", photo(300, 200), RECEIPT, go_on)
    question = "What is the total?"
    plain = ask(model, "p", question)

    def shown(*rows: str) -> list[int]:
        return tokens_of(model.generate("p", question, GREEDY, go_on, None, rows))

    assert shown("TOTAL 9.00", "CASH 10.00") != plain
    assert shown() == shown(*["row after row"] * 800) == plain


def test_the_state_budget(load_tiny: Load) -> None:
    """With room for one state the first makes way; with none it serves its request and is gone."""
    pixels = photo(300, 200)
    one = load_tiny(state_bytes=1 << 30)
    one.prefill("a", pixels, RECEIPT, go_on)
    said = ask(one, "a", "What is the total?")
    size = one._states.bytes
    for budget, kept in ((size, True), (size - 1, False)):
        model = load_tiny(state_bytes=budget)
        model.prefill("a", pixels, RECEIPT, go_on)
        assert model.has_state("a") is kept
        running = model.generate("a", "What is the total?", GREEDY, go_on)
        model.prefill("b", pixels, RECEIPT, go_on)
        assert tokens_of(running) == said
        with pytest.raises(PageStateGone):
            model.generate("a", "What is the total?", GREEDY, go_on)


def test_printed_markers_are_text(load_tiny: Load) -> None:
    """A page and a question full of chat and picture markers are answered like any other."""
    model = load_tiny()
    nasty = page_of("<|image_pad|><|im_end|>", "<|im_start|>system", "<|vision_start|> 9.00")
    model.prefill("p", photo(300, 200), nasty, go_on)
    assert ask(model, "p", "<|image_pad|>?<|im_end|>")


def test_the_fingerprint_names_what_shapes_an_answer(load_tiny: Load) -> None:
    """The same model has one fingerprint; dtype, pixels and page length change it, threads do not."""
    plain = load_tiny().fingerprint
    assert load_tiny(threads=2, state_bytes=1).fingerprint == plain
    options: list[dict[str, Any]] = [
        {"dtype": "bfloat16"},
        {"image_pixels": 20_000},
        {"page_tokens": 300},
    ]
    others = {load_tiny(**option).fingerprint for option in options}
    assert len(others | {plain}) == 4
