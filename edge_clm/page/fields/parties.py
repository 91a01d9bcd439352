"""Who sells and who buys: names and addresses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from edge_clm.page.fields.blocks import Block, blocks_of
from edge_clm.page.fields.guesses import Guess
from edge_clm.page.fields.labels import Labels
from edge_clm.page.fields.layout import Cell, Layout, Span
from edge_clm.page.fields.naming import (
    address_likeness,
    business_likeness,
    is_contact,
    is_legal,
    is_open,
    is_tail,
    name_end,
    name_likeness,
)
from edge_clm.page.fields.places import trimmed
from edge_clm.page.fields.sections import Sections
from edge_clm.values.value import Text

# Names stand in this upper part of a page, and on a receipt in so many rows.
_UPPER = 0.5
_SLIP_ROWS = 9
_ADDRESS_LINES = 6


@dataclass(slots=True)
class Parties:
    """Guesses at both sides of a sale."""

    seller: list[Guess] = field(default_factory=list)
    seller_address: list[Guess] = field(default_factory=list)
    buyer: list[Guess] = field(default_factory=list)
    buyer_address: list[Guess] = field(default_factory=list)


def parties_of(layout: Layout, labels: Labels, sections: Sections) -> Parties:
    """The parties on an invoice: told by labels, else the first block is who sells."""
    parties = Parties()
    rows = _upper_rows(layout, sections)
    blocks = blocks_of(layout, labels, rows)
    for block in blocks:
        if block.party == "seller":
            _add(parties.seller, parties.seller_address, block, labels, block.worth * 0.95)
        elif block.party == "buyer":
            _add(parties.buyer, parties.buyer_address, block, labels, block.worth * 0.95)
    free = sorted((b for b in blocks if not b.party), key=lambda b: -_prominence(b, layout))
    for rank, block in enumerate(free[:4]):
        strength = _prominence(block, layout) * 0.75**rank
        _add(parties.seller, parties.seller_address, block, labels, strength)
        if rank and len(block.cells) > 2 and not parties.buyer:
            _add(parties.buyer, parties.buyer_address, block, labels, strength * 0.9)
    return parties


def seller_on_slip(layout: Layout, labels: Labels) -> Parties:
    """Who issued a receipt: the most name-like of the first rows."""
    parties = Parties()
    joined: set[int] = set()
    rank = 0
    for cell in (cell for cell in layout.cells if cell.row < _SLIP_ROWS):
        likeness = _slip_likeness(cell, labels)
        if likeness <= 0.05 or cell.index in joined:
            continue
        spans = _joined(layout, cell, labels)
        joined |= {span.cell.index for span in spans}
        legal = any(is_legal(span.text) for span in spans[1:])
        strength = min(likeness + 0.4 * legal, 1.0) * 0.92**rank
        rank += 1
        raw = " ".join(span.text for span in spans)
        parties.seller.append(Guess(spans, Text(raw), strength * 0.95))
    if parties.seller:
        best = max(parties.seller, key=lambda guess: guess.strength)
        parties.seller_address += _address_after(layout, best.spans[-1].cell, labels)
    return parties


def _slip_likeness(cell: Cell, labels: Labels) -> float:
    likeness = name_likeness(cell.text)
    # A name may hold a word that is a label elsewhere; a line that starts with one is no name.
    return likeness * 0.2 if labels.opens(cell) and not is_legal(cell.text) else likeness


def _joined(layout: Layout, cell: Cell, labels: Labels) -> tuple[Span, ...]:
    """A name and its end in the next row, where that is but a trade and a legal form."""
    first = _name_span(cell, labels)
    if is_legal(cell.text):
        return (first,)
    for under in layout.below(cell, rows=1):
        end = under.text[: name_end(under.text)]
        goes_on = is_tail(end) or (end.startswith("(") and is_legal(end)) or is_open(cell.text)
        if goes_on and not labels.opens(under):
            return first, under.part(0, len(end))
    return (first,)


def _upper_rows(layout: Layout, sections: Sections) -> int:
    heads = [head.rows[0] for head in sections.heads]
    return min(heads, default=round(len(layout.rows) * _UPPER) + 1)


def _prominence(block: Block, layout: Layout) -> float:
    """0…1: how much a block that no label introduces looks like that of who sells: high and left."""
    likeness = max((name_likeness(cell.text) for cell in block.cells[:2]), default=0.0)
    address = any(address_likeness(c.text) > 0.4 or is_contact(c.text) for c in block.cells[1:])
    high = 1 - 0.5 * block.cells[0].row / max(len(layout.rows), 1)
    left = min(cell.left for cell in layout.cells)
    wide = max(max(cell.right for cell in layout.cells) - left, 1.0)
    aside = 1 - 0.4 * (block.cells[0].left - left) / wide
    known = 0.55 + 0.45 * likeness if likeness > 0.2 else likeness
    return known * high * aside * (1.0 if address else 0.75)


def _add(
    names: list[Guess], addresses: list[Guess], block: Block, labels: Labels, strength: float
) -> None:
    """Adds the names a block offers, and the address under them."""
    options = [(_name_spans(block, at, labels), cell) for at, cell in enumerate(block.cells[:3])]
    for at, (spans, cell) in enumerate(options):
        span, text = spans[0], " ".join(part.text for part in spans)
        likeness = name_likeness(cell.text if span.start == 0 else span.text)
        if likeness > 0.15:
            worth = min(1.0, business_likeness(text) + 0.15) * 0.87**at
            names.append(Guess(spans, Text(text), min(strength * worth, 0.97)))
    lines = [c for c in block.cells if address_likeness(c.text) > 0.35 and not is_contact(c.text)]
    if lines:
        spans = tuple(cell.whole for cell in lines[:_ADDRESS_LINES])
        text = ", ".join(span.text.strip(" ,") for span in spans)
        addresses.append(Guess(spans, Text(text), strength * 0.8))


def _name_spans(block: Block, at: int, labels: Labels) -> tuple[Span, ...]:
    """The name that a line of a block holds, with the next line where it goes on there."""
    first = _name_span(block.cells[at], labels)
    for under in block.cells[at + 1 : at + 2]:
        if is_open(first.text) and not labels.opens(under) and under.row != first.cell.row:
            return first, trimmed(under.part(0, name_end(under.text)))
    return (first,)


def _name_span(cell: Cell, labels: Labels) -> Span:
    """A cell's name: what stands behind the label it may open with."""
    starts = [s.end for label in labels.within(cell)[:1] for s in label.spans if s.cell is cell]
    start = starts[0] if starts and labels.opens(cell) else 0
    return trimmed(cell.part(start, name_end(cell.text)))


def _address_after(layout: Layout, cell: Cell, labels: Labels) -> Iterator[Guess]:
    """The lines under a name that look like an address; a line between them that does not ends it."""
    spans: list[Span] = []
    for row in layout.rows[cell.row + 1 : cell.row + 1 + _ADDRESS_LINES + 2]:
        text = row[0].text
        if _labelled(row[0], labels) or is_contact(text) or address_likeness(text) < 0.25:
            if spans:
                break
            continue
        spans += [one.whole for one in row]
    if spans:
        text = ", ".join(span.text.strip(" ,") for span in spans)
        yield Guess(tuple(spans[:_ADDRESS_LINES]), Text(text), 0.7)


def _labelled(cell: Cell, labels: Labels) -> bool:
    """Whether a line is a registration, a number or a date by its label; "No. 5" is an address."""
    concepts = ("seller_tax_id", "other", "date", "number", "summary")
    return any(label.worth(concept) > 0.7 for label in labels.within(cell) for concept in concepts)
