"""One reading out of several pages."""

from __future__ import annotations

from decimal import Decimal

from edge_clm.page.fields.merge import merged_fields, merged_tables
from edge_clm.paper import Candidate, Evidence, Field, Table
from edge_clm.values.value import Money

_QUAD = ((0.0, 0.0), (9.0, 0.0), (9.0, 9.0), (0.0, 9.0))


def total(text: str, confidence: float, page: int) -> Field:
    evidence = (Evidence(text, _QUAD, page),)
    return Field("total", Candidate(text, Money(Decimal(text)), evidence, confidence))


def test_pages_that_agree() -> None:
    """The same value on two pages is the surer for it, and rests on both."""
    (field,) = merged_fields([[total("9.00", 0.8, 1)], [total("9.00", 0.7, 2)]])
    assert field.best.confidence > 0.8
    assert [box.page for box in field.best.evidence] == [1, 2]
    assert not field.alternatives


def test_pages_that_differ() -> None:
    """The likelier of two values is taken, the other one told."""
    (field,) = merged_fields([[total("5.00", 0.5, 1)], [total("9.00", 0.9, 2)]])
    assert field.best.raw == "9.00"
    assert [other.raw for other in field.alternatives] == ["5.00"]
    assert not field.ambiguous


def test_pages_between_which_nothing_decides() -> None:
    """Two values that are about as likely are ambiguous."""
    (field,) = merged_fields([[total("5.00", 0.9, 1)], [total("9.00", 0.9, 2)]])
    assert field.ambiguous
    assert field.look_again


def test_tables_follow_each_other() -> None:
    """The rows of a table that goes on are one table."""
    first, second = ((total("1.00", 0.9, page),) for page in (1, 2))
    (table,) = merged_tables([[Table("lines", (first,))], [Table("lines", (second,))]])
    assert table.rows == (first, second)
