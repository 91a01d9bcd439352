"""The path of a request over a real memory, with an engine that does as it is told.

The real engine's answers are tested end to end; here it has to fail, wait and forget on command.
"""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from edge_clm.admission import Admission
from edge_clm.answer import Answerer
from edge_clm.breaker import CacheBreaker
from edge_clm.config import Config, Memory
from edge_clm.errors import (
    AnswerUnknown,
    CapturesNotKept,
    EngineLost,
    HandleUnknown,
    ImageTruncated,
    PageStateGone,
)
from edge_clm.identify import Identifier
from edge_clm.inquiry import Inquiry, Source
from edge_clm.memory.keys import joint_hash_of, page_key_of
from edge_clm.memory.store import DATABASE_NAME, Store
from edge_clm.paper import Line, PageText
from edge_clm.policy import Wish
from edge_clm.question.suffix import suffix_of
from edge_clm.types import (
    Answer,
    File,
    Finish,
    Outcome,
    Piece,
    Prefilled,
    Seen,
    ServeMode,
    Step,
    Task,
)

FAR = 1e9
TEXT = PageText((Line("TOTAL 4.20", ((0, 0), (9, 0), (9, 9), (0, 9)), 1.0),), 0, 60, 80)


class Engine:
    """Sees the same page in every file that ends alike, and says the number of its answers so far."""

    fingerprint = "engine"
    ocr_fingerprint = "ocr"

    def __init__(self) -> None:
        self.decoded = 0
        self.read_pages = 0
        self.tasks: list[Task] = []
        self.states: set[str] = set()
        self.gate = asyncio.Event()
        self.gate.set()
        self.says: str | None = None
        self.stopped = 0

    async def decode(self, file: File, page: int) -> tuple[Seen, float]:
        self.decoded += 1
        if b"broken" in file.data:
            raise ImageTruncated("it ends early")
        pixels = hashlib.sha256(file.data[-4:]).hexdigest()
        return Seen(pixels, 60, 80, page, 3, "image/png"), 1.0

    async def read(self, file: File, page: int) -> tuple[PageText, float]:
        self.read_pages += 1
        await asyncio.sleep(0)
        return TEXT, 2.0

    async def answer(self, task: Task) -> AsyncGenerator[Step, None]:
        self.tasks.append(task)
        warm = task.page_key in self.states and not task.fresh
        if not warm and task.file is None:
            raise PageStateGone("gone")
        self.states.add(task.page_key)
        yield Prefilled(warm, 100, 0)
        try:
            yield Piece("It is ", (1,))
            await self.gate.wait()
            yield Piece(self.says or f"{len(self.tasks)}.", (2,), Finish.STOP)
            yield Outcome.ANSWERED
        except (asyncio.CancelledError, GeneratorExit):
            self.stopped += 1
            raise


class House:
    """An answerer with its parts."""

    def __init__(self, store: Store, directory: Path) -> None:
        self.engine = Engine()
        self.store = store
        self.database = directory / DATABASE_NAME
        config = Config()
        self.admission = Admission(1, 8, 8)
        breaker = CacheBreaker()
        decoding = Admission(1, 8, 8)
        identifier = Identifier(store, self.engine, decoding, breaker, config.limits, page_key_of)
        self.answerer = Answerer(
            config,
            store,
            self.engine,
            self.admission,
            identifier,
            breaker,
            suffix_of,
            joint_hash_of,
        )

    async def ask(
        self,
        data: bytes | None = b"a page",
        question: str = "What is the total?",
        *,
        tenant: str = "clinic",
        handle: str = "",
        wish: Wish = Wish(),  # noqa: B008
    ) -> Answer:
        inquiry = Inquiry(tenant, Source(data, handle), FAR, question, wish=wish)
        events = [event async for event in self.answerer.answer(inquiry)]
        answer = events[-1]
        assert isinstance(answer, Answer)
        assert answer.text == "".join(event for event in events if isinstance(event, str))
        return answer

    @asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """Somebody else holds the database's write lock meanwhile."""
        other = sqlite3.connect(self.database)
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.rollback()
            other.close()


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    config = Memory(directory=str(tmp_path), capture_bytes=1000)
    async with await Store.open(config, busy_timeout_ms=50) as store:
        yield House(store, tmp_path)


async def test_cold_warm_replay(house: House) -> None:
    """A page is decoded and read once; a new question is warm, a known one is replayed."""
    cold = await house.ask()
    warm = await house.ask(question="And the date?")
    replay = await house.ask()
    assert [a.mode for a in (cold, warm, replay)] == [
        ServeMode.COLD,
        ServeMode.WARM,
        ServeMode.REPLAY,
    ]
    assert (house.engine.decoded, house.engine.read_pages, len(house.engine.tasks)) == (1, 1, 2)
    assert (replay.text, replay.id) == (cold.text, cold.id)
    assert replay.age_s >= 0


async def test_a_warm_question_takes_no_file_along(house: House) -> None:
    """The engine gets the file only where it lacks the page state, and then it does get it."""
    await house.ask()
    await house.ask(question="And the date?")
    house.engine.states.clear()
    answer = await house.ask(question="And the seller?")
    assert [task.file is None for task in house.engine.tasks] == [False, True, True, False]
    assert answer.mode is ServeMode.COLD


async def test_locked_memory_costs_misses(house: House) -> None:
    """While the database is locked questions are answered, and nothing is said to be kept."""
    async with house.locked():
        first = await house.ask()
        second = await house.ask()
    assert not first.stored
    assert not second.stored
    assert second.mode is ServeMode.WARM


async def test_locked_memory_keeps_tenants_apart(house: House) -> None:
    """Tenants whose keys are out of reach do not share a page state, nor learn of each other."""
    async with house.locked():
        first = await house.ask(tenant="clinic")
        second = await house.ask(tenant="shop")
    assert first.mode is second.mode is ServeMode.COLD
    assert house.engine.tasks[0].page_key != house.engine.tasks[1].page_key


async def test_tenants_are_apart(house: House) -> None:
    """The same file of two tenants has two handles, two page keys and two answers."""
    ours = await house.ask(tenant="clinic")
    theirs = await house.ask(tenant="shop")
    assert ours.handle != theirs.handle
    assert theirs.mode is ServeMode.COLD
    with pytest.raises(HandleUnknown):
        await house.ask(None, handle=ours.handle, tenant="shop")
    with pytest.raises(AnswerUnknown):
        await house.answerer.feedback("shop", ours.id, False, "")


async def test_followers_get_their_own_capture(house: House) -> None:
    """Two files with the same pixels share the work, and each caller is told of its own file."""
    house.engine.gate.clear()
    asking = [asyncio.create_task(house.ask(data)) for data in (b"one page", b"two page")]
    await asyncio.sleep(0.2)
    house.engine.gate.set()
    one, two = await asyncio.gather(*asking)
    assert len(house.engine.tasks) == 1
    assert one.id == two.id
    assert one.handle != two.handle


async def test_a_file_that_was_sent_is_used(house: House) -> None:
    """Whoever sends the file gets an answer, also while one waits who only names a file that is gone."""
    large = b"x" * 2000  # more than all captures may take, so it is never kept
    known = await house.ask(large)
    house.engine.states.clear()
    house.engine.gate.clear()
    asking = [
        asyncio.create_task(house.ask(None, "And the date?", handle=known.handle)),
        asyncio.create_task(house.ask(large, "And the date?")),
    ]
    await asyncio.sleep(0.2)
    house.engine.gate.set()
    named, sent = await asyncio.gather(*asking, return_exceptions=True)
    assert isinstance(named, HandleUnknown)
    assert isinstance(sent, Answer)


async def test_the_last_caller_to_leave_stops_the_model(house: House) -> None:
    """A caller that leaves stops nothing while another waits; the last one stops the work."""
    house.engine.gate.clear()
    asking = [asyncio.create_task(house.ask()) for _ in range(2)]
    await asyncio.sleep(0.2)
    asking[0].cancel()
    await asyncio.wait([asking[0]])
    assert house.engine.stopped == 0
    asking[1].cancel()
    await asyncio.wait([asking[1]])
    assert house.engine.stopped == 1
    assert (house.admission.busy, house.admission.waiting) == (0, 0)
    house.engine.gate.set()
    assert (await house.ask()).stored


async def test_a_wrong_answer_said_again_is_not_called_kept(house: House) -> None:
    """Words that were reported as wrong are never replayed, and nobody is told they would be."""
    house.engine.says = "9.99."
    first = await house.ask()
    await house.answerer.feedback("clinic", first.id, False, "4.20")
    again = await house.ask()
    assert (again.mode, again.text, again.stored) == (ServeMode.WARM, first.text, False)
    house.engine.says = "4.20."
    better = await house.ask()
    assert better.stored
    assert (await house.ask()).mode is ServeMode.REPLAY


async def test_the_wishes_of_a_caller(house: House) -> None:
    """Fresh works everything out anew; no_store keeps nothing; what is too old is not given."""
    bare = await house.ask(wish=Wish(no_store=True))
    assert (bare.stored, bare.id, bare.handle) == (False, "", "")
    assert (await house.store.counts())["captures"] == 0
    await house.ask()
    fresh = await house.ask(wish=Wish(fresh=True))
    assert fresh.mode is ServeMode.COLD
    assert house.engine.read_pages == 3
    await asyncio.sleep(0.02)
    assert (await house.ask(wish=Wish(max_age_s=0.01))).mode is ServeMode.WARM


async def test_a_file_that_cannot_be_kept(house: House) -> None:
    """An upload larger than the budget is refused with the reason; a question about it is answered."""
    large = b"x" * 2000
    with pytest.raises(CapturesNotKept):
        await house.answerer.put_capture("clinic", large, FAR)
    assert (await house.ask(large)).text


async def test_failures_leave_no_slot_taken(house: House) -> None:
    """A broken file and an engine that is lost leave the queue as it was."""
    with pytest.raises(ImageTruncated):
        await house.ask(b"broken")

    async def lost(task: Task) -> AsyncGenerator[Step, None]:
        raise EngineLost("gone")
        yield Outcome.ANSWERED

    working, house.engine.answer = house.engine.answer, lost  # type: ignore[method-assign]
    with pytest.raises(EngineLost):
        await house.ask()
    house.engine.answer = working  # type: ignore[method-assign]
    assert (await house.ask()).mode is ServeMode.COLD
    assert house.admission.busy == 0
