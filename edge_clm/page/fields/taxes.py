"""What is said about tax: rates, the summary by rate, the numbers a seller is registered under."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from edge_clm.page.fields.amounts import amounts_in
from edge_clm.page.fields.guesses import Guess, candidate_of
from edge_clm.page.fields.labels import Labels
from edge_clm.page.fields.layout import Cell, Layout, Span
from edge_clm.page.fields.places import places_of
from edge_clm.page.fields.sections import Sections
from edge_clm.paper import Field, Table
from edge_clm.values.habits import Habits
from edge_clm.values.identifiers import find_ibans, find_tax_ids
from edge_clm.values.value import Quantity, Text

_RATE = re.compile(r"(?<![\d.,])(\d{1,2}(?:[.,]\d{1,3})?)\s?%")
# Some countries' numbers are printed in groups: GB 887 3304 81, 62 725 857 719.
_REGISTERED = re.compile(
    r"[A-Z]{0,4}[\d\-]{6,}[A-Z\d]*|(?:[A-Z]{2} )?\d{2,4}(?: \d{2,4}){2,3}(?![\d.,])", re.IGNORECASE
)
_SURE = 0.85


def rates(layout: Layout, labels: Labels, sections: Sections) -> Iterator[Guess]:
    """Guesses at the rate of tax: beside its label, or in the row of the tax itself."""
    for label, worth in labels.of("tax_rate"):
        for place in places_of(layout, labels, label):
            yield from (Guess((s,), v, worth * place.worth) for s, v in _rates_in(place.span))
    for cell in layout.cells:
        taxed = max((label.worth("tax") for label in labels.within(cell)), default=0.0)
        if taxed > 0.5 or cell.row in sections.summary:
            worth = 0.8 if taxed > 0.5 else 0.5
            yield from (Guess((s,), v, worth) for s, v in _rates_in(cell.whole) if v.number)


def summary(layout: Layout, labels: Labels, sections: Sections, habits: Habits) -> Table | None:
    """The summary of tax by rate; None where the page has none."""
    rows = []
    for row in sorted(sections.summary):
        cells = layout.rows[row]
        amounts = [amount for cell in cells for amount in amounts_in(cell.whole, habits)]
        if len(amounts) != 2 or any(
            label.worth("total") for c in cells for label in labels.within(c)
        ):
            continue
        guesses = {
            "base": Guess((amounts[0].span,), amounts[0].money, _SURE),
            "tax": Guess((amounts[1].span,), amounts[1].money, _SURE),
        }
        rate = next((found for cell in cells for found in _rates_in(cell.whole)), None)
        fields = (
            [Field("rate", candidate_of(Guess((rate[0],), rate[1], _SURE), layout))] if rate else []
        )
        fields += [Field(name, candidate_of(guess, layout)) for name, guess in guesses.items()]
        rows.append(tuple(fields))
    return Table("taxes", tuple(rows)) if rows else None


def tax_ids(layout: Layout, labels: Labels) -> Iterator[Guess]:
    """Guesses at the seller's registration for tax: by its label, or by its checksum."""
    for label, worth in labels.of("seller_tax_id"):
        for place in places_of(layout, labels, label):
            match = _REGISTERED.search(place.span.text)
            if match and sum(map(str.isdigit, match[0])) >= 6:
                yield _guess(place.span.cell, place.span.start, match, worth * place.worth)
                break
    for cell in layout.cells:
        for one in find_tax_ids(cell.text):
            yield Guess((cell.part(one.start, one.end),), one.value, 0.6)


def ibans(layout: Layout) -> Iterator[Guess]:
    """Bank accounts by number; their checksums speak for them."""
    for cell in layout.cells:
        for one in find_ibans(cell.text):
            yield Guess((cell.part(one.start, one.end),), one.value, 0.95)


def _guess(cell: Cell, start: int, match: re.Match[str], strength: float) -> Guess:
    span = cell.part(start + match.start(), start + match.end())
    return Guess((span,), Text(span.text), strength)


def _rates_in(span: Span) -> Iterator[tuple[Span, Quantity]]:
    for match in _RATE.finditer(span.text):
        part = span.cell.part(span.start + match.start(), span.start + match.end())
        yield part, Quantity(Decimal(match[1].replace(",", ".")), "%")
