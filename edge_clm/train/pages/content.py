"""What an invoice says."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from edge_clm.train.pages.bills import Bill
from edge_clm.train.pages.identities import Party


@dataclass(frozen=True, slots=True)
class Content:
    """Parties, day and sums."""

    seller: Party
    buyer: Party
    issued: date
    number: str
    bill: Bill
    size: float
    """Of its body text, pixels."""
