"""Which known pages a capture may show: the nearest vectors of its tenant, and then the points in common.

Neither proves anything: they only ever propose.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import faiss
import numpy as np

from edge_clm.features import Features, Points, Vector
from edge_clm.memory.agreement import likest

Row = tuple[str, int, Features]
"""Tenant, the page's number in the database, the features of its anchor."""

SHORTLIST = 256
"""Pages whose points are looked at, at most: those that look likest as a whole."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """A page that a capture may show."""

    number: int
    """Of the page in the database."""
    cosine: float
    """Of the vectors, −1…1."""
    points: Points
    """Of the page's anchor."""


class Recall:
    """One exact index for each tenant, in memory alone: made from the database's rows at every start.

    Not thread-safe. A tenant never meets another's vectors.
    """

    def __init__(self, dimensions: int, rows: Iterable[Row] = ()) -> None:
        """`rows` are the anchors known so far. Raises ValueError as `add` does."""
        self._dimensions = dimensions
        self._indexes: dict[str, faiss.IndexIDMap2] = {}
        self._points: dict[str, dict[int, Points]] = {}
        for tenant, features in _by_tenant(rows).items():
            self._put(tenant, features)

    def add(self, tenant: str, number: int, features: Features) -> None:
        """Makes a page known by its anchor; one that is known has a new anchor from now on.

        Raises ValueError for a negative number and for a vector of another size or with what is no number.
        """
        self._put(tenant, {number: features})

    def remove(self, tenant: str, number: int) -> bool:
        """Forgets a page; False where it was not known."""
        points = self._points.get(tenant, {})
        if points.pop(number, None) is None:
            return False
        if points:
            self._indexes[tenant].remove_ids(faiss.IDSelectorRange(number, number + 1))
        else:
            self.forget(tenant)
        return True

    def forget(self, tenant: str) -> None:
        """Forgets all pages of a tenant."""
        self._indexes.pop(tenant, None)
        self._points.pop(tenant, None)

    def search(self, tenant: str, vector: Vector, most: int = SHORTLIST) -> list[Proposed]:
        """The pages of a tenant that look likest as a whole, at most `most`, likest first.

        Raises ValueError for a vector as `add` does.
        """
        query = self._checked(vector)[None]
        known = min(most, self.count(tenant))
        if known <= 0:
            return []
        cosines, numbers = self._indexes[tenant].search(query, known)
        points = self._points[tenant]
        return [
            Proposed(int(number), float(cosine), points[int(number)])
            for number, cosine in zip(numbers[0], cosines[0], strict=True)
        ]

    def count(self, tenant: str) -> int:
        """How many pages of a tenant are known."""
        return len(self._points.get(tenant, ()))

    def _put(self, tenant: str, features: dict[int, Features]) -> None:
        if min(features) < 0:
            raise ValueError("a page's number is not negative")
        block = np.stack([self._checked(one.vector) for one in features.values()])
        # An index takes a number twice without a word, and then finds both.
        for number in features:
            self.remove(tenant, number)
        if tenant not in self._indexes:
            self._indexes[tenant] = faiss.IndexIDMap2(faiss.IndexFlatIP(self._dimensions))
        self._indexes[tenant].add_with_ids(block, np.array(list(features), np.int64))
        points = {number: one.points for number, one in features.items()}
        self._points.setdefault(tenant, {}).update(points)

    def _checked(self, vector: Vector) -> Vector:
        if vector.shape != (self._dimensions,):
            raise ValueError(f"a vector has {self._dimensions} numbers, not {vector.shape}")
        if not np.isfinite(vector).all():
            raise ValueError("a vector holds what is no number")
        return np.ascontiguousarray(vector, np.float32)


def proposed(points: Points, shortlist: Sequence[Proposed], most: int) -> list[tuple[int, float]]:
    """Of a shortlist the pages that have most points in common with a capture, at most `most`, best first.

    Each by its number in the database, with the share of the capture's points, 0…1.
    """
    found = likest(points, [one.points for one in shortlist], most)
    return [(shortlist[at].number, shared / len(points)) for at, shared in found]


def _by_tenant(rows: Iterable[Row]) -> dict[str, dict[int, Features]]:
    tenants: dict[str, dict[int, Features]] = {}
    for tenant, number, features in rows:
        tenants.setdefault(tenant, {})[number] = features
    return tenants
