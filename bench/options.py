"""What every bench takes on the command line."""

from __future__ import annotations

import argparse
import os
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent


@dataclass(frozen=True, slots=True)
class Options:
    """What every bench is told."""

    data: Path
    n: int | None
    """How many; what is counted is for the bench to say. None for its default."""
    seed: int
    json: Path | None
    models: Path
    model: str
    wait_s: float
    any_load: bool
    restart: bool


def add_common(parser: argparse.ArgumentParser) -> None:
    """Adds the options that every bench has."""
    parser.add_argument(
        "--data",
        type=Path,
        default=_default_data(),
        metavar="DIR",
        help="labelled documents, laid out like inv3d/ and sroie/ (default: $EDGE_CLM_DATA, else %(default)s)",
    )
    parser.add_argument("--n", type=_positive, metavar="N", help="how many; see above")
    parser.add_argument("--seed", type=int, default=0, metavar="S", help="default %(default)s")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures here")
    _add_machine(parser)


def _add_machine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--models",
        type=Path,
        metavar="DIR",
        help="directory of pulled models (default: the user's)",
    )
    parser.add_argument("--model", default="nano", metavar="NAME", help="default %(default)s")
    parser.add_argument(
        "--wait", type=float, default=600, metavar="SECONDS", help="for the machine to fall idle"
    )
    parser.add_argument(
        "--any-load",
        action="store_true",
        help="measure on a busy machine all the same; every figure then says so",
    )
    parser.add_argument(
        "--restart", action="store_true", help="measure again what an earlier run has finished"
    )


def read_common(given: argparse.Namespace) -> Options:
    """The common options as parsed."""
    from edge_clm.config import models_home

    return Options(
        data=given.data.expanduser(),
        n=given.n,
        seed=given.seed,
        json=given.json,
        models=(given.models or models_home()).expanduser(),
        model=given.model,
        wait_s=given.wait,
        any_load=given.any_load,
        restart=given.restart,
    )


def _default_data() -> Path:
    given = os.environ.get("EDGE_CLM_DATA")
    return Path(given) if given else Path(os.path.relpath(REPOSITORY.parent / "shared/data"))


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number
