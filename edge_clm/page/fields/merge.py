"""One reading of a document out of those of its pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from edge_clm.page.fields.readings import chosen, grouped, together
from edge_clm.paper import Candidate, Field, Table


def merged_fields(pages: Sequence[Sequence[Field]]) -> tuple[Field, ...]:
    """Each field once: pages that agree make it surer, pages that differ leave it to the likelier one."""
    names = list(dict.fromkeys(field.name for fields in pages for field in fields))
    found = {name: [f for fields in pages for f in fields if f.name == name] for name in names}
    return tuple(same[0] if len(same) == 1 else _merged(same) for same in found.values())


def merged_tables(pages: Sequence[Sequence[Table]]) -> tuple[Table, ...]:
    """Tables of one name follow each other."""
    names = list(dict.fromkeys(table.name for tables in pages for table in tables))
    every = [table for tables in pages for table in tables]
    return tuple(
        Table(name, tuple(row for table in every if table.name == name for row in table.rows))
        for name in names
    )


def _merged(fields: list[Field]) -> Field:
    candidates = [c for field in fields for c in (field.best, *field.alternatives)]
    readings = map(_reading, grouped(candidates, lambda it: it.confidence))
    return chosen(fields[0].name, [(reading.confidence, reading) for reading in readings])


def _reading(group: list[Candidate]) -> Candidate:
    first, *rest = group
    evidence = tuple(dict.fromkeys(box for candidate in group for box in candidate.evidence))
    return replace(
        first,
        confidence=together(first.confidence, (other.confidence for other in rest)),
        evidence=evidence if len(first.evidence) == 1 else first.evidence,
    )
