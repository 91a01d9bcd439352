"""How a document writes its values: what its clear values tell about the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edge_clm.paper import PageText
from edge_clm.values.dates import Order, order_of
from edge_clm.values.money import currency_of, decimal_mark_of


@dataclass(frozen=True, slots=True)
class Habits:
    """What is settled for a whole document."""

    currency: str = ""
    """ISO 4217 code; empty where it is not told."""
    decimal: str = ""
    """',' or '.'; empty where it is not told."""
    order: Order | None = None
    """Whether days or months come first; None where it is not told."""


def habits_of(pages: Sequence[PageText]) -> Habits:
    """Reads a document's habits off all its pages."""
    texts = [line.text for page in pages for line in page.lines]
    return Habits(currency_of("\n".join(texts)), decimal_mark_of(texts), order_of(texts))
