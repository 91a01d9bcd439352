"""Blocks of print: cells that stand under each other and belong together, such as an address."""

from __future__ import annotations

from dataclasses import dataclass

from edge_clm.page.fields.labels import PARTIES, Label, Labels
from edge_clm.page.fields.layout import Cell, Layout
from edge_clm.page.fields.naming import name_likeness

_NEXT = 2.4
_ASIDE = 2.0
_MOST = 8
# A party's label of less worth is a word in a sentence.
_WORTH = 0.6


@dataclass(frozen=True, slots=True)
class Block:
    """Cells under each other, from top to bottom."""

    cells: tuple[Cell, ...]
    party: str = ""
    """Whose they are, where a label tells: seller, buyer or shipping_party."""
    worth: float = 0.0
    """0…1: of that label."""


def blocks_of(layout: Layout, labels: Labels, rows: int) -> list[Block]:
    """The blocks among the first `rows` rows: those that a label introduces, then the others."""
    found: list[Block] = []
    used: set[int] = set()
    for label in labels.all:
        party, worth = _party(label)
        if not party or label.last.cell.row >= rows or worth < _WORTH:
            continue
        block = _introduced(layout, labels, label, party, worth)
        if block and not any(cell.index in used for cell in block.cells):
            found.append(block)
            used |= {cell.index for cell in block.cells}
    for cell in layout.cells:
        if cell.row < rows and cell.index not in used and not labels.within(cell):
            chain = _chain(layout, labels, cell, used)
            used |= {one.index for one in chain}
            found.append(Block(tuple(chain)))
    return found


def _party(label: Label) -> tuple[str, float]:
    worth, party = max((label.worth(party), party) for party in PARTIES)
    cell = label.last.cell
    behind = cell.text[label.last.end :].strip()
    whole = not behind.strip(":. ") or behind.startswith(":") or len(label.last.text) > 4
    return (party, worth) if label.alone and whole else ("", 0.0)


def _introduced(
    layout: Layout, labels: Labels, label: Label, party: str, worth: float
) -> Block | None:
    """The block behind, to the right of or under a label."""
    cell = label.last.cell
    behind = cell.text[label.last.end :].strip(" :.-#")
    if len(behind) > 2:
        return Block((cell, *_chain(layout, labels, cell, set())[1:]), party, worth)
    right = layout.right_of(cell)[:1]
    under = [one for one in layout.below(cell, rows=2) if not labels.opens(one)][:1]
    near = [
        one for one in right if one.left - cell.right < 6 * cell.height and not labels.opens(one)
    ]
    for start in (*near, *under):
        if name_likeness(start.text):
            return Block(tuple(_chain(layout, labels, start, set())), party, worth)
    return None


def _chain(layout: Layout, labels: Labels, start: Cell, used: set[int]) -> list[Cell]:
    chain = [start]
    while len(chain) < _MOST:
        below = [one for one in layout.below(chain[-1], rows=3) if _continues(chain[-1], one)]
        if not below or below[0].index in used or labels.opens(below[0]):
            break
        chain.append(below[0])
    return chain


def _continues(cell: Cell, under: Cell) -> bool:
    height = max(cell.height, under.height)
    offs = (cell.left - under.left, cell.right - under.right, cell.middle - under.middle)
    return under.level - cell.level < _NEXT * height and min(map(abs, offs)) < _ASIDE * height
