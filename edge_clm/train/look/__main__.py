"""Trains the residual look: `python -m edge_clm.train.look --reports DIR --out DIR`.

Photographs generated pages twice (kept in the user's cache, resumable), learns to tell marks from light, and
checks on pages of the test split. Writes `look.safetensors`, float16, and `checked.json`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from functools import partial
from pathlib import Path

import cv2
import torch
from safetensors.torch import save_file

from edge_clm.page.comparator import Comparator
from edge_clm.page.look import FILE, Look
from edge_clm.train.look.batches import Draw, batches
from edge_clm.train.look.check import figures, scores
from edge_clm.train.look.fit import Trainer
from edge_clm.train.look.gallery import photograph, plates
from edge_clm.train.nano.base import cache_home, halves, keep, say
from edge_clm.train.nano.pool import Recipe
from edge_clm.train.pages.page import Split

_EVERY_S = 120.0
"""Between checkpoints."""


def main() -> int:
    """Photographs, trains, checks, writes the weights."""
    given = _parser().parse_args()
    torch.set_num_threads(1)
    cv2.setNumThreads(1)
    wanted: tuple[tuple[Split, int], ...] = (("train", given.gallery), ("test", given.check))
    for split, count in wanted:
        _photograph(given, split, count)
    given.out.mkdir(parents=True, exist_ok=True)
    if given.steps:
        _train(given)
        _check(given)
    return 0


def _home(seed: int, split: Split) -> Path:
    return cache_home() / f"look-{split}-{seed}"


def _photograph(given: argparse.Namespace, split: Split, count: int) -> None:
    recipe, started = Recipe(given.seed, split, given.reports), time.monotonic()
    made = photograph(recipe, count, _home(given.seed, split))
    for done, _ in enumerate(made, start=1):
        if done % 20 == 0:
            say(f"photographed {done} pages, {time.monotonic() - started:.0f} s")


def _train(given: argparse.Namespace) -> None:
    torch.manual_seed(given.seed)
    comparator = Look.load(given.start).comparator if given.start else Comparator()
    trainer = Trainer(comparator, given.rate, given.steps, half=halves(given.bf16))
    state, done = given.out / "look.pt", 0
    if state.exists():
        kept = torch.load(state, weights_only=True)
        trainer.resume(kept)
        done = int(kept["done"])
    saved, losses = time.monotonic(), []
    draw = Draw(_home(given.seed, "train"), given.gallery, given.seed, given.batch)
    drawn = batches(draw, range(done, given.steps))
    for step, loss in enumerate(trainer.learn(drawn), start=done + 1):
        losses.append(loss)
        if step % 50 == 0:
            say(f"{step}/{given.steps}  loss {sum(losses) / len(losses):.4f}")
            losses.clear()
        if time.monotonic() - saved > _EVERY_S or step == given.steps:
            keep(state, partial(torch.save, {"done": step, **trainer.state()}))
            _write(comparator, given.out / FILE)
            saved = time.monotonic()


def _write(comparator: Comparator, path: Path) -> None:
    tensors = {
        name: value.half() if value.is_floating_point() else value
        for name, value in comparator.state_dict().items()
    }
    keep(path, lambda part: save_file(tensors, part))


def _check(given: argparse.Namespace) -> None:
    held_out = plates(_home(given.seed, "test"))[: given.check]
    found = figures(scores(Look.load(given.out), held_out, given.pairs, given.seed))
    (given.out / "checked.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    for sort, said in found.items():
        auroc, share, count = said["auroc"], said["found"], said["n"]
        say(f"{sort:8} AUROC {auroc:.4f}  found at 1 % false alarms {share:.3f}  of {count:.0f}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m edge_clm.train.look", description=__doc__)
    add = parser.add_argument
    add("--reports", type=Path, required=True, help="directory with texts of radiology reports")
    add("--out", type=Path, required=True, help="where the weights and the checkpoints go")
    add("--start", type=Path, metavar="DIR", help="weights to begin with")
    add("--seed", type=int, default=1)
    add("--gallery", type=int, default=150, help="pages to photograph")
    add("--check", type=int, default=30, help="pages of the test split to check on")
    add("--pairs", type=int, default=200, help="pairs of each sort of change to check on")
    add("--steps", type=int, default=4000, help="0 only photographs")
    add("--batch", type=int, default=16, help="pairs to a step")
    add("--bf16", action="store_true", help="work in bfloat16 where that is enough")
    add("--rate", type=float, default=2e-3, help="the highest of the schedule")
    return parser


if __name__ == "__main__":
    sys.exit(main())
