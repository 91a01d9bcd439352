"""Hooks on the text branch of each family: what is heard, and what is added."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

from edge_clm.errors import PageStateGone
from edge_clm.model.generate import Forward
from edge_clm.model.hooks import Hooks
from edge_clm.model.vlm import QwenModel
from edge_clm.types import Sampling

from .conftest import page_of

Load = Callable[..., QwenModel]

PAGE = page_of("INVOICE 4711", "Net 100.00", "Tax 19.00", "Gross 119.00")
PIXELS = np.random.default_rng(3).integers(0, 255, (180, 120, 3), dtype=np.uint8)
ASKED = [7, 12, 5, 40, 41, 42]
LATE = (1, 2, 3)


def go_on() -> bool:
    return False


@pytest.fixture
def model(load_tiny: Load) -> QwenModel:
    model = load_tiny()
    model.prefill("p", PIXELS, PAGE, go_on)
    return model


def forward(model: QwenModel, room: int = 20) -> Forward:
    return Forward(model._model, model._states.get("p"), room)


def vectors(model: QwenModel) -> dict[int, torch.Tensor]:
    hidden = model._text_config.hidden_size
    spread = torch.Generator().manual_seed(5)
    return {at: torch.randn(hidden, generator=spread) for at in LATE}


def said(model: QwenModel) -> tuple[int, ...]:
    pieces = model.generate("p", "What is the total?", Sampling(8), go_on)
    return tuple(token for piece in pieces for token in piece.tokens)


def test_what_is_heard_is_what_stock_code_tells(model: QwenModel) -> None:
    """The last layer's vectors are stock hidden states, bit for bit; the head makes the logits of them."""
    hooks = Hooks(model._model)
    plain = forward(model)(ASKED, len(ASKED))
    with hooks.listening() as heard:
        logits = forward(model)(ASKED, len(ASKED))
    assert heard.last is not None
    assert torch.equal(plain, logits)
    assert heard.last.shape == (len(ASKED), model._text_config.hidden_size)
    with torch.inference_mode():
        assert torch.equal(model._model.lm_head(heard.last), logits)


def test_attention_is_heard_before_the_mlp(model: QwenModel) -> None:
    """With what a layer was given, what its attention says makes what its MLP is given."""
    hooks, at = Hooks(model._model), 2
    layer = hooks._text.layers[at]
    seen: dict[str, Any] = {}
    given = layer.register_forward_pre_hook(
        lambda _, args, __: seen.update(stream=args[0][0]), with_kwargs=True
    )
    normed = layer.post_attention_layernorm.register_forward_pre_hook(
        lambda _, args: seen.update(before_mlp=args[0][0])
    )
    with hooks.listening([at]) as heard:
        forward(model)(ASKED)
    given.remove()
    normed.remove()
    assert torch.equal(seen["stream"] + heard.attention[at], seen["before_mlp"])


def test_token_by_token_is_heard_as_in_one_pass(model: QwenModel) -> None:
    """What is said of a token does not depend on how many go through at once."""
    hooks, one, whole = Hooks(model._model), forward(model), forward(model)
    with hooks.listening(LATE) as heard:
        whole(ASKED)
        assert heard.last is not None
        together, attention = heard.last, heard.attention[LATE[0]]
        for row, token in enumerate(ASKED):
            one([token])
            assert torch.allclose(heard.last[0], together[row], atol=1e-4)
            assert torch.allclose(heard.attention[LATE[0]][0], attention[row], atol=1e-4)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_a_scale_of_nothing_changes_no_bit(load_tiny: Load, dtype: str) -> None:
    """Nor does a hook that was there and is gone: logits and cache are the same."""
    model = load_tiny(dtype=dtype)
    model.prefill("p", PIXELS, PAGE, go_on)
    hooks = Hooks(model._model)
    plain, still, after = (forward(model) for _ in range(3))
    logits = plain(ASKED, len(ASKED))
    with hooks.injecting(vectors(model), 0.0):
        assert not hooks.injects
        assert torch.equal(still(ASKED, len(ASKED)), logits)
    with hooks.injecting(vectors(model), 0.5):
        assert not torch.equal(forward(model)(ASKED, len(ASKED)), logits)
    assert torch.equal(after(ASKED, len(ASKED)), logits)
    for one, other in zip(plain._cache.layers, after._cache.layers, strict=True):
        assert torch.equal(one.keys, other.keys)
        assert torch.equal(one.values, other.values)


def test_layers_before_the_first_are_left_alone(model: QwenModel) -> None:
    """Keys of layers below the first injected one are as they were, from it on they are others."""
    hooks, plain, moved = Hooks(model._model), forward(model), forward(model)
    plain(ASKED)
    with hooks.injecting(vectors(model), 0.5):
        moved(ASKED)
    pages = len(model._states.get("p").ids)
    for at, (one, other) in enumerate(zip(plain._cache.layers, moved._cache.layers, strict=True)):
        assert torch.equal(one.keys[:, :, :pages], other.keys[:, :, :pages])
        same = torch.equal(one.keys[:, :, pages:], other.keys[:, :, pages:])
        assert same is (at < LATE[0])


def test_an_answer_under_injection_leaves_the_page_as_it_was(model: QwenModel) -> None:
    """It is another answer, and the next one without is the one from before."""
    before = said(model)
    kept = [part.clone() for pair in model._states.get("p").kv for part in pair]
    with model.hooks.injecting(vectors(model), 2.0):
        assert said(model) != before
    assert all(
        torch.equal(one, other)
        for one, other in zip(
            kept, (part for pair in model._states.get("p").kv for part in pair), strict=True
        )
    )
    assert said(model) == before


def test_page_states_made_under_injection_are_never_stored(model: QwenModel) -> None:
    """One serves the request that made it, takes the place of none that was kept, and is gone with the next."""
    before = said(model)
    with model.hooks.injecting(vectors(model), 0.5):
        model.prefill("q", PIXELS, PAGE, go_on)
        assert not model.has_state("q")
        assert list(model.generate("q", "When?", Sampling(2), go_on))
        model.prefill("p", PIXELS, PAGE, go_on)
    assert not model.has_state("p")
    with pytest.raises(PageStateGone):
        list(model.generate("q", "When?", Sampling(2), go_on))
    model.prefill("p", PIXELS, PAGE, go_on)
    assert said(model) == before


def test_a_failure_takes_the_hooks_away(model: QwenModel) -> None:
    """Whatever ends a context, the model is as it was; so does a layer that is not there."""
    hooks, logits = Hooks(model._model), forward(model)(ASKED)
    with pytest.raises(ZeroDivisionError), hooks.injecting(vectors(model), 0.5):
        raise ZeroDivisionError
    with pytest.raises(IndexError), hooks.injecting(vectors(model) | {99: torch.zeros(1)}, 0.5):
        pass
    with pytest.raises(IndexError), hooks.listening([99]):
        pass
    assert not hooks.injects
    assert torch.equal(forward(model)(ASKED), logits)
