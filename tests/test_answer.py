"""The path of a request over a real memory, with an engine that does as it is told.

The real engine's answers are tested end to end; here it has to fail, wait and forget on command.
"""

from __future__ import annotations

import asyncio
import hashlib
import sqlite3
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from edge_clm.admission import Admission
from edge_clm.answer import Answerer
from edge_clm.breaker import CacheBreaker
from edge_clm.config import Config, Memory
from edge_clm.document import Documents
from edge_clm.drafts import Drafts
from edge_clm.errors import (
    AnswerUnknown,
    CapturesNotKept,
    DocumentTooLong,
    EngineLost,
    HandleUnknown,
    ImageTruncated,
    PageStateGone,
)
from edge_clm.extractor import Extractor, Order
from edge_clm.features import Features
from edge_clm.identify import Identifier
from edge_clm.idle import Idle
from edge_clm.inquiry import Inquiry, Source
from edge_clm.knownpages import KnownPages
from edge_clm.memory.keys import joint_hash_of, page_key_of
from edge_clm.memory.store import DATABASE_NAME, Store
from edge_clm.notices import Notices
from edge_clm.pagetext import PageTexts
from edge_clm.paper import (
    Difference,
    Evidence,
    Extraction,
    Grounded,
    Grounding,
    Line,
    Named,
    PageKind,
    PageText,
    Quad,
)
from edge_clm.policy import Wish
from edge_clm.question.field import asked_field
from edge_clm.question.suffix import suffix_of
from edge_clm.types import (
    Answer,
    Drafted,
    Embedder,
    File,
    Finish,
    Judged,
    Known,
    Outcome,
    Piece,
    Prefilled,
    Seen,
    ServeMode,
    Step,
    Task,
)
from edge_clm.values.value import Text
from edge_clm.workbench import Workbench

FAR = 1e9
QUAD = ((0, 0), (9, 0), (9, 9), (0, 9))
TEXT = PageText((Line("TOTAL 4.20", QUAD, 1.0),), 0, 60, 80)
COVER = PageText((Line("Dear customer", QUAD, 1.0),), 0, 60, 80)


class Engine:
    """Sees the same page in every file that ends alike, and says the number of its answers so far.

    A file that begins with "three" has three pages, and the total stands on the last.
    """

    fingerprint = "engine"
    ocr_fingerprint = "ocr"
    embedder: Embedder | None = None

    def __init__(self) -> None:
        self.decoded = 0
        self.read_pages = 0
        self.reads: list[bytes] = []
        self.tasks: list[Task] = []
        self.extracted: list[list[tuple[int, PageText]]] = []
        self.states: set[str] = set()
        self.named = ""
        self.kind = PageKind.RECEIPT
        self.differs: tuple[Difference, ...] = ()
        self.gate = asyncio.Event()
        self.gate.set()
        self.text = TEXT
        self.says: str | None = None
        self.words: tuple[Evidence, ...] = ()
        """What a question names on the page."""
        self.whole = False
        self.drafted: Drafted | None = None
        """What becomes of drafts."""
        self.stopped = 0
        self.hold_from = 1_000
        """Which task is the first not to get on."""

    async def decode(self, file: File, page: int) -> tuple[Seen, float]:
        self.decoded += 1
        if b"broken" in file.data:
            raise ImageTruncated("it ends early")
        pixels = hashlib.sha256(b"%d %b" % (page, file.data[-4:])).hexdigest()
        return Seen(pixels, 60, 80, page, _pages(file), "image/png"), 1.0

    async def read(self, file: File, page: int) -> tuple[PageText, float]:
        self.read_pages += 1
        self.reads.append(file.data)
        await asyncio.sleep(0)
        return self.text if page == _pages(file) else COVER, 2.0

    async def extract(self, pages: Sequence[tuple[int, PageText]]) -> tuple[Extraction, float]:
        self.extracted.append(list(pages))
        return Extraction(PageKind.RECEIPT, "en"), 3.0

    async def embed(self, file: File, page: int) -> tuple[Features, float]:
        raise NotImplementedError("nothing is recalled here")

    async def differ(self, before: PageText, now: PageText) -> tuple[tuple[Difference, ...], float]:
        return self.differs, 1.0

    async def names(self, text: PageText) -> tuple[Named, float]:
        return Named(self.named, self.kind), 1.0

    async def prepare(self, known: Known) -> None:
        raise NotImplementedError("nothing is recalled here")

    async def judge(
        self,
        known: Known,
        file: File,
        page: int,
        evidence: Sequence[Quad] | None,
        text: PageText | None = None,
    ) -> tuple[Judged, float]:
        raise NotImplementedError("nothing is recalled here")

    async def answer(self, task: Task) -> AsyncGenerator[Step, None]:
        self.tasks.append(task)
        if len(self.tasks) >= self.hold_from:
            self.gate.clear()
        warm = task.page_key in self.states and not task.fresh
        if not warm and task.file is None:
            raise PageStateGone("gone")
        self.states.add(task.page_key)
        yield Prefilled(warm, 100, 0)
        try:
            yield Piece("It is ", (1,))
            await self.gate.wait()
            yield Piece(self.says or f"{len(self.tasks)}.", (2,), Finish.STOP, self.drafted)
            yield Outcome.ANSWERED
            found = Grounded.NO if task.text == COVER else Grounded.YES
            yield Grounding(found, Text("4.20"), (Evidence("4.20", QUAD),), self.words, self.whole)
        except (asyncio.CancelledError, GeneratorExit):
            self.stopped += 1
            raise


def _pages(file: File) -> int:
    return 3 if file.data.startswith(b"three") else 1


class House:
    """An answerer with its parts."""

    def __init__(self, store: Store, directory: Path, engine: Engine | None = None) -> None:
        self.engine = engine or Engine()
        self.database = directory / DATABASE_NAME
        config = Config()
        self.admission = Admission(1, 8, 8)
        self.idle = Idle(self.admission)
        self.store = store
        self.set(config)

    def limit(self, **limits: int) -> None:
        """Sets limits on what is read and asked."""
        self.set(Config(limits=limits))

    def set(self, config: Config) -> None:
        """Begins anew with that configuration, over the same memory and engine."""
        store, breaker = self.store, CacheBreaker()
        decoding = Admission(1, 8, 8)
        identifier = Identifier(store, self.engine, decoding, breaker, config.limits, page_key_of)
        texts = PageTexts(store, self.engine, breaker)
        documents = Documents(identifier, texts, self.admission, config.limits)
        notices = Notices(store, self.engine, breaker)
        self.extractor = Extractor(documents, self.engine, self.admission, notices)
        pages = KnownPages(store, self.engine, breaker, self.idle, always=config.recall.always)
        drafts = Drafts(store, breaker, asked_field)
        self.answerer = Answerer(
            config,
            store,
            self.engine,
            self.admission,
            documents,
            Workbench(store, self.engine, self.admission, breaker, texts, pages, drafts, notices),
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
        return await self.whole(Inquiry(tenant, Source(data, handle), FAR, question, wish=wish))

    async def whole(self, inquiry: Inquiry) -> Answer:
        """The answer, once its pieces are known to add up to it."""
        events = [event async for event in self.answerer.answer(inquiry)]
        answer = events[-1]
        assert isinstance(answer, Answer)
        assert answer.text == "".join(event for event in events if isinstance(event, str))
        return answer

    async def queued(self, count: int) -> None:
        """Waits until so many requests wait for the engine."""
        async with asyncio.timeout(20):
            while self.admission.waiting < count:  # noqa: ASYNC110 - admission tells nobody
                await asyncio.sleep(0.01)

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
    async with house.admission.slot("clinic", FAR):
        named = asyncio.create_task(house.ask(None, "And the date?", handle=known.handle))
        await house.queued(1)
        sent = asyncio.create_task(house.ask(large, "And the date?"))
        await house.queued(2)
    await asyncio.wait([named, sent])
    assert isinstance(named.exception(), HandleUnknown)
    assert sent.result().text


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
    # What was read for the first call stayed at hand, and reached the disk with the second.
    assert house.engine.read_pages == 2
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


async def test_the_page_that_answers_is_named(house: House) -> None:
    """A question about a whole document goes to the page that has its words, and names that page."""
    answer = await house.ask(b"three pages")
    assert (answer.page, answer.pages) == (3, 3)
    assert answer.grounding.grounded is Grounded.YES
    assert {task.page for task in house.engine.tasks} == {3}
    again = await house.ask(b"three pages")
    assert (again.mode, again.page) == (ServeMode.REPLAY, 3)


async def test_every_page_is_asked_until_one_answers(house: House) -> None:
    """Pages that do not hold the answer are passed over, in the order of their likelihood."""
    answer = await house.ask(b"three pages", "Dear customer 1?")
    assert list(dict.fromkeys(task.page for task in house.engine.tasks)) == [1, 2, 3]
    assert answer.page == 3


async def test_no_more_pages_are_asked_than_allowed(house: House) -> None:
    """A question that no page answers costs a bounded number of pages, the likeliest ones."""
    house.limit(search_pages=2)
    answer = await house.ask(b"three pages", "Dear customer 1?")
    assert {task.page for task in house.engine.tasks} == {1, 2}
    assert answer.page == 1


async def test_a_search_ends_in_time_with_what_it_has(house: House) -> None:
    """A page that would answer too late does not cost the answers that are there."""
    await house.extractor.extract(Order("clinic", Source(b"three pages"), FAR, Wish()))
    loop = asyncio.get_running_loop()
    inquiry = Inquiry("clinic", Source(b"three pages"), loop.time() + 4, "Dear customer 1?")
    house.engine.hold_from = 5  # two tries a page: one without the file, one with it
    answer = await house.whole(inquiry)
    assert (answer.page, len(house.engine.tasks)) == (1, 6)
    assert loop.time() < inquiry.deadline
    assert (house.admission.busy, house.admission.waiting) == (0, 0)


async def test_a_named_page_is_the_only_one_asked(house: House) -> None:
    """Who names a page gets that page's answer, grounded or not."""
    inquiry = Inquiry("clinic", Source(b"three pages", "", 1), FAR, "What is the total?")
    events = [event async for event in house.answerer.answer(inquiry)]
    answer = events[-1]
    assert isinstance(answer, Answer)
    assert (answer.page, answer.grounding.grounded) == (1, Grounded.NO)
    assert len(house.engine.tasks) == 1


async def test_a_document_with_too_many_pages_is_refused(house: House) -> None:
    """A whole document beyond the limit is refused with what to do, and one of its pages is not."""
    house.limit(max_pages=2)
    with pytest.raises(DocumentTooLong) as refused:
        await house.ask(b"three pages")
    assert refused.value.field == "page.number"
    assert house.engine.read_pages == 0
    inquiry = Inquiry("clinic", Source(b"three pages", "", 3), FAR, "What is the total?")
    assert [event async for event in house.answerer.answer(inquiry)]


async def test_an_extraction_reads_each_page_once(house: House) -> None:
    """All pages are read for the first extraction and none for the second, which says so."""
    order = Order("clinic", Source(b"three pages"), FAR, Wish())
    cold = await house.extractor.extract(order)
    warm = await house.extractor.extract(order)
    assert (cold.mode, warm.mode) == (ServeMode.COLD, ServeMode.WARM)
    assert house.engine.read_pages == 3
    assert [number for number, _ in house.engine.extracted[1]] == [1, 2, 3]
    assert [page.shown.view.handle for page in warm.pages] == [cold.pages[0].shown.view.handle] * 3


async def test_a_document_is_read_in_one_turn(house: House) -> None:
    """All pages of a document are read before whoever came later, not one a round of the queue."""
    async with house.admission.slot("clinic", FAR):
        order = Order("clinic", Source(b"three pages"), FAR, Wish())
        extracting = asyncio.create_task(house.extractor.extract(order))
        await house.queued(1)
        asking = asyncio.create_task(house.ask(b"a page"))
        await house.queued(2)
    await asyncio.gather(extracting, asking)
    assert house.engine.reads == [b"three pages"] * 3 + [b"a page"]


async def test_an_extraction_of_one_page(house: House) -> None:
    """Who names a page gets what stands on that page alone."""
    order = Order("clinic", Source(b"three pages", "", 3), FAR, Wish())
    extracted = await house.extractor.extract(order)
    assert house.engine.extracted == [[(3, TEXT)]]
    assert [page.number for page in extracted.pages] == [3]


async def test_an_extraction_that_keeps_nothing(house: House) -> None:
    """With no_store nothing is written, and the page is still at hand for the next call about it."""
    order = Order("clinic", Source(b"a page"), FAR, Wish(no_store=True))
    await house.extractor.extract(order)
    await house.extractor.extract(order)
    counts = await house.store.counts()
    assert (counts["captures"], counts["pages"], house.engine.read_pages) == (0, 0, 1)


async def test_what_an_answer_rests_on_is_kept_with_it(house: House) -> None:
    """A replay carries value and evidence of the answer that it repeats."""
    cold = await house.ask()
    replay = await house.ask()
    assert replay.mode is ServeMode.REPLAY
    assert replay.grounding == cold.grounding
    assert cold.grounding.evidence
