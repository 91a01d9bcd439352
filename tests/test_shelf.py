"""Things kept at hand."""

from __future__ import annotations

from edge_clm.shelf import Shelf


def test_what_was_not_used_for_longest_makes_room() -> None:
    """As many stay as fit, those that were asked for before those that were not."""
    shelf: Shelf[str] = Shelf(10)
    for name in "abc":
        shelf.put(name, name.upper(), 4)
        assert shelf.get("a") == "A" or name == "c"
    assert [shelf.get(name) for name in "abc"] == ["A", None, "C"]
    shelf.put("c", "c", 1)
    assert [shelf.get(name) for name in "ac"] == ["A", "c"]


def test_the_last_thing_stays_however_large() -> None:
    """It is in use."""
    shelf: Shelf[str] = Shelf(10)
    shelf.put("small", "small", 1)
    shelf.put("large", "large", 100)
    assert (shelf.get("small"), shelf.get("large")) == (None, "large")


def test_no_more_things_are_kept_than_were_asked_for() -> None:
    """However little they hold."""
    shelf: Shelf[str] = Shelf(100, most=2)
    for name in "abc":
        shelf.put(name, name, 1)
    assert [shelf.get(name) for name in "abc"] == [None, "b", "c"]
