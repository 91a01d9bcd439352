"""The index of known pages against the plainest search there is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from edge_clm.features import Features, Vector
from edge_clm.memory.recall import Recall, proposed
from tests.memory.samples import features, points

WIDE = 8
TENANTS = st.sampled_from(["acme", "globex"])
NUMBERS = st.integers(0, 12)


def unit(seed: int) -> Vector:
    """A vector of length 1."""
    vector = np.random.default_rng(seed).standard_normal(WIDE)
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def looks(vector: Vector) -> Features:
    """A picture that looks so as a whole; its points do not matter here."""
    return Features(vector, points(0, 1))


class Against(RuleBasedStateMachine):
    """Whatever is added and removed, the index finds what a dictionary holds."""

    def __init__(self) -> None:
        super().__init__()
        self.recall = Recall(WIDE)
        self.known: dict[str, dict[int, Vector]] = {"acme": {}, "globex": {}}

    @rule(tenant=TENANTS, number=NUMBERS, seed=st.integers(0, 99))
    def add(self, tenant: str, number: int, seed: int) -> None:
        self.recall.add(tenant, number, looks(unit(seed)))
        self.known[tenant][number] = unit(seed)

    @rule(tenant=TENANTS, number=NUMBERS)
    def remove(self, tenant: str, number: int) -> None:
        there = self.known[tenant].pop(number, None) is not None
        assert self.recall.remove(tenant, number) == there

    @rule(tenant=TENANTS)
    def forget(self, tenant: str) -> None:
        self.recall.forget(tenant)
        self.known[tenant].clear()

    @rule()
    def start_again(self) -> None:
        rows = [(t, n, looks(v)) for t, known in self.known.items() for n, v in known.items()]
        self.recall = Recall(WIDE, rows)

    @rule(tenant=TENANTS, seed=st.integers(0, 99), most=st.integers(0, 15))
    def search(self, tenant: str, seed: int, most: int) -> None:
        query, known = unit(seed), self.known[tenant]
        found = self.recall.search(tenant, query, most)
        likest = sorted((float(vector @ query) for vector in known.values()), reverse=True)[:most]
        assert [one.cosine for one in found] == pytest.approx(likest, abs=1e-5)
        assert len({one.number for one in found}) == len(found)
        for one in found:
            assert one.cosine == pytest.approx(float(known[one.number] @ query), abs=1e-5)

    @invariant()
    def counts(self) -> None:
        for tenant, known in self.known.items():
            assert self.recall.count(tenant) == len(known)


TestAgainst = Against.TestCase
TestAgainst.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


@given(st.integers(0, 1000))
def test_a_page_is_its_own_nearest(seed: int) -> None:
    """Of a thousand pages the one whose anchor is asked for comes first, with cosine 1."""
    recall = Recall(WIDE, (("acme", at, looks(unit(at))) for at in range(1001)))
    (first,) = recall.search("acme", unit(seed), 1)
    assert first.number == seed
    assert first.cosine == pytest.approx(1, abs=1e-5)


def test_another_tenants_pages_are_not_there() -> None:
    """A tenant that has no page finds none, however like another's are."""
    recall = Recall(WIDE, [("acme", 1, looks(unit(1)))])
    assert recall.search("globex", unit(1), 5) == []
    assert not recall.remove("globex", 1)
    assert recall.count("acme") == 1


def test_a_row_that_comes_twice_is_one_page() -> None:
    """The later anchor stands for it."""
    recall = Recall(WIDE, [("acme", 1, looks(unit(1))), ("acme", 1, looks(unit(2)))])
    assert recall.count("acme") == 1
    assert recall.search("acme", unit(2), 9)[0].cosine == pytest.approx(1, abs=1e-5)


def test_the_page_with_most_points_in_common_is_proposed_first() -> None:
    """However much more another looks like it as a whole; the share of the points is told, and none below chance."""
    one, other, third = (features(1, at, drawn=at) for at in (1, 2, 3))
    recall = Recall(2, [("acme", 1, one), ("acme", 2, other), ("acme", 3, third)])
    shortlist = recall.search("acme", features(1, 2).vector)
    assert [page.number for page in shortlist] == [2, 3, 1]
    assert proposed(one.points, shortlist, 5) == [(1, 1.0)]
    assert proposed(points(9), shortlist, 5) == []
    assert proposed(one.points, [], 5) == []


@pytest.mark.parametrize(
    ("number", "vector"),
    [
        (-1, unit(1)),
        (1, np.ones(WIDE + 1, np.float32)),
        (1, np.ones((1, WIDE), np.float32)),
        (1, np.full(WIDE, np.nan, np.float32)),
    ],
)
def test_what_is_no_vector_is_refused_and_changes_nothing(number: int, vector: Vector) -> None:
    """A wrong number, size or value is refused, and what was known stays known."""
    recall = Recall(WIDE, [("acme", 1, looks(unit(1)))])
    with pytest.raises(ValueError, match="number"):
        recall.add("acme", number, looks(vector))
    assert recall.search("acme", unit(1), 9)[0].number == 1
