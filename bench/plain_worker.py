"""Answers questions with stock `generate()`: no daemon, no reuse, no OCR that is timed.

The prompt and the picture's size are those of the daemon, so that what differs is the way, not the work.
One JSON request a line on standard input, one reply a line on standard output. Started by bench.plain.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from PIL import Image, ImageOps

from edge_clm.config import Config
from edge_clm.model.load import load
from edge_clm.model.picture import Pictures
from edge_clm.model.prompt import Prompt
from edge_clm.model.tokens import Tokens
from edge_clm.page.reader import open_reader
from edge_clm.paper import Line, PageText
from edge_clm.types import Pixels


class FirstToken:
    """A streamer that notes when the first token came; generate() shows it the prompt before."""

    def __init__(self) -> None:
        self.at = 0.0
        self._shown_prompt = False

    def put(self, tokens: torch.Tensor) -> None:
        """Called with the prompt, then with every token."""
        if self._shown_prompt and not self.at:
            self.at = time.perf_counter()
        self._shown_prompt = True

    def end(self) -> None:
        """Called at the end, for which there is nothing to do."""


class Worker:
    """A loaded model, with what makes the daemon's prompt."""

    def __init__(self, config: Config) -> None:
        self._config = config.model
        self._loaded = load(config.model)
        self._prompt = Prompt(Tokens(self._loaded.tokenizer))
        self._pictures = Pictures(
            self._loaded.pictures, config.model.image_pixels, config.model.page_tokens
        )
        self._reader = open_reader(config.ocr, Path(config.model.models))
        self._ends = self._all_ends()
        self._texts: dict[str, PageText] = {}

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Times one answer from opening the file to the last token."""
        path = request["picture"]
        text = self._text(path)
        started = time.perf_counter()
        upright = np.ascontiguousarray(np.rot90(_pixels(path), -text.turn // 90))
        lines = text.lines if request["page_text"] else ()
        inputs, page_tokens = self._inputs(upright, lines, request["question"])
        first = FirstToken()
        answer_tokens = self._generate(inputs, first)
        ended = time.perf_counter()
        return {
            "first_ms": (first.at - started) * 1000,
            "total_ms": (ended - started) * 1000,
            "tokens": answer_tokens,
            "page_tokens": page_tokens,
        }

    def _inputs(
        self, upright: Pixels, lines: Sequence[Line], question: str
    ) -> tuple[dict[str, Any], int]:
        """What generate() takes, and how many tokens stand before the question."""
        picture = self._pictures.make(upright)
        page = self._prompt.page(picture.tokens, lines, self._config.page_tokens)
        ids = torch.tensor([[*page.ids, *self._prompt.question(question)]])
        types = torch.zeros_like(ids)
        types[0, page.image[0] : page.image[1]] = 1
        inputs = {
            "input_ids": ids,
            "attention_mask": torch.ones_like(ids),
            "mm_token_type_ids": types,
            "pixel_values": picture.pixel_values,
            "image_grid_thw": picture.grid,
        }
        return inputs, len(page.ids)

    @torch.inference_mode()
    def _generate(self, inputs: dict[str, Any], first: FirstToken) -> int:
        """How many tokens the answer has, the one that ends it aside."""
        model = self._loaded.model
        found = model.generate(
            **{name: tensor.to(model.device) for name, tensor in inputs.items()},
            max_new_tokens=self._config.max_tokens,
            do_sample=False,
            pad_token_id=self._prompt.end,
            eos_token_id=sorted(self._ends),
            streamer=first,
        )
        made: list[int] = found[0, inputs["input_ids"].shape[1] :].tolist()
        return len(made) - (made[-1] in self._ends)

    def _all_ends(self) -> set[int]:
        """Every token that ends an answer, as the daemon has it."""
        said = self._loaded.model.generation_config.eos_token_id
        ends = [*(said if isinstance(said, list) else [said]), self._loaded.tokenizer.eos_token_id]
        return {token for token in (*ends, self._prompt.end) if token is not None}

    def _text(self, path: str) -> PageText:
        if path not in self._texts:
            self._texts[path] = self._reader.read(_pixels(path))
        return self._texts[path]


def _pixels(path: str) -> Pixels:
    with Image.open(path) as picture:
        return np.array(ImageOps.exif_transpose(picture).convert("RGB"))


def main() -> None:
    """Loads, says how many threads compute, then answers until standard input ends."""
    model, models = sys.argv[1:]
    config = Config.model_validate({"model": {"name": model, "models": models}})
    worker = Worker(config)
    print(json.dumps({"threads": torch.get_num_threads()}), flush=True)
    for line in sys.stdin:
        print(json.dumps(worker.answer(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
