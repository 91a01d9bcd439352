"""One reading of a document out of those of its pages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from edge_clm.paper import Candidate, Field, Table
from edge_clm.values.equal import equal

_CLOSE = 0.93
_AGAIN = 0.5
_SURE = 0.5
_WORTH_TELLING = 0.25
_MOST = 4


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


def same_candidate(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates are one reading."""
    if one.value is None or other.value is None:
        return one.raw == other.raw
    return equal(one.value, other.value)


def _merged(fields: list[Field]) -> Field:
    groups: list[list[Candidate]] = []
    candidates = [c for field in fields for c in (field.best, *field.alternatives)]
    for candidate in sorted(candidates, key=lambda it: -it.confidence):
        group = next((group for group in groups if same_candidate(group[0], candidate)), None)
        if group is None:
            groups.append([candidate])
        else:
            group.append(candidate)
    readings = sorted(map(_reading, groups), key=lambda it: -it.confidence)
    best, *others = readings
    told = [it for it in others if it.confidence >= _WORTH_TELLING * best.confidence][:_MOST]
    ambiguous = bool(told) and told[0].confidence >= _CLOSE * best.confidence
    doubtful = ambiguous or best.confidence < _SURE or best.value is None
    return Field(fields[0].name, best, tuple(told), ambiguous, doubtful)


def _reading(group: list[Candidate]) -> Candidate:
    first, *rest = group
    doubt = (1 - first.confidence) * prod(1 - _AGAIN * other.confidence for other in rest)
    evidence = tuple(dict.fromkeys(box for candidate in group for box in candidate.evidence))
    return replace(
        first,
        confidence=1 - doubt,
        evidence=evidence if len(first.evidence) == 1 else first.evidence,
    )
