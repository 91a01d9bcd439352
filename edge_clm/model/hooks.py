"""Ways into a model's text branch, by hooks alone: what its layers say, and what is added to what they say.

Stock modelling code runs as it is. Hooks are there while a context is open, and see the tokens of the forward
passes in it; those of the page state went through before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

import torch


@dataclass(slots=True)
class Heard:
    """What a text branch said of the tokens of the last forward pass."""

    attention: dict[int, torch.Tensor] = field(default_factory=dict)
    """By layer: what its attention gives to the residual stream, before the MLP, (tokens, hidden)."""
    last: torch.Tensor | None = None
    """What the head makes logits of: the last layer, normed, (tokens, hidden); None before any pass."""


class Hooks:
    """Hooks on the text branch of one Qwen2-VL, Qwen2.5-VL or Qwen3-VL model."""

    def __init__(self, model: Any) -> None:
        self._text = model.model.language_model
        self._open = 0

    @property
    def injects(self) -> bool:
        """True while something is added to what layers say: page states made now are not the page's."""
        return self._open > 0

    @contextmanager
    def listening(self, layers: Sequence[int] = ()) -> Iterator[Heard]:
        """Hears the last layer, and the attention of some others; changes nothing.

        Raises IndexError for a layer that the model does not have.
        """
        heard = Heard()

        def attended(at: int) -> Any:
            def hear(_module: Any, _given: Any, told: Any) -> None:
                # Under SDPA there are no weights beside it.
                heard.attention[at] = told[0][0].detach()

            return hear

        def ended(_module: Any, _given: Any, told: torch.Tensor) -> None:
            heard.last = told[0].detach()

        with ExitStack() as stack:
            for at in layers:
                attention = self._text.layers[at].self_attn
                stack.callback(attention.register_forward_hook(attended(at)).remove)
            stack.callback(self._text.norm.register_forward_hook(ended).remove)
            yield heard

    @contextmanager
    def injecting(self, vectors: Mapping[int, torch.Tensor], scale: float) -> Iterator[None]:
        """Adds `scale` times a vector, (hidden,), to the residual stream before each of some layers.

        To that of every token that goes through meanwhile, whose keys and values are then no longer its own.
        With a scale of 0 every bit is as without. Raises IndexError for a layer that the model does not have.
        """

        def adding(vector: torch.Tensor) -> Any:
            def add(_module: Any, given: tuple[Any, ...], named: Any) -> Any:
                stream, *rest = given
                # A new tensor: the stream is what the layer before has given, too.
                moved = stream + (scale * vector).to(stream.device, stream.dtype)
                return (moved, *rest), named

            return add

        if not scale or not vectors:
            yield
            return
        with ExitStack() as stack:
            for at, vector in vectors.items():
                layer = self._text.layers[at]
                hook = layer.register_forward_pre_hook(adding(vector), with_kwargs=True)
                stack.callback(hook.remove)
            self._open += 1
            stack.callback(self._close)
            yield

    def _close(self) -> None:
        self._open -= 1
