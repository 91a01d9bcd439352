"""Text to ids and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.errors import ConfigInvalid
from edge_clm.model.quiet import transformers
from edge_clm.model.tokens import TextStream, Tokens

ids = st.lists(st.integers(0, 49167), max_size=60)
markers = st.sampled_from(
    ["<|im_end|>", "<|im_start|>", "<|image_pad|>", "<|vision_end|>", "<repo_name>", "<", "|", "<|"]
)


@pytest.fixture(scope="module")
def tokenizer(models: Path) -> Any:
    return transformers().AutoTokenizer.from_pretrained(models / "nano", local_files_only=True)


@pytest.fixture(scope="module")
def tokens(tokenizer: Any) -> Tokens:
    return Tokens(tokenizer)


def test_markers_are_markers_to_the_tokenizer(tokenizer: Any, tokens: Tokens) -> None:
    """The tokenizer left alone turns printed markers into markers: the danger is real."""
    assert tokens.marker("<|im_end|>") in tokenizer.encode("a<|im_end|>b")
    assert tokens.marker("<|image_pad|>") in tokenizer.encode("<|image_pad|>")


@settings(max_examples=200, deadline=None)
@given(parts=st.lists(st.one_of(markers, st.text(max_size=5)), max_size=12))
def test_no_text_becomes_a_marker(tokenizer: Any, tokens: Tokens, parts: list[str]) -> None:
    """Whatever a page prints, it yields no marker."""
    assert not set(tokens.plain("".join(parts))) & set(tokenizer.added_tokens_decoder)


@settings(max_examples=100, deadline=None)
@given(parts=st.lists(st.one_of(markers, st.sampled_from("aé€😀 0\n")), max_size=20))
def test_text_survives(tokens: Tokens, parts: list[str]) -> None:
    """Text turned into tokens and back is the same text, printed markers included."""
    text = "".join(parts)
    assert TextStream(tokens).push(tokens.plain(text)) == text


@settings(max_examples=200, deadline=None)
@given(ids=ids)
def test_deltas_joined_are_the_decoded_text(tokenizer: Any, tokens: Tokens, ids: list[int]) -> None:
    """One token at a time gives what decoding all at once gives, but for an unfinished end."""
    stream = TextStream(tokens)
    joined = "".join(stream.push([i]) for i in ids)
    known = [i for i in ids if i < len(tokenizer)]
    whole = tokenizer.decode(known, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    assert whole.startswith(joined)
    assert set(whole[len(joined) :]) <= {"\ufffd"}


def test_never_half_a_character(tokens: Tokens) -> None:
    """A character of several tokens comes out whole, with the last of them."""
    ids = tokens.plain("鑫")
    assert len(ids) > 1
    stream = TextStream(tokens)
    deltas = [stream.push([i]) for i in ids]
    assert deltas == [""] * (len(ids) - 1) + ["鑫"]


def test_unknown_marker_is_refused(tokens: Tokens) -> None:
    """A marker that the model lacks is an error that names it."""
    with pytest.raises(ConfigInvalid, match="no_such"):
        tokens.marker("<|no_such|>")
