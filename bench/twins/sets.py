"""Which pages are tried: all of the real sets that are there, and generated ones."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random

from bench.documents import UNREADABLE_TOTAL, Document, choose, load
from bench.normalise import name_form
from bench.twins.sources import Generated, Photo, Scan, Source
from edge_clm.paper import PageKind

GENERATED = {
    PageKind.INVOICE: 45,
    PageKind.RECEIPT: 30,
    PageKind.LAB_REPORT: 45,
    PageKind.RADIOLOGY_REPORT: 30,
}
"""How many pages of a kind are generated, where nothing else is asked for."""


def photos(data: Path, count: int | None, seed: int) -> list[Photo]:
    """Photos of inv3d, each known by another of the same paper; at most `count`, spread evenly."""
    documents = load(data, "inv3d")
    papers: dict[str, list[Document]] = defaultdict(list)
    for one in documents:
        papers[one.sheet].append(one)
    chosen = documents if count is None else choose(documents, count, seed)
    return [_photo(data, one, papers[one.sheet], seed) for one in chosen]


def scans(data: Path, count: int | None, seed: int) -> list[Scan]:
    """Receipts of sroie, at most `count`."""
    documents = load(data, "sroie")
    chosen = documents if count is None else choose(documents, count, seed)
    return [Scan(f"sroie/{one.sheet}", one.sheet, "sroie", seed, one.path) for one in chosen]


def generated(data: Path, count: int | None, seed: int) -> Iterator[Source]:
    """Generated pages, `count` of each kind; radiology reports only where there are texts for them."""
    reports = data / "reports"
    for kind, usual in GENERATED.items():
        if kind is PageKind.RADIOLOGY_REPORT and not reports.is_dir():
            continue
        for number in range(seed * 100_000, seed * 100_000 + (usual if count is None else count)):
            name = f"{kind}/{number}"
            yield Generated(name, name, str(kind), seed, kind, number, reports)


def alike(data: Path, seed: int) -> list[list[Photo] | list[Scan]]:
    """Groups of pages that look alike: one template's invoices, one company's receipts."""
    invoices = [one for one in photos(data, None, seed) if _is_of_template(one.path.parent)]
    companies: dict[str, list[Scan]] = defaultdict(list)
    for document, scan in zip(load(data, "sroie"), scans(data, None, seed), strict=True):
        companies[name_form(document.labels.get("seller", ""))].append(scan)
    groups: list[list[Photo] | list[Scan]] = [
        group for name, group in companies.items() if name and len(group) > 1
    ]
    return [*([invoices] if invoices else []), *groups]


def _photo(data: Path, one: Document, paper: list[Document], seed: int) -> Photo:
    name = str(one.path.relative_to(data / "inv3d"))
    others = [other.path for other in paper if other is not one] or [one.path]
    known_by = Random(f"{seed} {name}").choice(others)
    return Photo(name, one.sheet, "inv3d", seed, one.path, known_by)


def _is_of_template(directory: Path) -> bool:
    details = json.loads((directory / "details.json").read_text(encoding="utf-8"))
    return Path(details["invoice"]["template"]).stem == UNREADABLE_TOTAL
