"""What contracts and invoices for advertising time say: who advertises, when, for how much."""

from __future__ import annotations

from collections.abc import Iterator

from edge_clm.page.fields.amounts import labelled
from edge_clm.page.fields.dates import flight
from edge_clm.page.fields.guesses import Guess, decide
from edge_clm.page.fields.habits import Habits
from edge_clm.page.fields.labels import Labels
from edge_clm.page.fields.layout import Layout
from edge_clm.page.fields.numbers import labelled_numbers
from edge_clm.page.fields.places import places_of
from edge_clm.page.fields.sections import Sections
from edge_clm.paper import Field
from edge_clm.values.value import Text

# What a number or total is worth that stands for the contract's because that is not named as such.
_INSTEAD = 0.55
_LETTERS = 3


def advertising(
    layout: Layout, labels: Labels, sections: Sections, habits: Habits
) -> Iterator[Field]:
    """The fields of advertising on a page; none where no advertiser is named."""
    named = list(_advertisers(layout, labels))
    flights = list(flight(layout, labels, habits))
    numbers = list(labelled_numbers(layout, labels, "contract_number", habits))
    gross = list(labelled(layout, labels, "gross_amount", habits, sections.summary))
    if named:
        # Invoices and orders of a station name the buy by their own number and sum up its cost.
        for concept in ("number", "order_number"):
            found = labelled_numbers(layout, labels, concept, habits)
            numbers += [guess.scaled(_INSTEAD) for guess in found]
        gross += [g.scaled(_INSTEAD) for g in labelled(layout, labels, "total", habits)]
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
            if sum(map(str.isalpha, place.span.text)) >= _LETTERS:
                span = place.span
                yield Guess((span,), Text(span.text), worth * place.worth * 0.97)
                break
