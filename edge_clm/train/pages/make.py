"""A page from a seed: the one way in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from edge_clm.errors import RequestInvalid
from edge_clm.paper import PageKind
from edge_clm.train.pages.canvas import Canvas
from edge_clm.train.pages.finish import finished
from edge_clm.train.pages.invoice import INVOICE, draw_invoice
from edge_clm.train.pages.lab import LAB, draw_lab
from edge_clm.train.pages.marks import MARKED, draw_marks
from edge_clm.train.pages.page import GeneratedPage, GeneratedTable, Mark, Split, Truth
from edge_clm.train.pages.radiology import RADIOLOGY, draw_radiology
from edge_clm.train.pages.receipt import RECEIPT, draw_receipt
from edge_clm.train.pages.reports import reports_in
from edge_clm.train.pages.setting import Grammar, Setting, setting_of, signature

EVERY = frozenset({"en", "de", "fr", "es", "ms", "zh"})
_ENGLISH = frozenset({"en"})
_LONGEST = 1740


@dataclass(frozen=True, slots=True)
class _Sort:
    """What makes a kind of page."""

    grammar: Grammar
    draw: Callable[[Setting, Canvas, Path | None], None]
    width: tuple[int, int]
    ratios: tuple[float, ...]
    """Height over width of the paper; the print may need more."""
    languages: frozenset[str]


_SORTS: Mapping[PageKind, _Sort] = {
    PageKind.INVOICE: _Sort(
        INVOICE, lambda s, c, _: draw_invoice(s, c), (880, 1180), (1.414, 1.414, 1.294, 0.7), EVERY
    ),
    PageKind.RECEIPT: _Sort(
        RECEIPT, lambda s, c, _: draw_receipt(s, c), (430, 760), (1.1, 0.5), EVERY
    ),
    PageKind.LAB_REPORT: _Sort(
        LAB, lambda s, c, _: draw_lab(s, c), (900, 1180), (1.414, 1.294, 0.9), _ENGLISH
    ),
    PageKind.RADIOLOGY_REPORT: _Sort(
        RADIOLOGY, draw_radiology, (880, 1150), (1.414, 1.294, 0.8), _ENGLISH
    ),
}
KINDS = tuple(_SORTS)
_BILLED = (
    *("seller", "seller_address", "seller_tax_id", "number", "date", "subtotal", "discount"),
    *("shipping", "service_charge", "tax", "rounding", "total", "paid"),
)
_ABOUT = ("patient", "patient_id", "birth_date", "sex", "age", "accession", "ordering_physician")
FIELDS: Mapping[PageKind, tuple[str, ...]] = {
    PageKind.INVOICE: (*_BILLED, "due_date", "order_number", "buyer", "buyer_address", "balance"),
    PageKind.RECEIPT: (*_BILLED, "change", "buyer"),
    PageKind.LAB_REPORT: (*_ABOUT, "laboratory", "collected", "received", "reported"),
    PageKind.RADIOLOGY_REPORT: (
        *(*_ABOUT, "hospital", "exam", "exam_date", "reported", "signed", "radiologist"),
        *("indication", "comparison", "technique", "findings", "impression"),
    ),
}
"""Every field that a page of a kind may have; one that a page lacks is not printed on it.

A tax of several rates is told by the rows of the table `taxes` and by no field.
"""


def page_of(
    kind: PageKind,
    seed: int,
    split: Split = "train",
    reports: Path | None = None,
    languages: frozenset[str] = EVERY,
    marked: float = MARKED,
) -> GeneratedPage:
    """A page of a kind; the same for the same arguments, in every process.

    `reports` is a directory with the texts that radiology reports are laid out from; `languages` are
    ISO 639-1 codes, of which every kind has at least "en"; `marked` is the share of pages with stamps
    and the like. Raises RequestInvalid for a kind that is not generated, for languages that the kind
    has not, and for a radiology report without texts; ConfigInvalid where a package of fonts is missing.
    """
    if kind not in _SORTS or not _SORTS[kind].languages & languages:
        raise RequestInvalid(f"no pages of the kind {kind} are generated in {sorted(languages)}")
    if kind is PageKind.RADIOLOGY_REPORT:
        reports_in(reports, split)
    sort = _SORTS[kind]
    setting = setting_of(kind, seed, split, sort.grammar, sort.languages & languages)
    canvas = Canvas(setting.rng.randint(*sort.width))
    sort.draw(setting, canvas, reports)
    margin = canvas.width * setting.rng.uniform(0.03, 0.08)
    height = round(max(canvas.bottom() + margin, canvas.width * setting.rng.choice(sort.ratios)))
    marks = draw_marks(setting, canvas, height) if setting.odds(marked) else ()
    return _page(setting, canvas, height, marks)


def _page(setting: Setting, canvas: Canvas, height: int, marks: tuple[Mark, ...]) -> GeneratedPage:
    said = canvas.said()
    page = GeneratedPage(
        kind=setting.kind,
        language=setting.place.language,
        image=canvas.draw(height, setting.rng.choice(_PAPERS)),
        fields={name: truth for name, truth in said.items() if "." not in name},
        words=canvas.words(),
        tables=_tables(said),
        marks=marks,
        layout=f"{setting.kind}: {signature(setting.layout)}",
        fonts=tuple(sorted(canvas.families)),
        wordings=tuple(sorted(setting.labels.used)),
        date_order=setting.place.order,
        decimal=setting.place.decimal,
    )
    return finished(page, setting, _LONGEST)


def _tables(said: Mapping[str, Truth]) -> tuple[GeneratedTable, ...]:
    tables: dict[str, dict[int, dict[str, Truth]]] = {}
    for key, truth in said.items():
        if "." in key:
            name, row, column = key.split(".")
            tables.setdefault(name, {}).setdefault(int(row), {})[column] = truth
    return tuple(
        GeneratedTable(name, tuple(rows[at] for at in sorted(rows)))
        for name, rows in tables.items()
    )


_PAPERS = (
    (255, 255, 255),
    (255, 255, 255),
    (255, 255, 255),
    (252, 251, 246),
    (248, 248, 250),
    (250, 246, 236),
)
