"""Writes generated pages as PNG with their truth as JSON."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

from PIL import Image

from edge_clm.paper import PageKind
from edge_clm.train.pages.make import KINDS, page_of
from edge_clm.train.pages.page import GeneratedPage


def main() -> None:
    """Writes as many pages of a kind as are asked for, beginning with a seed."""
    given = _given()
    given.out.mkdir(parents=True, exist_ok=True)
    for seed in range(given.seed, given.seed + given.n):
        page = page_of(PageKind(given.kind), seed, given.split, given.reports)
        stem = given.out / f"{given.kind}_{given.split}_{seed}"
        Image.fromarray(page.image).save(stem.with_suffix(".png"))
        truth = json.dumps(as_json(page), ensure_ascii=False, indent=1)
        stem.with_suffix(".json").write_text(truth, encoding="utf-8")


def as_json(page: GeneratedPage) -> dict[str, Any]:
    """Everything that is true of a page but its picture; numbers and dates as text."""
    truth = asdict(page)
    truth.pop("image")
    height, width = page.image.shape[:2]
    return {**_plain(truth), "width": width, "height": height}


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(one) for key, one in value.items()}
        case list() | tuple():
            return [_plain(one) for one in value]
        case Decimal() | date():
            return str(value)
        case float():
            return round(value, 1)
        case _:
            return value


def _given() -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m edge_clm.train.pages", description=__doc__)
    parser.add_argument("--kind", choices=[str(kind) for kind in KINDS], required=True)
    parser.add_argument("--n", type=int, default=1, help="how many pages")
    parser.add_argument("--seed", type=int, default=0, help="the first page's seed")
    parser.add_argument("--split", choices=("train", "test"), default="train")
    parser.add_argument("--reports", type=Path, help="directory with texts of radiology reports")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
