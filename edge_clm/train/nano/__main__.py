"""Trains nano's text branch: `python -m edge_clm.train.nano --reports DIR --out DIR`.

Draws pages, photographs them, reads them with the real OCR (kept in the user's cache, resumable), and
learns from questions about them. Writes checkpoints while it runs; run it again to go on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from edge_clm.config import Config
from edge_clm.model.adapter import adapted, read_adapter
from edge_clm.model.load import pick_device
from edge_clm.train.nano.base import cache_home, halves, keep, load_base, say
from edge_clm.train.nano.check import check
from edge_clm.train.nano.fit import Step, Trainer
from edge_clm.train.nano.lessons import Lessons
from edge_clm.train.nano.lora import LoraLinear, adapter_of, attach, begin
from edge_clm.train.nano.noise import Noise, noise_of
from edge_clm.train.nano.pool import Recipe, kept, read_all, sheet

ADAPTER = "nano.safetensors"
_EVERY_S = 180.0
"""Between checkpoints."""


def main() -> int:
    """Reads the pool, trains, checks on pages of the test split, writes the adapter."""
    given = _parser().parse_args()
    recipe = Recipe(given.seed, "train", given.reports)
    held_out = Recipe(given.seed, "test", given.reports)
    for part, count in ((recipe, given.pool), (held_out, given.check)):
        _read(part, count, _pool(part))
    if given.pages:
        _train(given, recipe, held_out)
    return 0


def _train(given: argparse.Namespace, recipe: Recipe, held_out: Recipe) -> None:
    model, tokenizer, pictures = load_base(lambda *said: say(str(said[0])))
    tower = read_adapter(given.tower) if given.tower else {}
    model.load_state_dict(adapted(model.state_dict(), tower))
    device = pick_device(given.device)
    layers = attach(model, given.rank, given.seed)
    half = halves(given.bf16, device.type)
    model.to(device, torch.bfloat16 if half else torch.float32)
    for layer in layers.values():
        layer.down.data, layer.up.data = layer.down.data.float(), layer.up.data.float()
    trainer = Trainer(model, layers, given.rate, given.pages, given.batch)
    given.out.mkdir(parents=True, exist_ok=True)
    if given.start:
        begin(layers, read_adapter(given.start))
    done = _resume(given.out, layers, trainer)
    sees, pool = bool(tower), _pool(recipe)
    noise = _noise(recipe, pool)
    lessons = Lessons(model, tokenizer, pictures, recipe, pool, sees=sees, noise=noise)
    drawn = ((one.packed, one.features) for one in lessons.draw(given.pages, done))
    saved, log = time.monotonic(), []
    for step in trainer.learn(drawn, done):
        log.append(step)
        if step.page % 20 == 0:
            _report(step, log[-100:], given.pages)
        if step.page % given.batch == 0 and time.monotonic() - saved > _EVERY_S:
            _save(given.out, layers, tower, trainer, step.page)
            saved = time.monotonic()
    _save(given.out, layers, tower, trainer, given.pages)
    checked = Lessons(model, tokenizer, pictures, held_out, _pool(held_out), sees=sees, noise=None)
    figures = check(model, checked.draw(given.check))
    (given.out / "check.json").write_text(json.dumps(figures, indent=2))
    say(json.dumps(figures, indent=2))


def _read(recipe: Recipe, count: int, pool: Path) -> None:
    started = time.monotonic()
    for done, _ in enumerate(read_all(recipe, count, Config(), pool), start=1):
        if done % 20 == 0:
            say(f"read {done} pages of {recipe.split}, {time.monotonic() - started:.0f} s")


def _noise(recipe: Recipe, pool: Path) -> Noise | None:
    """How the OCR misreads, by the captures of a pool; None without one."""
    numbers = kept(pool) if pool.is_dir() else []
    if not numbers:
        return None
    path = pool.with_name(f"{pool.name}-noise-{len(numbers)}.json")
    return noise_of((sheet(recipe, number, pool) for number in numbers), path)


def _pool(recipe: Recipe) -> Path:
    return cache_home() / f"pool-{recipe.split}-{recipe.seed}"


def _save(
    out: Path,
    layers: dict[str, LoraLinear],
    tower: dict[str, torch.Tensor],
    trainer: Trainer,
    done: int,
) -> None:
    def write(part: Path) -> None:
        save_file(adapter_of(layers) | tower, part, metadata={"pages": str(done)})
        # safetensors writes for its user alone.
        part.chmod(0o644)

    keep(out / ADAPTER, write)
    state = {"done": done, "trainer": trainer.state()}
    state["factors"] = {name: (one.down.data, one.up.data) for name, one in layers.items()}
    keep(out / "state.pt", lambda part: torch.save(state, part))


def _resume(out: Path, layers: dict[str, LoraLinear], trainer: Trainer) -> int:
    """How many pages the last run has learnt from."""
    if not (out / "state.pt").exists():
        return 0
    state: dict[str, Any] = torch.load(out / "state.pt", weights_only=True)
    for name, (down, up) in state["factors"].items():
        layers[name].down.data.copy_(down)
        layers[name].up.data.copy_(up)
    trainer.resume(state["trainer"])
    return int(state["done"])


def _report(step: Step, last: list[Step], pages: int) -> None:
    loss = sum(one.loss for one in last) / len(last)
    exact = sum(one.exact for one in last) / len(last)
    say(f"{step.page}/{pages}  loss {loss:.3f}  exact {exact:.2f}  {time.strftime('%H:%M:%S')}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m edge_clm.train.nano", description=__doc__)
    add = parser.add_argument
    add("--reports", type=Path, required=True, help="directory with texts of radiology reports")
    add("--out", type=Path, required=True, help="where the adapter and the checkpoints go")
    add("--tower", type=Path, help="a vision tower that has learnt to see; see `see`")
    add("--start", type=Path, help="an adapter to begin with")
    add("--seed", type=int, default=1)
    add("--pool", type=int, default=600, help="pages to photograph and read")
    add("--check", type=int, default=60, help="pages of the test split to check on")
    add("--pages", type=int, default=1200, help="pages to learn from; 0 only reads the pool")
    add("--batch", type=int, default=2, help="pages to a step")
    add("--rank", type=int, default=32)
    add("--rate", type=float, default=4e-4)
    add("--device", default="cpu", help="cpu or cuda")
    add("--bf16", action="store_true", help="hold the frozen weights in bfloat16")
    return parser


if __name__ == "__main__":
    sys.exit(main())
