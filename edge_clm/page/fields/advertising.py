"""What contracts and invoices for advertising time say: who advertises, when, for how much."""

from __future__ import annotations

from collections.abc import Iterator

from edge_clm.page.fields.amounts import Amount, amounts_in, beside, labelled
from edge_clm.page.fields.dates import flight
from edge_clm.page.fields.guesses import Guess, decide
from edge_clm.page.fields.labels import Label, Labels
from edge_clm.page.fields.layout import Layout
from edge_clm.page.fields.numbers import labelled_numbers
from edge_clm.page.fields.places import places_of
from edge_clm.page.fields.sections import Sections
from edge_clm.paper import Field
from edge_clm.values.habits import Habits
from edge_clm.values.value import Text

# What a number or total is worth that stands for the contract's because that is not named as such.
_INSTEAD = 0.55
_LETTERS = 3
# A table of a contract by months has so many rows at most.
_DEEP = 16
_ENOUGH = 0.5


def advertising(
    layout: Layout, labels: Labels, sections: Sections, habits: Habits
) -> Iterator[Field]:
    """The fields of advertising on a page; none where no advertiser is named."""
    named = list(_advertisers(layout, labels))
    flights = list(flight(layout, labels, habits))
    numbers = list(labelled_numbers(layout, labels, "contract_number", habits))
    gross = list(_gross(layout, labels, sections, habits, bool(named)))
    if named:
        # Invoices and orders of a station name the buy by their own number and sum up its cost.
        for concept in ("number", "order_number"):
            found = labelled_numbers(layout, labels, concept, habits)
            numbers += [guess.scaled(_INSTEAD) for guess in found]
    elif not flights and not numbers:
        return
    net = labelled(layout, labels, "net_amount", habits, sections.summary)
    first, last = ([pair[at] for pair in flights] for at in (0, 1))
    decided = (
        decide("advertiser", named, layout),
        decide("contract_number", numbers, layout),
        decide("gross_amount", gross, layout) if named or flights else None,
        decide("net_amount", net, layout) if named or flights else None,
        decide("flight_from", first, layout),
        decide("flight_to", last, layout),
    )
    yield from (field for field in decided if field)


def _advertisers(layout: Layout, labels: Labels) -> Iterator[Guess]:
    for label, worth in labels.of("advertiser"):
        for place in places_of(layout, labels, label):
            # In a form of two levels the next label stands between: "Advertiser  Name:  …".
            named = sum(map(str.isalpha, place.span.text)) >= _LETTERS
            if named and not place.span.text.endswith(":"):
                span = place.span
                yield Guess((span,), Text(span.text), worth * place.worth * 0.97)
                break


def _gross(
    layout: Layout, labels: Labels, sections: Sections, habits: Habits, named: bool
) -> Iterator[Guess]:
    """Guesses at the gross amount: beside its label, or at the foot of the column it heads."""
    for label, worth in labels.of("gross_amount"):
        feet = list(_at_foot(layout, labels, label, habits))
        if feet:
            yield Guess((feet[-1].span,), feet[-1].money, worth * 0.95)
        elif label.last.cell.row not in sections.summary:
            yield from beside(layout, labels, label, worth, habits)
    for label, worth in labels.of("total") if named else ():
        if not label.worth("net_amount") and not label.worth("gross_amount"):
            found = beside(layout, labels, label, worth, habits)
            yield from (guess.scaled(_INSTEAD) for guess in found)


def _at_foot(layout: Layout, labels: Labels, label: Label, habits: Habits) -> Iterator[Amount]:
    """The amounts under a head that stand in a row of totals."""
    for cell in layout.below(label.last.cell, rows=_DEEP):
        first = layout.row_of(cell)[0]
        totals = any(found.worth("total") > _ENOUGH for found in labels.within(first))
        if totals and first is not cell:
            yield from amounts_in(cell.whole, habits)
