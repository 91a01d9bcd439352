"""Pages known by an anchor: recalled by features, adopted by captures, and what was proven there."""

from __future__ import annotations

import asyncio
import time
from dataclasses import replace

import pytest

from edge_clm.config import Memory
from edge_clm.errors import InternalFault
from edge_clm.memory.store import Store
from edge_clm.types import Embedder, KnownPage, NewAnchor, Proof, View
from tests.memory.samples import features, sha, snapshot, view

EYE = Embedder("eye", 0.5)
GROUNDING = snapshot(2).grounding


async def seen(store: Store, number: int, tenant: str = "clinic") -> View:
    """A page of a capture of its own."""
    capture = await store.put_capture(tenant, b"file %d" % number, "image/jpeg", 3)
    return replace(view(capture.handle, 2), page_key=sha(b"page %d" % number))


async def known(store: Store, number: int, *parts: float, tenant: str = "clinic") -> KnownPage:
    """A page made known."""
    shown = await seen(store, number, tenant)
    await store.put_anchor(tenant, NewAnchor(shown, features(*parts), f"page {number}"), EYE)
    (page,) = await store.recalled(tenant, features(*parts), EYE)
    assert (page.page_key, page.handle, page.page) == (shown.page_key, shown.handle, 2)
    return page


async def recalled(store: Store, *parts: float, embedder: Embedder = EYE) -> list[KnownPage]:
    """What is recalled once the index has been made."""
    async with asyncio.timeout(20):
        while not (found := await store.recalled("clinic", features(*parts), embedder)):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    return found


def proof(number: int, snapshot_id: str = "answer-1") -> Proof:
    return Proof(sha(b"joint %d" % number), snapshot_id, GROUNDING, 90, 30, 40)


async def test_the_likest_page_is_recalled(config: Memory) -> None:
    """After a restart as before it."""
    async with await Store.open(config) as store:
        one, other = await known(store, 1, 1, 0, 0), await known(store, 2, 0, 1, 0)
        (found,) = await store.recalled("clinic", features(1, 0.4, 0), EYE)
        assert found.likeness == 1
        assert replace(found, likeness=1.0) == one
    async with await Store.open(config) as store:
        assert [page.number for page in await recalled(store, 0.4, 1, 0)] == [other.number]
        assert (await store.counts())["anchors"] == 2


async def test_what_looks_like_no_page_recalls_none(store: Store) -> None:
    """Nothing is recalled below the embedder's own bar, nor where nothing is known."""
    assert await store.recalled("clinic", features(1, 0), EYE) == []
    await known(store, 1, 1, 0)
    assert await store.recalled("clinic", features(1, 2), EYE) == []


async def test_no_tenant_recalls_the_page_of_another(store: Store) -> None:
    """Even the very same picture."""
    await known(store, 1, 1, 0)
    assert await store.recalled("shop", features(1, 0), EYE) == []


async def test_features_of_another_embedder_are_not_compared(store: Store) -> None:
    """They come back with the embedder that made them."""
    page = await known(store, 1, 1, 0)
    other = Embedder("other", -1)
    shown = await seen(store, 2)
    await store.put_anchor("clinic", NewAnchor(shown, features(0, 1), "page 2"), other)
    assert [one.page_key for one in await recalled(store, 1, 0, embedder=other)] == [shown.page_key]
    assert await store.namesakes("clinic", "page 1", other) == []
    assert await recalled(store, 1, 0) == [page]


async def test_a_page_has_one_anchor(store: Store) -> None:
    """A new one takes the place of the one before, under the same number."""
    page = await known(store, 1, 1, 0)
    again = await known(store, 1, 0, 1)
    assert again == page
    assert await store.recalled("clinic", features(1, 0), EYE) == []
    assert (await store.counts())["anchors"] == 1


async def test_pages_of_one_name_are_proposed_together(store: Store) -> None:
    """The likest first, and whatever bears its names after it, before what is less like it; no other tenant's."""
    for number, parts in ((1, (1, 0)), (2, (0, 1)), (3, (0, -1))):
        shown = await seen(store, number)
        named = "a name" if number < 3 else "another"
        await store.put_anchor("clinic", NewAnchor(shown, features(*parts), named), EYE)
    proposed = await store.recalled("clinic", features(0, 1), EYE)
    assert [page.page_key for page in proposed] == [sha(b"page 2"), sha(b"page 1")]
    all_ = await store.recalled("clinic", features(0, 1), Embedder("eye", -1))
    assert [page.number for page in all_] == [2, 1, 3]
    assert [page.number for page in await store.namesakes("clinic", "a name", EYE)] == [2, 1]
    assert await store.namesakes("shop", "a name", EYE) == []


async def test_another_capture_may_stand_for_a_page(store: Store) -> None:
    """It is recalled by its own features from then on, and the former anchor adopts the page."""
    page = await known(store, 1, 1, 0)
    better = NewAnchor(await seen(store, 2), features(0, 1), "page 1")
    await store.replace_anchor("clinic", page, better, EYE)
    (now,) = await store.recalled("clinic", features(0, 1), EYE)
    assert (now.number, now.page_key) == (page.number, better.view.page_key)
    assert await store.recalled("clinic", features(1, 0), EYE) == []
    assert await store.adopted("clinic", page.page_key) == now


async def test_a_capture_stands_for_one_page_only(store: Store) -> None:
    """Where it is an anchor already, it takes no other's place."""
    page, other = await known(store, 1, 1, 0), await known(store, 2, 0, 1)
    await store.replace_anchor(
        "clinic", page, NewAnchor(await seen(store, 2), features(1, 1), "page 1"), EYE
    )
    assert await store.recalled("clinic", features(1, 0), EYE) == [page]
    assert await store.recalled("clinic", features(0, 1), EYE) == [other]


async def test_a_view_adopts_the_page_it_was_proven_to_show(store: Store) -> None:
    """The last one, where it was proven to show two."""
    page, other = await known(store, 1, 1, 0), await known(store, 2, 0, 1)
    shown = await seen(store, 3)
    for one in (page, other):
        await store.adopt("clinic", shown, one)
        assert await store.adopted("clinic", shown.page_key) == one


async def test_a_forgotten_anchor_is_recalled_no_more(store: Store) -> None:
    """Nor adopted; what was proven by it stands."""
    page, other = await known(store, 1, 1, 0), await seen(store, 2)
    await store.put_snapshot(snapshot(1))
    await store.put_proof("clinic", other, page, proof(2))
    await store.forget_anchor("clinic", page)
    assert await store.recalled("clinic", features(1, 0), EYE) == []
    assert await store.adopted("clinic", other.page_key) is None
    assert await store.snapshot("clinic", proof(2).joint_hash) is not None
    await store.put_proof("clinic", other, page, proof(3))
    assert await store.adopted("clinic", other.page_key) is None


async def test_rows_and_index_agree_whatever_becomes_of_the_caller(store: Store) -> None:
    """A caller that is cancelled in the middle leaves a page known, or forgotten, in both."""
    page = await known(store, 1, 1, 0)
    anchor = NewAnchor(await seen(store, 2), features(0, 1), "page 2")
    putting = asyncio.create_task(store.put_anchor("clinic", anchor, EYE))
    forgetting = asyncio.create_task(store.forget_anchor("clinic", page))
    await asyncio.sleep(0)
    putting.cancel()
    forgetting.cancel()
    await asyncio.wait({putting, forgetting})
    assert [one.page_key for one in await recalled(store, 0, 1)] == [anchor.view.page_key]
    assert await store.recalled("clinic", features(1, 0), EYE) == []
    assert (await store.counts())["anchors"] == 1


async def test_what_was_seen_of_an_anchor_may_be_past(store: Store) -> None:
    """Forgetting or replacing the page of before leaves the capture alone that stands for it now."""
    page = await known(store, 1, 1, 0)
    second = NewAnchor(await seen(store, 2), features(0, 1), "page 1")
    await store.replace_anchor("clinic", page, second, EYE)
    await store.forget_anchor("clinic", page)
    third = NewAnchor(await seen(store, 3), features(1, 1), "page 1")
    await store.replace_anchor("clinic", page, third, EYE)
    assert [one.page_key for one in await recalled(store, 0, 1)] == [second.view.page_key]


async def test_no_tenant_adopts_the_page_of_another(store: Store) -> None:
    """Numbers are not given twice, and one that was forgotten adopts nothing."""
    page, other = await known(store, 1, 1, 0), await seen(store, 2)
    await store.forget_anchor("clinic", page)
    theirs = await known(store, 3, 1, 0, tenant="shop")
    assert theirs.number != page.number
    await store.adopt("clinic", other, theirs)
    assert await store.adopted("clinic", other.page_key) is None


async def test_a_proven_snapshot_is_as_old_as_its_proof(store: Store) -> None:
    """That another photograph was told the same since makes it no younger here."""
    page, other = await known(store, 1, 1, 0), await seen(store, 2)
    await store.put_snapshot(snapshot(1))
    await store.put_proof("clinic", other, page, proof(2))
    later = time.time() + 1000
    await store.put_snapshot(snapshot(1, id="again", created=later))
    found = await store.snapshot("clinic", proof(2).joint_hash)
    assert found is not None
    assert found.created < later - 900


async def test_what_is_wrong_of_another_page_is_proven_for_none(store: Store) -> None:
    """The same answer to the same question: one photograph of a page may stand for it after another."""
    page, other = await known(store, 1, 1, 0), await seen(store, 2)
    kept = await store.put_snapshot(snapshot(1))
    await store.put_proof("clinic", other, page, proof(2))
    like = snapshot(3, suffix=kept.suffix, text=kept.text)
    await store.put_snapshot(like)
    await store.feedback("clinic", like.id, False, "")
    assert await store.snapshot("clinic", proof(2).joint_hash) is None
    assert await store.snapshot("clinic", kept.joint_hash) == kept


async def test_a_proven_snapshot_holds_for_the_other_capture(store: Store) -> None:
    """It is found under the other's joint hash, with evidence and frame as they are there."""
    page, other = await known(store, 1, 1, 0), await seen(store, 2)
    kept = await store.put_snapshot(snapshot(1))
    await store.put_proof("clinic", other, page, proof(2))
    assert await store.adopted("clinic", other.page_key) == page
    found = await store.snapshot("clinic", proof(2).joint_hash)
    assert found == replace(kept, grounding=GROUNDING, turn=90, width=30, height=40)
    assert await store.snapshot("shop", proof(2).joint_hash) is None
    assert await store.adopted("shop", other.page_key) is None


async def test_a_snapshot_that_is_wrong_holds_nowhere(store: Store) -> None:
    """Reported once, by whichever caller, it is given for no capture any more."""
    page, other = await known(store, 1, 1, 0), await seen(store, 2)
    await store.put_snapshot(snapshot(1))
    await store.put_proof("clinic", other, page, proof(2))
    found = await store.snapshot("clinic", proof(2).joint_hash)
    assert found is not None
    assert await store.feedback("clinic", found.id, False, "")
    assert await store.snapshot("clinic", proof(2).joint_hash) is None
    assert await store.snapshot("clinic", snapshot(1).joint_hash) is None


async def test_an_older_version_holds_for_no_other_capture(store: Store) -> None:
    """Nor does it for its own."""
    page, other = await known(store, 1, 1, 0), await seen(store, 2)
    await store.put_snapshot(snapshot(1))
    await store.put_proof("clinic", other, page, proof(2))
    later = await store.put_snapshot(snapshot(1, id="later", text="another"))
    assert await store.snapshot("clinic", proof(2).joint_hash) is None
    await store.put_proof("clinic", other, page, proof(2, "later"))
    found = await store.snapshot("clinic", proof(2).joint_hash)
    assert found is not None
    assert found.id == later.id


async def test_a_captures_own_snapshot_comes_first(store: Store) -> None:
    """What was read off the capture itself is better than what was proven of it; wrong, it bars both."""
    page, other = await known(store, 1, 1, 0), await seen(store, 2)
    await store.put_snapshot(snapshot(1))
    await store.put_proof("clinic", other, page, proof(2))
    own = await store.put_snapshot(snapshot(2))
    assert own.joint_hash == proof(2).joint_hash
    assert await store.snapshot("clinic", own.joint_hash) == own
    await store.feedback("clinic", own.id, False, "")
    assert await store.snapshot("clinic", own.joint_hash) is None


async def test_nothing_is_known_by_a_capture_that_never_was(store: Store) -> None:
    """Such a fault is ours, and is told as such."""
    with pytest.raises(InternalFault):
        await store.put_anchor("clinic", NewAnchor(view("c_none"), features(1, 0), "x"), EYE)
    page, other = await known(store, 1, 1, 0), await seen(store, 2)
    with pytest.raises(InternalFault):
        await store.put_proof("clinic", other, page, proof(2, "no such answer"))
