"""Which known pages a capture may show: the nearest vectors of its tenant. They only ever propose."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import faiss
import numpy as np

from edge_clm.types import Vector

Row = tuple[str, int, Vector]
"""Tenant, the page's number in the database, the vector of its anchor."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A page that a capture may show."""

    number: int
    """Of the page in the database."""
    likeness: float
    """Cosine, −1…1."""


class Recall:
    """One exact index for each tenant, in memory alone: made from the database's rows at every start.

    Not thread-safe. A tenant never meets another's vectors.
    """

    def __init__(self, dimensions: int, rows: Iterable[Row] = ()) -> None:
        """`rows` are the anchors known so far. Raises ValueError as `add` does."""
        self._dimensions = dimensions
        self._indexes: dict[str, faiss.IndexIDMap2] = {}
        self._numbers: dict[str, set[int]] = {}
        for tenant, vectors in _by_tenant(rows).items():
            self._put(tenant, vectors)

    def add(self, tenant: str, number: int, vector: Vector) -> None:
        """Makes a page known by its anchor; one that is known has a new anchor from now on.

        Raises ValueError for a negative number and for a vector of another size or with what is no number.
        """
        self._put(tenant, {number: vector})

    def remove(self, tenant: str, number: int) -> bool:
        """Forgets a page; False where it was not known."""
        numbers = self._numbers.get(tenant, set())
        if number not in numbers:
            return False
        numbers.remove(number)
        if numbers:
            self._indexes[tenant].remove_ids(faiss.IDSelectorRange(number, number + 1))
        else:
            self.forget(tenant)
        return True

    def forget(self, tenant: str) -> None:
        """Forgets all pages of a tenant."""
        self._indexes.pop(tenant, None)
        self._numbers.pop(tenant, None)

    def search(self, tenant: str, vector: Vector, most: int) -> list[Proposed]:
        """The pages of a tenant that are likest, at most `most`, likest first.

        Raises ValueError for a vector as `add` does.
        """
        query = self._checked(vector)[None]
        known = min(most, self.count(tenant))
        if known <= 0:
            return []
        likeness, numbers = self._indexes[tenant].search(query, known)
        return [
            Proposed(int(number), float(like))
            for number, like in zip(numbers[0], likeness[0], strict=True)
        ]

    def count(self, tenant: str) -> int:
        """How many pages of a tenant are known."""
        return len(self._numbers.get(tenant, ()))

    def _put(self, tenant: str, vectors: dict[int, Vector]) -> None:
        if min(vectors) < 0:
            raise ValueError("a page's number is not negative")
        block = np.stack([self._checked(vector) for vector in vectors.values()])
        # An index takes a number twice without a word, and then finds both.
        for number in vectors:
            self.remove(tenant, number)
        if tenant not in self._indexes:
            self._indexes[tenant] = faiss.IndexIDMap2(faiss.IndexFlatIP(self._dimensions))
        self._indexes[tenant].add_with_ids(block, np.array(list(vectors), np.int64))
        self._numbers.setdefault(tenant, set()).update(vectors)

    def _checked(self, vector: Vector) -> Vector:
        if vector.shape != (self._dimensions,):
            raise ValueError(f"a vector has {self._dimensions} numbers, not {vector.shape}")
        if not np.isfinite(vector).all():
            raise ValueError("a vector holds what is no number")
        return np.ascontiguousarray(vector, np.float32)


def _by_tenant(rows: Iterable[Row]) -> dict[str, dict[int, Vector]]:
    tenants: dict[str, dict[int, Vector]] = {}
    for tenant, number, vector in rows:
        tenants.setdefault(tenant, {})[number] = vector
    return tenants
