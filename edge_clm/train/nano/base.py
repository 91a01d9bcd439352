"""Nano as it is before training, made once and kept in the user's cache."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

from edge_clm.model.nano import GGUF_SHA256, RECIPE, convert, fetch_source, load_source, save
from edge_clm.model.quiet import transformers
from edge_clm.weights import staging, user_cache
from edge_clm.wheels import Progress


def cache_home() -> Path:
    """Where training keeps what it could make again."""
    return user_cache() / "train"


def keep(path: Path, write: Callable[[Path], object]) -> None:
    """Writes a file whole or not at all: `write` fills a part beside it, which then takes its place."""
    part = path.with_name(f".{path.name}.part")
    write(part)
    part.replace(path)


def say(text: str) -> None:
    """A line for whoever watches the training."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def halves(wanted: bool, device: str = "cpu") -> bool:
    """Whether to work in bfloat16; not on a processor without instructions for it, where it takes forty times as long."""
    if wanted and device == "cpu" and not torch.ops.mkldnn._is_mkldnn_bf16_supported():
        say("this processor has no instructions for bfloat16: works in float32")
        return False
    return wanted


def load_base(progress: Progress) -> tuple[Any, Any, Any]:
    """The untrained model (float32), its tokenizer and its image processor; raises PullFailed."""
    name = f"nano-{GGUF_SHA256[:8]}-{RECIPE}"
    directory = cache_home() / name
    if not directory.is_dir():
        with staging(cache_home(), name) as part, tempfile.TemporaryDirectory() as scratch:
            source, tokenizer = load_source(fetch_source(Path(scratch), progress))
            model, tokenizer = convert(source, tokenizer, progress)
            save(model, tokenizer, part)
    hf = transformers()
    where = {"local_files_only": True}
    model = hf.AutoModelForImageTextToText.from_pretrained(
        directory, dtype=torch.float32, attn_implementation="sdpa", **where
    )
    tokenizer = hf.AutoTokenizer.from_pretrained(directory, **where)
    return model.eval(), tokenizer, hf.AutoImageProcessor.from_pretrained(directory, **where)
