"""Loads labelled documents: inv3d photos, sroie receipts and adbuy contracts, from any directory laid
out like them."""

from __future__ import annotations

import csv
import json
import random
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.failure import BenchError
from bench.score import Kind

SETS = ("inv3d", "sroie")
"""Documents of one page."""
ADBUY = "adbuy"
"""Documents of several pages."""
KINDS = {
    "number": Kind.IDENTIFIER,
    "date": Kind.DATE,
    "due": Kind.DATE,
    "seller": Kind.NAME,
    "buyer": Kind.NAME,
    "subtotal": Kind.AMOUNT,
    "tax": Kind.AMOUNT,
    "total": Kind.AMOUNT,
    "address": Kind.ADDRESS,
    "contract_number": Kind.IDENTIFIER,
    "advertiser": Kind.NAME,
    "gross_amount": Kind.AMOUNT,
}
INV3D_TAGS = {
    "number": "invoice_number",
    "date": "invoice_date",
    "due": "invoice_due_date",
    "seller": "seller.company.name",
    "buyer": "buyer.company.name",
    "subtotal": "summary.subtotal",
    "tax": "summary.tax",
    "total": "summary.balance",
}
SROIE_KEYS = {"seller": "company", "date": "date", "total": "total", "address": "address"}
ADBUY_COLUMNS = {
    "contract_number": "contract_num",
    "advertiser": "advertiser",
    "gross_amount": "gross_amount",
}
UNREADABLE_TOTAL = "Invoice_47"
"""On this template the total is dark on a dark bar: no reader can be blamed for it."""
_PHOTO = re.compile(r"warped_document_(?P<bend>[a-z]+)_(?P<light>[a-z]+)\.jpg")


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with what should come back."""

    figure: str
    """The figure's name between `ask.` and `.exact`; empty where only a refusal counts."""
    kind: Kind
    question: str
    label: str
    """The right value; empty where the page has none."""


@dataclass(frozen=True, slots=True)
class Document:
    """One picture of one labelled document."""

    dataset: str
    sheet: str
    """Names the paper; photos of one paper share it."""
    bend: str
    light: str
    path: Path
    labels: dict[str, str]
    """Field name to the value as printed, for the fields that are asked."""
    asked: tuple[Asked, ...] = ()
    """What is asked in words of its own."""

    @property
    def name(self) -> str:
        """A name that is unique in its set."""
        return f"{self.sheet}-{self.path.stem}"


def load(data: Path, dataset: str) -> list[Document]:
    """Every picture of a set, in a fixed order; empty where the set is missing.

    Raises BenchError for a set that is there but cannot be read.
    """
    root = data / dataset
    if not root.is_dir():
        return []
    try:
        return list(_LOADERS[dataset](root))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise BenchError(f"{root} is not laid out as expected: {error!r}") from error


def choose(documents: list[Document], count: int, seed: int) -> list[Document]:
    """`count` pictures, chosen by `seed`, spread evenly over sheets, bends and lights.

    Each next picture is the one whose sheet, bend and light are rarest so far; the seed breaks ties.
    """
    shuffled = sorted(documents, key=lambda document: document.name)
    random.Random(seed).shuffle(shuffled)
    chosen: list[Document] = []
    while shuffled and len(chosen) < count:
        rarest = min(shuffled, key=lambda one: _crowding(one, chosen))
        shuffled.remove(rarest)
        chosen.append(rarest)
    return chosen


def pick(
    data: Path, count: int, seed: int, sets: Sequence[str] = SETS
) -> tuple[list[Document], list[str]]:
    """`count` documents of every set in turn, interleaved, and a line for each set that is missing.

    Raises BenchError where no set is there at all.
    """
    chosen = {name: choose(load(data, name), count, seed) for name in sets}
    missing = [f"{name} is not under {data}: left out" for name in sets if not chosen[name]]
    if len(missing) == len(sets):
        raise BenchError(f"no {' or '.join(sets)} under {data}; name a directory with --data")
    longest = max(map(len, chosen.values()))
    rows = [chosen[name][at] for at in range(longest) for name in sets if at < len(chosen[name])]
    return rows, missing


def _crowding(one: Document, chosen: list[Document]) -> tuple[int, int, int]:
    pairs = sum((one.bend, one.light) == (other.bend, other.light) for other in chosen)
    sheets = sum(one.sheet == other.sheet for other in chosen)
    singles = sum((one.bend == o.bend) + (one.light == o.light) for o in chosen)
    return sheets, pairs, singles


def _inv3d(root: Path) -> Iterator[Document]:
    for sheet in sorted(path for path in root.iterdir() if path.is_dir()):
        labels = _inv3d_labels(sheet)
        for photo in sorted(sheet.glob("warped_document_*.jpg")):
            match = _PHOTO.fullmatch(photo.name)
            if match:
                yield Document("inv3d", sheet.name, match["bend"], match["light"], photo, labels)


def _inv3d_labels(sheet: Path) -> dict[str, str]:
    tags: dict[str, str] = {}
    for row in _json(sheet / "ground_truth_tags.json"):
        tags.setdefault(row["tag"], row["value"])
    template = Path(_json(sheet / "details.json")["invoice"]["template"]).stem
    labels = {field: tags[tag] for field, tag in INV3D_TAGS.items() if _is_value(tags.get(tag))}
    if template == UNREADABLE_TOTAL:
        labels.pop("total", None)
    return labels


def _sroie(root: Path) -> Iterator[Document]:
    for picture in sorted((root / "img").glob("*.jpg")):
        keys = _json(root / "key" / f"{picture.stem}.json")
        labels = {field: keys[key] for field, key in SROIE_KEYS.items() if _is_value(keys.get(key))}
        yield Document("sroie", picture.stem, "flat", "scan", picture, labels)


def _adbuy(root: Path) -> Iterator[Document]:
    with (root / "labels.csv").open(encoding="utf-8", newline="") as file:
        rows = sorted(csv.DictReader(file), key=lambda row: row["file"])
    for row in rows:
        path = root / row["file"]
        labels = {field: row[key] for field, key in ADBUY_COLUMNS.items() if _is_value(row[key])}
        yield Document(ADBUY, path.stem, "flat", "scan", path, labels)


def _is_value(value: object) -> bool:
    """A label such as "-" is printed where there is no value, and is not asked."""
    return isinstance(value, str) and any(char.isalnum() for char in value)


def _json(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


_LOADERS: dict[str, Callable[[Path], Iterator[Document]]] = {
    "inv3d": _inv3d,
    "sroie": _sroie,
    ADBUY: _adbuy,
}
