"""Decoding: one token after another over a request's own cache, as pieces of text."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import torch

from edge_clm.model.hooks import Hooks
from edge_clm.model.repetition import LoopWatch
from edge_clm.model.state import PageState
from edge_clm.model.tokens import TextStream, Tokens
from edge_clm.model.vectors import Course, Projection
from edge_clm.model.verify import Proposals, Speech
from edge_clm.types import Finish, Piece, Sampling, Stop

CHUNK = 256
"""Tokens of a question that go through the model at once, so that a long one can be stopped."""


@dataclass(frozen=True, slots=True)
class Decoder:
    """A model that decodes; holds nothing of any request."""

    model: Any
    tokens: Tokens
    eos: frozenset[int]
    hooks: Hooks
    projection: Projection | None = None
    """What vectors of question and answer are made by; None for none."""

    def pieces(
        self,
        state: PageState,
        question: Sequence[int],
        sampling: Sampling,
        stop: Stop,
        draft: Sequence[int] = (),
    ) -> Iterator[Piece]:
        """Answers a question over a page state; `stop` is asked before every forward pass.

        The page state is read once, at the start, and not written to. `draft`: tokens that the answer may be;
        they are accepted where the model would have chosen them. The last piece tells what became of them.
        """
        proposals = Proposals(draft)
        output = _Output(self.tokens, proposals)
        choose = _Choice(self.model, (*state.ids, *question), sampling)
        listening = self.hooks if self.projection else None
        forward = Forward(self.model, state, len(question) + sampling.max_tokens, listening)
        *before, last = _chunks(question)
        for chunk in before:
            if stop():
                yield output.end(Finish.CANCELLED)
                return
            forward(chunk)
        speech = Speech(forward, choose, last, proposals, sampling.max_tokens, stop)
        for _ in range(sampling.max_tokens):
            if stop():
                yield output.end(Finish.CANCELLED)
                return
            token = speech.next()
            if token in self.eos:
                yield output.end(Finish.STOP, self._vector(forward))
                return
            if output.push(token):
                yield output.end(Finish.REPETITION)
                return
            if piece := output.ready():
                yield piece
        yield output.end(Finish.LENGTH)

    def _vector(self, forward: Forward) -> bytes:
        return self.projection.of(forward.course.mean) if self.projection else b""


def _chunks(ids: Sequence[int]) -> list[list[int]]:
    return [list(ids[start : start + CHUNK]) for start in range(0, len(ids), CHUNK)]


class Forward:
    """Forward passes of one request over its own copy of a page state."""

    def __init__(
        self, model: Any, state: PageState, room: int, listening: Hooks | None = None
    ) -> None:
        """`room`: how many tokens will come at most; `listening`: what to hear their course with."""
        self.course = Course()
        """What the last layer has said of the tokens so far, where it is listened to."""
        self._listening = listening
        self._model = model
        self._delta = state.delta
        self._length = len(state.ids)
        self._cache = state.opened(room)

    @torch.inference_mode()
    def __call__(self, ids: Sequence[int], keep: int = 1) -> torch.Tensor:
        """Logits, (keep, vocabulary), for what follows each of the last `keep` of these tokens."""
        # The model would work positions out from what its last caller left in it; so it is told.
        positions = torch.arange(self._length, self._length + len(ids)) + self._delta
        self._length += len(ids)
        if self._listening is None:
            return self._passed(ids, positions, keep)
        with self._listening.listening() as heard:
            logits = self._passed(ids, positions, keep)
        if heard.last is not None:
            self.course.add(heard.last)
        return logits

    def _passed(self, ids: Sequence[int], positions: torch.Tensor, keep: int) -> torch.Tensor:
        device = self._model.device
        output = self._model(
            input_ids=torch.tensor([ids], device=device),
            position_ids=positions.to(device).expand(3, 1, -1),
            cache=self._cache,
            use_cache=True,
            logits_to_keep=keep,
        )
        logits: torch.Tensor = output.logits[0]
        return logits

    def forget(self, count: int) -> None:
        """Takes the last `count` tokens back, as if they had never been."""
        self._cache.crop(-count)
        self._length -= count
        if self._listening:
            self.course.forget(count)


class _Choice:
    """Chooses tokens as the model's generation configuration says, but for its repetition penalty.

    A penalty on what the page already says would keep the model from copying values off it.
    """

    def __init__(self, model: Any, prompt: Sequence[int], sampling: Sampling) -> None:
        config = copy.deepcopy(model.generation_config)
        config.repetition_penalty = 1.0
        config.do_sample = sampling.temperature > 0
        if config.do_sample:
            config.temperature = sampling.temperature
        self._sample = config.do_sample
        self._random = torch.Generator(model.device).manual_seed(sampling.seed)
        self._ids = torch.tensor([prompt], device=model.device)
        self._processors = model._get_logits_processor(
            config, input_ids_seq_length=len(prompt), device=model.device
        )

    @torch.inference_mode()
    def __call__(self, logits: torch.Tensor) -> int:
        scores = self._processors(self._ids, logits.float())
        if self._sample:
            chosen = torch.multinomial(scores.softmax(-1), 1, generator=self._random)
        else:
            chosen = scores.argmax(-1, keepdim=True)
        self._ids = torch.cat([self._ids, chosen], dim=1)
        return int(chosen)


class _Output:
    """What of the generated tokens may be said: all but a tail that may yet prove to be a loop."""

    def __init__(self, tokens: Tokens, proposals: Proposals) -> None:
        self._proposals = proposals
        self._stream = TextStream(tokens)
        self._watch = LoopWatch(tokens.spelled)
        self._waiting: list[int] = []

    def push(self, token: int) -> bool:
        """Takes a token; True when the answer loops."""
        self._waiting.append(token)
        return self._watch.push(token)

    def ready(self) -> Piece | None:
        """What has become certain since the last piece."""
        said = len(self._waiting) - self._watch.held
        return self._take(said) if said > 0 else None

    def end(self, finish: Finish, vector: bytes = b"") -> Piece:
        """The last piece; a loop is cut before its first repeat."""
        said = len(self._waiting)
        if finish is Finish.REPETITION:
            said = max(0, said - self._watch.held)
        last = self._take(said)
        return replace(last, finish=finish, drafted=self._proposals.drafted, vector=vector)

    def _take(self, count: int) -> Piece:
        taken, self._waiting = self._waiting[:count], self._waiting[count:]
        return Piece(self._stream.push(taken), tuple(taken))
