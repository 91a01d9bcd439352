from __future__ import annotations

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from edge_clm.config import Memory
from edge_clm.memory.store import Store
from edge_clm.types import Outcome, Suffix
from tests.memory.samples import snapshot

JOINT = snapshot(1).joint_hash


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"outcome": Outcome.NOT_ON_PAGE, "suffix": Suffix("describe")},
        {"tokens": (), "text": ""},
    ],
)
async def test_a_snapshot_comes_back(store: Store, changes: dict[str, Any]) -> None:
    """Every field of a snapshot is as it was put."""
    kept = snapshot(1, **changes)
    await store.put_snapshot(kept)
    assert await store.snapshot("clinic", JOINT) == kept
    assert await store.snapshot("clinic", snapshot(2).joint_hash) is None


async def test_the_newest_version_is_found(store: Store) -> None:
    """A later answer under the same joint hash is a new version, and the one that is replayed."""
    first, second = snapshot(1), snapshot(1, id="later", text="another")
    await store.put_snapshot(first)
    await store.put_snapshot(second)
    assert await store.snapshot("clinic", JOINT) == second
    assert (await store.counts())["snapshots"] == 2


async def test_the_same_id_again_changes_nothing(store: Store) -> None:
    """A retried put keeps one row, and the first."""
    await store.put_snapshot(snapshot(1))
    await store.put_snapshot(snapshot(1, text="another"))
    assert await store.snapshot("clinic", JOINT) == snapshot(1)
    assert (await store.counts())["snapshots"] == 1


async def test_a_wrong_answer_is_never_replayed(store: Store) -> None:
    """Feedback that an answer was wrong bars it, once or often."""
    await store.put_snapshot(snapshot(1))
    assert await store.feedback("clinic", "answer-1", False, "3,9")
    assert await store.feedback("clinic", "answer-1", False, "3,9")
    assert await store.snapshot("clinic", JOINT) is None
    counts = await store.counts()
    assert (counts["snapshots_disputed"], counts["feedback"]) == (1, 1)


async def test_a_disputed_version_brings_no_older_one_back(store: Store) -> None:
    """Old versions are never replayed, not even when the newest is wrong."""
    await store.put_snapshot(snapshot(1, id="old", text="old"))
    await store.put_snapshot(snapshot(1))
    await store.feedback("clinic", "answer-1", False, "")
    assert await store.snapshot("clinic", JOINT) is None


async def test_a_disputed_answer_cannot_come_back_under_a_new_id(store: Store) -> None:
    """The same words under the same joint hash stay barred; other words do not."""
    await store.put_snapshot(snapshot(1))
    await store.feedback("clinic", "answer-1", False, "")
    await store.put_snapshot(snapshot(1, id="again"))
    assert await store.snapshot("clinic", JOINT) is None
    better = snapshot(1, id="better", text="3,9")
    await store.put_snapshot(better)
    assert await store.snapshot("clinic", JOINT) == better


async def test_the_same_words_again_are_the_same_version(store: Store) -> None:
    """An answer worked out anew and equal to the newest makes that one younger, and adds no row."""
    await store.put_snapshot(snapshot(1))
    again = snapshot(1, id="again", created=snapshot(1).created + 60)
    stands = await store.put_snapshot(again)
    assert stands == replace(again, id="answer-1")
    assert await store.snapshot("clinic", JOINT) == stands
    assert (await store.counts())["snapshots"] == 1


async def test_a_barred_answer_says_so_when_it_is_kept(store: Store) -> None:
    """What is kept as disputed comes back as disputed, so that nobody is told that it will replay."""
    await store.put_snapshot(snapshot(1))
    await store.feedback("clinic", "answer-1", False, "")
    assert (await store.put_snapshot(snapshot(1, id="again"))).disputed
    await store.put_snapshot(snapshot(1, id="better", text="3,9"))
    assert (await store.put_snapshot(snapshot(1, id="relapse"))).disputed


async def test_a_dispute_reaches_every_version_that_says_the_same(store: Store) -> None:
    """Answers with the same words fall together, wherever another came between."""
    await store.put_snapshot(snapshot(1, id="twin"))
    await store.put_snapshot(snapshot(1, id="other", text="another"))
    await store.put_snapshot(snapshot(1))
    await store.put_snapshot(snapshot(2, text=snapshot(1).text))
    await store.feedback("clinic", "answer-1", False, "")
    assert await store.snapshot("clinic", JOINT) is None
    assert await store.snapshot("clinic", snapshot(2).joint_hash) is not None


async def test_praise_disputes_nothing_and_undoes_nothing(store: Store) -> None:
    """An answer called right stays replayable; one called wrong before stays barred."""
    await store.put_snapshot(snapshot(1))
    assert await store.feedback("clinic", "answer-1", True, "")
    assert await store.snapshot("clinic", JOINT) == snapshot(1)
    await store.feedback("clinic", "answer-1", False, "")
    await store.feedback("clinic", "answer-1", True, "")
    assert await store.snapshot("clinic", JOINT) is None
    assert (await store.counts())["feedback"] == 2


async def test_feedback_on_an_unknown_answer_is_false(store: Store) -> None:
    """What was never answered cannot be judged."""
    assert not await store.feedback("clinic", "answer-1", False, "")
    assert (await store.counts())["feedback"] == 0


async def test_a_correction_is_kept_and_not_emptied(store: Store, database: Path) -> None:
    """Repeating a judgement without a correction keeps the one that was given."""
    await store.put_snapshot(snapshot(1))
    await store.feedback("clinic", "answer-1", False, "3,9")
    await store.feedback("clinic", "answer-1", False, "")
    with closing(sqlite3.connect(database)) as reader:
        assert reader.execute("SELECT correction FROM feedback").fetchall() == [("3,9",)]


async def test_uses_are_counted_by_close(config: Memory, database: Path) -> None:
    """Every touch is on record once the memory is closed, and none changes the snapshot."""
    async with await Store.open(config) as store:
        await store.put_snapshot(snapshot(1))
        for _ in range(3):
            await store.touch_snapshot("clinic", "answer-1")
        await store.touch_snapshot("clinic", "unknown")
        assert await store.snapshot("clinic", JOINT) == snapshot(1)
    with closing(sqlite3.connect(database)) as reader:
        uses, created, used = reader.execute(
            "SELECT uses, created, last_used FROM snapshots"
        ).fetchone()
    assert uses == 3
    assert used > created


async def test_uses_are_written_while_the_memory_is_open(store: Store, database: Path) -> None:
    """Touches reach the database without a close."""
    await store.put_snapshot(snapshot(1))
    await store.touch_snapshot("clinic", "answer-1")
    with closing(sqlite3.connect(database)) as reader:
        uses = 0
        while not uses:
            await asyncio.sleep(0.05)
            (uses,) = reader.execute("SELECT uses FROM snapshots").fetchone()
    assert uses == 1


async def test_the_drafts_of_a_page_are_its_undisputed_answers(store: Store) -> None:
    """Of every version and question, the newest first; none of another page or tenant."""
    page = snapshot(1).page_key
    older = snapshot(1, id="older", text="old", created=1.0)
    other = snapshot(2, id="other", page_key=page, created=2.0)
    wrong = snapshot(3, id="wrong", page_key=page)
    for kept in (older, other, wrong, snapshot(1), snapshot(4), snapshot(1, tenant="shop")):
        await store.put_snapshot(kept)
    await store.feedback("clinic", "wrong", False, "")
    assert list(await store.drafts("clinic", page)) == [snapshot(1), other, older]
    assert await store.drafts("clinic", snapshot(9).page_key) == []
