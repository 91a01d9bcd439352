"""Trains docclip: `python -m edge_clm.train.clip --reports DIR --out DIR`.

Captures generated pages and look-alikes of them (kept in the user's cache, resumable) and learns which
captures show one sheet. Writes docclip/, a model directory of open_clip, at every checkpoint; a run
that was broken off goes on from clip.pt beside it.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from edge_clm.page.clip import Clip
from edge_clm.train.clip.check import check
from edge_clm.train.clip.fit import Batch, Trainer
from edge_clm.train.clip.gallery import Family, Plan, family, photograph
from edge_clm.train.clip.tower import NAME, SIDE, make, save, set_least
from edge_clm.train.clip.vary import varied
from edge_clm.train.nano.base import cache_home, halves, keep, say
from edge_clm.train.pages.draw import chance

_EVERY_S = 180.0
"""Between checkpoints."""


def main() -> int:
    """Captures, trains, checks on pages of the test split, writes the model."""
    given = _parser().parse_args()
    learnt = Plan(given.seed, "train", given.reports)
    held_out = Plan(given.seed, "test", given.reports)
    for plan, count in ((learnt, given.gallery), (held_out, given.check)):
        _photograph(plan, count)
    if given.steps:
        _train(given, learnt)
        clip = Clip.load(given.out, NAME)
        figures = check(clip, held_out, given.check, _directory(held_out))
        set_least(given.out / NAME, figures["least"])
        (given.out / "check.json").write_text(json.dumps(figures, indent=1))
        say(json.dumps(figures, indent=1))
    return 0


def _train(given: argparse.Namespace, plan: Plan) -> None:
    model = make(given.seed)
    trainer = Trainer(model, given.rate, given.steps, half=halves(given.bf16))
    given.out.mkdir(parents=True, exist_ok=True)
    done = _resume(given.out / "clip.pt", trainer)
    families = _families(plan, given.gallery)
    if not done:
        trainer.centre(next(_batches(families, given, 0)))
    saved, last = time.monotonic(), []
    for step, told in enumerate(trainer.learn(_batches(families, given, done)), start=done + 1):
        last.append(told)
        if step % 20 == 0:
            loss, right = (np.mean([(one.loss, one.right) for one in last[-50:]], axis=0)).round(3)
            say(f"{step}/{given.steps}  loss {loss}  right {right}  {time.strftime('%H:%M:%S')}")
        if time.monotonic() - saved > _EVERY_S or step == given.steps:
            now = {"done": step, **trainer.state()}
            keep(given.out / "clip.pt", partial(torch.save, now))
            save(model, given.out)
            saved = time.monotonic()


def _batches(families: Sequence[Family], given: argparse.Namespace, done: int) -> Iterator[Batch]:
    for step in range(done, given.steps):
        rng = chance("docclip", given.seed, step)
        drawn = rng.sample(families, given.batch)
        sheets = [
            views for at in range(len(drawn[0].views)) for views in (f.views[at] for f in drawn)
        ]
        pairs = [rng.sample(views, 2) for views in sheets]
        ink = np.stack([[varied(pair[at], SIDE, rng) for pair in pairs] for at in range(2)])
        words = np.stack([one.words for one in drawn])
        yield Batch(torch.from_numpy(ink), torch.from_numpy(words))


def _families(plan: Plan, count: int) -> list[Family]:
    say(f"opening {count} families")
    with ThreadPoolExecutor() as threads:
        directory = _directory(plan)
        return list(threads.map(lambda number: family(plan, number, directory), range(count)))


def _photograph(plan: Plan, count: int) -> None:
    started = time.monotonic()
    for done, _ in enumerate(photograph(plan, count, _directory(plan)), start=1):
        if done % 50 == 0:
            say(f"captured {done} families of {plan.split}, {time.monotonic() - started:.0f} s")


def _directory(plan: Plan) -> Path:
    return cache_home() / f"docclip-{plan.split}-{plan.seed}"


def _resume(path: Path, trainer: Trainer) -> int:
    """How many steps the last run has taken."""
    if not path.exists():
        return 0
    state: dict[str, Any] = torch.load(path, weights_only=True)
    trainer.resume(state)
    return int(state["done"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m edge_clm.train.clip", description=__doc__)
    add = parser.add_argument
    add("--reports", type=Path, required=True, help="directory with texts of radiology reports")
    add("--out", type=Path, required=True, help="where the model and the checkpoint go")
    add("--seed", type=int, default=1)
    add("--gallery", type=int, default=1500, help="families to capture: a page and a look-alike")
    add("--check", type=int, default=100, help="families of the test split to check on")
    add("--steps", type=int, default=1000, help="0 only captures")
    add("--batch", type=int, default=32, help="families to a step")
    add("--rate", type=float, default=1e-3, help="the highest of the one-cycle schedule")
    add("--bf16", action="store_true", help="work in bfloat16 where that is enough")
    return parser


if __name__ == "__main__":
    sys.exit(main())
