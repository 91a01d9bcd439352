"""Trains nano's vision tower: `python -m edge_clm.train.nano.see --reports DIR --out DIR`.

Photographs marked pages (kept in the user's cache, resumable) and learns what each cell of them holds.
Writes `tower.safetensors`, which `python -m edge_clm.train.nano --tower` builds on.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import save_file

from edge_clm.model.picture import Pictures
from edge_clm.model.tokens import Tokens
from edge_clm.train.nano.base import cache_home, keep, load_base, say
from edge_clm.train.nano.eyes import Eyes, Look, Oculist, awake, seen_right, tower_of
from edge_clm.train.nano.pool import Recipe
from edge_clm.train.nano.sights import Sight, photograph, sights
from edge_clm.train.pages.draw import chance
from edge_clm.train.pages.page import Split

TOWER = "tower.safetensors"
_EVERY_S = 180.0
"""Between checkpoints."""
_ROOM = 10_000


def main() -> int:
    """Photographs, trains, checks on pages of the test split, writes the tower."""
    given = _parser().parse_args()
    galleries = []
    wanted: tuple[tuple[Split, int], ...] = (("train", given.gallery), ("test", given.check))
    for split, count in wanted:
        recipe = Recipe(given.seed, split, given.reports)
        directory = cache_home() / f"gallery-{split}-{given.seed}"
        started = time.monotonic()
        for done, _ in enumerate(photograph(recipe, count, directory), start=1):
            if done % 100 == 0:
                say(f"photographed {done} pages, {time.monotonic() - started:.0f} s")
        galleries.append(sights(directory)[:count])
    if given.steps:
        _train(given, *galleries)
    return 0


def _train(given: argparse.Namespace, shown: Sequence[Sight], held_out: Sequence[Sight]) -> None:
    model, tokenizer, processor = load_base(lambda *said: say(str(said[0])))
    pictures = Pictures(processor, 0, _ROOM)
    model.requires_grad_(requires_grad=False)
    awake(model, given.seed)
    model.model.visual.requires_grad_(requires_grad=True)
    eyes = Eyes(model, Tokens(tokenizer).plain)
    oculist = Oculist(eyes, given.rate, given.steps)
    given.out.mkdir(parents=True, exist_ok=True)
    state = given.out / "see.pt"
    done = _resume(state, eyes, oculist)
    saved, losses = time.monotonic(), []
    batches = _batches(shown, pictures, given, done)
    for step, loss in enumerate(oculist.learn(batches), start=done + 1):
        losses.append(loss)
        if step % 20 == 0:
            mean = sum(losses[-50:]) / len(losses[-50:])
            say(f"{step}/{given.steps}  loss {mean:.4f}  {time.strftime('%H:%M:%S')}")
        if time.monotonic() - saved > _EVERY_S or step == given.steps:
            now = {"done": step, "eyes": eyes.state_dict(), **oculist.state()}
            keep(state, partial(torch.save, now))
            saved = time.monotonic()
    save_file(tower_of(model), given.out / TOWER, metadata={"steps": str(given.steps)})
    figures = seen_right(eyes, (_look(sight, pictures) for sight in held_out))
    (given.out / "seen.json").write_text(json.dumps(figures, indent=1))
    for name, (seen, spared, count) in figures.items():
        say(f"{name:12} {count:4}  seen {seen:.2f}  rightly not seen {spared:.2f}")


def _batches(
    shown: Sequence[Sight], pictures: Pictures, given: argparse.Namespace, done: int
) -> Iterator[list[Look]]:
    for step in range(done, given.steps):
        rng = chance("see", given.seed, step)
        yield [_look(rng.choice(shown).varied(rng), pictures) for _ in range(given.batch)]


def _look(sight: Sight, pictures: Pictures) -> Look:
    picture = pictures.make(sight.pixels)
    return Look(picture.pixel_values, picture.grid, torch.from_numpy(sight.cells()))


def _resume(path: Path, eyes: Eyes, oculist: Oculist) -> int:
    """How many steps the last run has taken."""
    if not path.exists():
        return 0
    state: dict[str, Any] = torch.load(path, weights_only=True)
    eyes.load_state_dict(state["eyes"])
    oculist.resume(state)
    return int(state["done"])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m edge_clm.train.nano.see", description=__doc__)
    add = parser.add_argument
    add("--reports", type=Path, required=True, help="directory with texts of radiology reports")
    add("--out", type=Path, required=True, help="where the tower and the checkpoints go")
    add("--seed", type=int, default=1)
    add("--gallery", type=int, default=800, help="pages to photograph")
    add("--check", type=int, default=100, help="pages of the test split to check on")
    add("--steps", type=int, default=700, help="0 only photographs")
    add("--batch", type=int, default=4, help="pictures to a step")
    add("--rate", type=float, default=6e-4, help="the highest of the one-cycle schedule")
    return parser


if __name__ == "__main__":
    sys.exit(main())
