"""Whether comparing is worth it, by what it has saved and cost."""

from __future__ import annotations

from edge_clm.economy import Economy
from edge_clm.types import KnownPage

SHOP, CLINIC = "shop", "clinic"


def page(number: int, likeness: float = 0.9) -> KnownPage:
    """A known page, recalled for a capture that looks so much like it."""
    return KnownPage(number, f"page {number}", "c_1", 1, likeness)


def economy(*, read_ms: float = 4000, compared_ms: float = 1500) -> Economy:
    """One that knows what things cost, and whose tenants were served so far."""
    found = Economy()
    found.read(read_ms)
    found.compared("another", page(0), compared_ms, served=True)
    return found


def test_it_is_tried_until_something_is_known() -> None:
    """Without a time of either there is nothing to go by."""
    found = Economy()
    assert found.is_worth(SHOP, page(1))
    found.read(1)
    assert found.is_worth(SHOP, page(1))


def test_it_is_not_tried_where_reading_is_cheaper() -> None:
    """However often it would serve."""
    assert economy(read_ms=4000).is_worth(SHOP, page(1))
    assert not economy(read_ms=1000).is_worth(SHOP, page(1))


def test_a_stream_of_lookalikes_is_soon_left_alone() -> None:
    """After a few in vain only one in twenty is compared; once they serve again, all are."""
    found = economy()
    tried = 0
    for number in range(200):
        if found.is_worth(SHOP, page(number)):
            tried += 1
            found.compared(SHOP, page(number), 1500, served=False)
    assert 5 <= tried <= 20
    for number in range(400):
        if found.is_worth(SHOP, page(number)):
            found.compared(SHOP, page(number), 1500, served=True)
    assert all(found.is_worth(SHOP, page(number)) for number in range(3))


def test_a_page_that_serves_is_compared_among_lookalikes_that_do_not() -> None:
    """Its own outcomes count as well as the tenant's."""
    found = economy()
    for _ in range(30):
        found.compared(SHOP, page(7), 1500, served=True)
    for number in range(100, 120):
        found.compared(SHOP, page(number), 1500, served=False)
    assert found.is_worth(SHOP, page(7))
    assert not found.is_worth(SHOP, page(121))


def test_one_tenants_lookalikes_cost_no_other_its_reuse() -> None:
    """Outcomes are kept apart."""
    found = economy()
    for number in range(20):
        found.compared(SHOP, page(number), 1500, served=False)
    assert not found.is_worth(SHOP, page(99))
    assert found.is_worth(CLINIC, page(99))
    found.compared(CLINIC, page(3), 1500, served=True)
    assert found.is_worth(CLINIC, page(3))


def test_pages_that_look_more_alike_are_told_apart_from_those_that_look_less() -> None:
    """A stream of new pages that are a little like known ones costs the photographs nothing that are very."""
    found = economy()
    for number in range(20):
        found.compared(SHOP, page(number, 0.05), 1500, served=False)
        found.compared(SHOP, page(100, 0.3), 1500, served=True)
    assert not found.is_worth(SHOP, page(99, 0.04))
    assert found.is_worth(SHOP, page(99, 0.3))
