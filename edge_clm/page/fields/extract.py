"""Everything that rules read on the pages of a document."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from edge_clm.page.fields.calibration import calibrated_fields, calibrated_tables
from edge_clm.page.fields.checks import checks_of, flagged
from edge_clm.page.fields.invoice import read_invoice
from edge_clm.page.fields.kind import kind_of
from edge_clm.page.fields.lab import read_lab
from edge_clm.page.fields.language import language_of, usual_order
from edge_clm.page.fields.layout import Layout, layout_of
from edge_clm.page.fields.limits import within_limits
from edge_clm.page.fields.merge import merged_fields, merged_tables
from edge_clm.page.fields.radiology import read_radiology
from edge_clm.paper import Extraction, Field, PageKind, PageText, Table
from edge_clm.values.habits import Habits, habits_of

# On a page of no known kind only what a label names is told.
_NAMED = 0.6

Read = tuple[tuple[Field, ...], tuple[Table, ...]]


def extract(pages: Sequence[tuple[int, PageText]]) -> Extraction:
    """Reads a document, and says of each reading how often such a one is right; see `read_document`."""
    read = read_document(pages)
    return replace(
        read, fields=calibrated_fields(read.fields), tables=calibrated_tables(read.tables)
    )


def read_document(pages: Sequence[tuple[int, PageText]]) -> Extraction:
    """Reads a document: `pages` are its pages' numbers, from 1, and texts, in order.

    Of a page beyond all measure only a part is read: see `within_limits`. Confidences are the strength
    that the rules give a reading.
    """
    pages = [(number, within_limits(text)) for number, text in pages]
    texts = [text for _, text in pages]
    kinds = [kind_of(text) for text in texts]
    kind = _main(kinds)
    language = _main_language(texts)
    habits = habits_of(texts)
    order = habits.order or usual_order(language, habits.currency)
    habits = replace(habits, order=order)
    read = [
        _read(layout_of(text, number), own if own is not PageKind.OTHER else kind, habits)
        for (number, text), own in zip(pages, kinds, strict=True)
    ]
    fields = merged_fields([fields for fields, _ in read])
    tables = merged_tables([tables for _, tables in read])
    checks = checks_of(fields, tables)
    return Extraction(kind, language, flagged(fields, checks), tables, checks)


def _read(layout: Layout, kind: PageKind, habits: Habits) -> Read:
    if kind is PageKind.LAB_REPORT:
        return read_lab(layout, habits)
    if kind is PageKind.RADIOLOGY_REPORT:
        return read_radiology(layout, habits)
    fields, tables = read_invoice(layout, habits, kind)
    if kind is PageKind.OTHER:
        return tuple(field for field in fields if field.best.confidence >= _NAMED), ()
    return fields, tables


def _main(kinds: Sequence[PageKind]) -> PageKind:
    """The kind of most pages that have one; of equals the one that comes first."""
    known = Counter(kind for kind in kinds if kind is not PageKind.OTHER)
    return known.most_common(1)[0][0] if known else PageKind.OTHER


def _main_language(texts: Sequence[PageText]) -> str:
    lines = tuple(line for text in texts for line in text.lines)
    return language_of(PageText(lines, 0, 1, 1))
