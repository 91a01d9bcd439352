from __future__ import annotations

from dataclasses import replace

from edge_clm.memory.store import Store
from edge_clm.paper import Difference, Notice, NoticeKind, PageKind
from edge_clm.types import Sighting
from tests.memory.samples import view

NOTICE = Notice(
    NoticeKind.CHANGED, "c_0", 2, 1_750_000_000.125, (Difference("total", "3,90 €", ""),)
)


async def sighting(store: Store, number: int, *, tenant: str = "clinic") -> Sighting:
    """A sighting of a capture that is kept."""
    capture = await store.put_capture(tenant, b"file %d" % number, "image/png", 1)
    return Sighting(
        f"key {number}", capture.handle, 1, "number\n4711", PageKind.INVOICE, float(number)
    )


async def test_a_sighting_comes_back(store: Store) -> None:
    """With all that was to be said; what is kept once stays as it is."""
    kept = replace(await sighting(store, 1), notices=(NOTICE,))
    await store.put_sighting("clinic", kept)
    await store.put_sighting("clinic", replace(kept, named="another", notices=()))
    assert await store.sighting("clinic", "key 1") == kept
    assert await store.sighting("clinic", "key 2") is None


async def test_the_last_of_the_same_names_are_found(store: Store) -> None:
    """Three of them, the newest first, of this tenant and exactly these names; other pages are not among them.

    Nor is the capture that asks.
    """
    kept = [await sighting(store, number) for number in range(5)]
    for one in (*kept, replace(await sighting(store, 9), named="number\n4712")):
        await store.put_sighting("clinic", one)
    await store.put_sighting("shop", await sighting(store, 8, tenant="shop"))
    await store.put_sighting("clinic", replace(await sighting(store, 7), page=2))
    asking = view("another")
    assert await store.sightings("clinic", "number\n4711", asking) == kept[:1:-1]
    assert await store.sightings("clinic", "number\n47", asking) == []
    of_the_last = view(kept[-1].handle)
    assert await store.sightings("clinic", "number\n4711", of_the_last) == kept[3:0:-1]
