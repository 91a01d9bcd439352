"""The vision-language model as the engine drives it: page states made once, questions over them."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import torch

from edge_clm.config import Model
from edge_clm.errors import Cancelled, PageStateGone, QuestionTooLong
from edge_clm.model.costs import Costs
from edge_clm.model.disk import DiskStates
from edge_clm.model.generate import Decoder
from edge_clm.model.hooks import Hooks
from edge_clm.model.load import ATTENTION, Loaded, load
from edge_clm.model.picture import Picture, Pictures
from edge_clm.model.prompt import DESCRIBE_QUESTION, PagePrompt, Prompt
from edge_clm.model.quiet import transformers
from edge_clm.model.state import PageState, PageStates, empty_cache
from edge_clm.model.tokens import Tokens
from edge_clm.paper import PageText
from edge_clm.types import Draft, Piece, Pixels, Prefilled, Sampling, Stop

CHUNK = 512
"""Tokens of one forward pass of prefill, so that it can be stopped; part of what shapes an answer."""
RESERVE = 1024
"""Tokens of the context that page states leave to question and answer."""


class QwenModel:
    """A Qwen2-VL, Qwen2.5-VL or Qwen3-VL model; implements `ports.LanguageModel`.

    Every answer takes two passes, page and then question, whether the page state was there or not:
    so cold and warm answers are the same bit for bit.
    """

    def __init__(self, config: Model, loaded: Loaded) -> None:
        """Raises ConfigInvalid where the tokenizer lacks what the prompt needs."""
        self.name = config.name
        self.device = str(loaded.device)
        self.sees = bool(getattr(loaded.model.config, "vision_trained", True))
        self.reads_chinese = bool(getattr(loaded.model.config, "reads_chinese", True))
        self.wants_rows = bool(getattr(loaded.model.config, "wants_rows", False))
        self._model = loaded.model
        self._text_config = loaded.model.config.get_text_config()
        self._context = int(self._text_config.max_position_embeddings)
        self._page_tokens = min(
            config.page_tokens, self._context - min(RESERVE, self._context // 4)
        )
        self._tokens = tokens = Tokens(loaded.tokenizer)
        self._prompt = Prompt(tokens)
        self._pictures = Pictures(loaded.pictures, config.image_pixels, self._page_tokens)
        self._states = PageStates(config.state_bytes)
        self.hooks = Hooks(loaded.model)
        eos = _eos(loaded, self._prompt)
        self._decoder = Decoder(loaded.model, tokens, eos, self.hooks, loaded.projection)
        self.fingerprint = self._fingerprint(loaded)
        self._disk: DiskStates | None = None
        self._costs = Costs()

    @classmethod
    def load(cls, config: Model) -> QwenModel:
        """Loads the configured model; raises ModelMissing, ModelDamaged or ConfigInvalid."""
        return cls(config, load(config))

    def keep_on(self, disk: DiskStates) -> None:
        """Keeps page states on a disk as well, of pages whose text is part of its fingerprint."""
        self._disk = disk

    def has_state(self, key: str) -> bool:
        """True when the page state of `key` is in memory, or on the disk and faster fetched than made."""
        return key in self._states or bool(
            self._disk and key in self._disk and self._costs.restoring_is_worth_it
        )

    def prefilled(self, key: str) -> Prefilled:
        """What is known of a page state, fetched from the disk where it is not in memory; raises PageStateGone."""
        restored = None if key in self._states or self._disk is None else self._restored(key)
        state = self._states.get(key)
        return Prefilled(True, len(state.ids), state.dropped_lines, restored or 0.0)

    def keep(self, key: str) -> None:
        """Has the page state of `key` written to the disk in the background, if it is in memory."""
        if self._disk and key in self._states:
            self._disk.keep(key, self._states.get(key))

    def _restored(self, key: str) -> float:
        """Fetches a state from the disk, in so many milliseconds; raises PageStateGone where it is damaged."""
        started = time.perf_counter()
        state = self._disk.get(key) if self._disk else None
        if state is None:
            raise PageStateGone("the page state is no longer on the disk")
        self._states.put(key, state.to(self._model.device))
        seconds = time.perf_counter() - started
        self._costs.restored(seconds, len(state.ids))
        return 1000 * seconds

    def prefill(self, key: str, pixels: Pixels, text: PageText, stop: Stop) -> Prefilled:
        """Makes the page state of `key` from upright pixels and page text, and keeps it where it is the page's own.

        Raises Cancelled once `stop` says so, which is asked before every forward pass.
        """
        picture = self._pictures.make(pixels)
        page = self._prompt.page(picture.tokens, text.lines, self._page_tokens)
        started = time.perf_counter()
        state = self._make(page, picture, stop)
        self._costs.made(time.perf_counter() - started, len(state.ids))
        if self.hooks.injects:
            self._states.lend(key, state)
        else:
            self._states.put(key, state)
        if self._disk:
            self._disk.forget(key)
        return Prefilled(False, len(state.ids), state.dropped_lines)

    def generate(
        self,
        key: str,
        question: str,
        sampling: Sampling,
        stop: Stop,
        draft: Draft | None = None,
        rows: Sequence[str] = (),
    ) -> Iterator[Piece]:
        """Answers over the page state of `key`; the last piece carries the finish.

        An empty question asks for a description. `draft`: what was answered before, for the model to confirm or
        not. `rows`: of the page, shown once more beside the question where there is room. Raises PageStateGone,
        QuestionTooLong; its pieces Cancelled, as `Speech` does.
        """
        state = self._states.get(key)
        left = self._context - len(state.ids)
        asked = self._prompt.question(question or DESCRIBE_QUESTION, rows)
        if rows and len(asked) > min(RESERVE, left - sampling.max_tokens):
            asked = self._prompt.question(question)
        room = left - len(asked)
        if len(asked) > RESERVE or room < 1:
            raise QuestionTooLong("the question does not fit beside the page", field="question")
        fitting = replace(sampling, max_tokens=min(sampling.max_tokens, room))
        return self._decoder.pieces(state, asked, fitting, stop, self._drafted(draft))

    def _drafted(self, draft: Draft | None) -> Sequence[int]:
        """A draft's tokens; another model's answer is spelled in this one's."""
        if draft is None:
            return ()
        return draft.tokens or self._tokens.plain(draft.text)

    @torch.inference_mode()
    def _make(self, page: PagePrompt, picture: Picture, stop: Stop) -> PageState:
        device, inner = self._model.device, self._model.model
        ids = torch.tensor([page.ids], device=device)
        types = torch.zeros_like(ids)
        types[0, page.image[0] : page.image[1]] = 1
        grid = picture.grid.to(device)
        positions, delta = inner.get_rope_index(ids, mm_token_type_ids=types, image_grid_thw=grid)
        cache = empty_cache(self._text_config.num_hidden_layers, len(page.ids))
        seen: dict[str, Any] = {
            "pixel_values": picture.pixel_values.to(device),
            "image_grid_thw": grid,
        }
        for start, end in _chunks(page.image[1], len(page.ids)):
            if stop():
                raise Cancelled("nobody waits for the page any more")
            inner(
                input_ids=ids[:, start:end],
                position_ids=positions[:, :, start:end],
                cache=cache,
                use_cache=True,
                **seen,
            )
            seen = {}
        kv = tuple((layer.keys, layer.values) for layer in cache.layers)
        return PageState(kv, page.ids, int(delta), page.dropped_lines)

    def _fingerprint(self, loaded: Loaded) -> str:
        parts = {
            "weights": loaded.weights,
            "pictures": loaded.pictures.to_dict(),
            "pixels": [self._pictures.min_pixels, self._pictures.max_pixels],
            "prompt": self._prompt.signature,
            "describe": DESCRIBE_QUESTION,
            "dtype": loaded.dtype,
            "attention": ATTENTION,
            "device": loaded.device.type,
            "torch": torch.__version__,
            "transformers": transformers().__version__,
            "page_tokens": self._page_tokens,
            "chunk": CHUNK,
        }
        shaped_by = json.dumps(parts, sort_keys=True, default=str)
        return hashlib.sha256(shaped_by.encode()).hexdigest()


def _chunks(image_end: int, length: int) -> Iterator[tuple[int, int]]:
    """Stretches of one forward pass each; the picture is never split."""
    start = 0
    while start < length:
        end = min(max(start + CHUNK, image_end), length)
        yield start, end
        start = end


def _eos(loaded: Loaded, prompt: Prompt) -> frozenset[int]:
    said = loaded.model.generation_config.eos_token_id
    listed = said if isinstance(said, list) else [said]
    return frozenset(
        i for i in [*listed, loaded.tokenizer.eos_token_id, prompt.end] if i is not None
    )
