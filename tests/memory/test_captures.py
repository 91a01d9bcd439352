from __future__ import annotations

import asyncio
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.config import Memory
from edge_clm.errors import StoreUnavailable
from edge_clm.memory.keys import handle_of
from edge_clm.memory.store import Store
from tests.memory.samples import listing, sha

JPEG = "image/jpeg"


async def test_a_capture_comes_back_as_it_came(store: Store) -> None:
    """A kept capture is found by handle and by bytes, and its file is byte for byte the same."""
    data = bytes(range(256)) * 3
    capture = await store.put_capture("clinic", data, "application/pdf", 4)
    assert capture.handle == handle_of(await store.tenant_key("clinic"), sha(data))
    assert (capture.bytes_sha256, capture.size, capture.pages) == (sha(data), 768, 4)
    assert capture.media_type == "application/pdf"
    assert capture.kept
    assert await store.capture("clinic", capture.handle) == capture
    assert await store.capture_by_bytes("clinic", sha(data)) == capture
    assert await store.capture_data("clinic", capture.handle) == data


async def test_unknown_captures_are_none(store: Store) -> None:
    """What was never put is not found."""
    assert await store.capture("clinic", "c_unknown") is None
    assert await store.capture_by_bytes("clinic", sha(b"never")) is None
    assert await store.capture_data("clinic", "../memory.sqlite3") is None


async def test_the_same_bytes_are_kept_once(store: Store, files: Path) -> None:
    """Putting a file again, or eight times at once, gives one handle and one file."""
    puts = [store.put_capture("clinic", b"page", JPEG, 1) for _ in range(8)]
    captures = await asyncio.gather(*puts)
    assert len(set(captures)) == 1
    assert list(listing(files)) == [captures[0].handle]
    assert (await store.counts())["captures"] == 1


async def test_the_least_recently_used_file_goes(store: Store, files: Path) -> None:
    """Over the budget the file that was unused for longest goes; its capture stays known."""
    one, two = [await store.put_capture("clinic", bytes([n]) * 400, JPEG, 1) for n in (1, 2)]
    assert await store.capture_data("clinic", one.handle)
    three = await store.put_capture("clinic", b"3" * 400, JPEG, 1)
    assert listing(files).keys() == {one.handle, three.handle}
    gone = await store.capture("clinic", two.handle)
    assert gone is not None
    assert not gone.kept
    assert await store.capture_data("clinic", two.handle) is None


async def test_a_look_up_counts_as_a_use(store: Store) -> None:
    """A capture that is only looked up is used, too."""
    one, _ = [await store.put_capture("clinic", bytes([n]) * 400, JPEG, 1) for n in (1, 2)]
    await store.capture_by_bytes("clinic", one.bytes_sha256)
    await store.put_capture("clinic", b"3" * 400, JPEG, 1)
    assert await store.capture_data("clinic", one.handle) == b"\x01" * 400


async def test_an_evicted_file_is_restored_by_its_bytes(store: Store) -> None:
    """Sending the bytes of an evicted capture again keeps them again under the same handle."""
    first = await store.put_capture("clinic", b"1" * 600, JPEG, 1)
    await store.put_capture("clinic", b"2" * 600, JPEG, 1)
    assert await store.capture_data("clinic", first.handle) is None
    assert await store.put_capture("clinic", b"1" * 600, JPEG, 1) == first
    assert await store.capture_data("clinic", first.handle) == b"1" * 600


async def test_a_file_larger_than_the_budget_evicts_nothing(store: Store) -> None:
    """A capture that can never fit is known but not kept, and costs no other its file."""
    small = await store.put_capture("clinic", b"s" * 900, JPEG, 1)
    large = await store.put_capture("clinic", b"l" * 1001, JPEG, 1)
    assert not large.kept
    assert await store.capture_data("clinic", large.handle) is None
    assert await store.capture_data("clinic", small.handle) == b"s" * 900
    assert await store.put_capture("clinic", b"l" * 1001, JPEG, 1) == large


@pytest.mark.parametrize("damage", [b"pagf", b"pag", b"", None])
async def test_a_damaged_file_is_not_kept(store: Store, files: Path, damage: bytes | None) -> None:
    """A file that changed or vanished on the disk is never handed out, and can be sent again."""
    capture = await store.put_capture("clinic", b"page", JPEG, 1)
    path = files / capture.handle
    path.unlink() if damage is None else path.write_bytes(damage)
    assert await store.capture_data("clinic", capture.handle) is None
    known = await store.capture("clinic", capture.handle)
    assert known is not None
    assert not known.kept
    assert not path.exists()
    assert await store.put_capture("clinic", b"page", JPEG, 1) == capture
    assert await store.capture_data("clinic", capture.handle) == b"page"


async def test_a_vanished_file_is_put_again(store: Store, files: Path) -> None:
    """A put does not trust the row: where the file is gone it is written."""
    capture = await store.put_capture("clinic", b"page", JPEG, 1)
    (files / capture.handle).unlink()
    await store.put_capture("clinic", b"page", JPEG, 1)
    assert await store.capture_data("clinic", capture.handle) == b"page"


async def test_files_out_of_reach_are_store_unavailable(store: Store, files: Path) -> None:
    """Where the file system fails, nothing is recorded as kept."""
    shutil.rmtree(files)
    with pytest.raises(StoreUnavailable):
        await store.put_capture("clinic", b"page", JPEG, 1)
    assert await store.capture_by_bytes("clinic", sha(b"page")) is None


async def test_start_sweeps_what_a_crash_left(config: Memory, files: Path) -> None:
    """Half-written files, files without a row and rows without their file are gone after a start."""
    async with await Store.open(config) as store:
        whole = await store.put_capture("clinic", b"whole", JPEG, 1)
        lost = await store.put_capture("clinic", b"lost", JPEG, 1)
        torn = await store.put_capture("clinic", b"torn", JPEG, 1)
    (files / lost.handle).unlink()
    (files / torn.handle).write_bytes(b"to")
    (files / "c_orphan").write_bytes(b"no row")
    (files / "c_half.part").write_bytes(b"half")
    async with await Store.open(config) as store:
        assert list(listing(files)) == [whole.handle]
        found = [await store.capture("clinic", c.handle) for c in (whole, lost, torn)]
        assert [capture and capture.kept for capture in found] == [True, False, False]


async def test_a_smaller_budget_holds_from_the_start(config: Memory, files: Path) -> None:
    """Opened with a smaller budget, the memory lets files go at once."""
    async with await Store.open(config) as store:
        for number in range(10):
            await store.put_capture("clinic", bytes([number]) * 100, JPEG, 1)
    async with await Store.open(config.model_copy(update={"capture_bytes": 250})) as store:
        assert sum(listing(files).values()) == 200
        assert (await store.counts())["capture_bytes"] == 200


steps = st.lists(
    st.tuples(st.sampled_from(["put", "data", "reopen"]), st.integers(0, 5), st.integers(0, 60)),
    min_size=3,
    max_size=14,
)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 130), steps)
def test_the_budget_is_never_exceeded(budget: int, steps: list[tuple[str, int, int]]) -> None:
    """Whatever is put and used, the files stay within the budget and are just those that rows tell of."""
    with tempfile.TemporaryDirectory() as directory:
        config = Memory(directory=directory, capture_bytes=budget)
        asyncio.run(_play(config, steps))


async def _play(config: Memory, steps: list[tuple[str, int, int]]) -> None:
    store = await Store.open(config)
    try:
        for step, number, size in steps:
            data = bytes([number]) * size
            if step == "put":
                capture = await store.put_capture("clinic", data, JPEG, 1)
                assert capture.kept == (size <= config.capture_bytes)
            elif step == "data":
                await store.capture_data(
                    "clinic", handle_of(await store.tenant_key("clinic"), sha(data))
                )
            else:
                await store.close()
                store = await Store.open(config)
            sizes = listing(Path(config.directory) / "captures").values()
            counts = await store.counts()
            assert sum(sizes) <= config.capture_bytes
            assert (counts["captures_kept"], counts["capture_bytes"]) == (len(sizes), sum(sizes))
    finally:
        await store.close()


async def test_the_budget_holds_when_many_put_at_once(store: Store, files: Path) -> None:
    """Simultaneous puts share one budget."""
    puts = [store.put_capture("clinic", bytes([n]) * (50 * n), JPEG, 1) for n in range(1, 20)]
    await asyncio.gather(*puts)
    sizes = listing(files).values()
    counts = await store.counts()
    assert 0 < sum(sizes) <= 1000
    assert (counts["captures_kept"], counts["capture_bytes"]) == (len(sizes), sum(sizes))
