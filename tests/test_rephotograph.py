"""Answers about new photographs of known pages, over a real memory and an engine that does as it is told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from edge_clm.config import Config, Memory
from edge_clm.errors import EngineLost, ImageTooManyPixels, InternalFault, MemoryExhausted
from edge_clm.features import Features, Points
from edge_clm.inquiry import Inquiry, Source
from edge_clm.memory.store import Store
from edge_clm.paper import Evidence, PageText, Quad
from edge_clm.policy import Wish
from edge_clm.types import (
    Answer,
    Draft,
    Drafted,
    Embedder,
    File,
    Judged,
    Known,
    ServeMode,
    Verdict,
)
from tests.memory.samples import features
from tests.test_answer import FAR, QUAD, TEXT, Engine, House

HERE: Quad = ((5, 5), (14, 5), (14, 14), (5, 14))
"""Where the evidence is found on a new photograph."""
SAME = (Verdict.SAME, Verdict.SAME)


class Sighted(Engine):
    """All captures look alike; verdicts are taken from a list, the last one for ever."""

    embedder = Embedder("eye", 0.5)

    def __init__(self) -> None:
        super().__init__()
        self.verdicts = [Verdict.SAME]
        self.named = "number\n738410"
        self.asked: list[tuple[bytes, bytes, tuple[Quad, ...]]] = []
        """Known file, new file, evidence; of captures that have not been read."""
        self.merged: list[tuple[bytes, bytes]] = []
        """Known file and new file, which has been read and bears the same names."""
        self.merge = Verdict.DIFFERENT
        self.prepared: list[bytes] = []
        """Files of pages that were made ready to be compared with."""
        self.compare_ms = 0.1
        self.fault: Exception | None = None
        """What comparing fails with."""
        self.says = "4.20."
        self.seen: dict[bytes, Features] = {}
        """What captures look like, where it is not like all others."""

    async def embed(self, file: File, page: int) -> tuple[Features, float]:
        return self.seen.get(file.data, features(1, 0)), 1.0

    async def prepare(self, known: Known) -> None:
        self.prepared.append(known.file.data)

    async def judge(
        self,
        known: Known,
        file: File,
        page: int,
        evidence: Sequence[Quad] | None,
        text: PageText | None = None,
    ) -> tuple[Judged, float]:
        if self.fault:
            raise self.fault
        if evidence is None:
            assert text is not None
            self.merged.append((known.file.data, file.data))
            return Judged(self.merge), 1.0
        self.asked.append((known.file.data, file.data, tuple(evidence)))
        verdict = self.verdicts.pop(0) if len(self.verdicts) > 1 else self.verdicts[0]
        if verdict is not Verdict.SAME:
            return Judged(verdict, ("for a reason",)), self.compare_ms
        return Judged(verdict, (), (HERE,) * len(evidence), 90, 80, 60), self.compare_ms


class Shop(House):
    """A house whose engine knows pages again, and has idle moments after each answer."""

    engine: Sighted

    async def whole(self, inquiry: Inquiry) -> Answer:
        answer = await super().whole(inquiry)
        await self.idle.settled()
        return answer


@pytest.fixture
async def shop(tmp_path: Path) -> AsyncIterator[Shop]:
    config = Memory(directory=str(tmp_path), capture_bytes=1000)
    async with await Store.open(config, busy_timeout_ms=50) as store:
        yield Shop(store, tmp_path, Sighted())


async def test_a_second_photograph_of_a_page_is_not_read(shop: Shop) -> None:
    """Proven to show the known page, it is answered over that page's state, with evidence where it lies here."""
    cold = await shop.ask(b"photograph 1")
    warm = await shop.ask(b"photograph 2")
    assert (cold.mode, warm.mode) == (ServeMode.COLD, ServeMode.WARM)
    assert shop.engine.read_pages == 1
    assert shop.engine.tasks[1].page_key == shop.engine.tasks[0].page_key
    assert warm.handle != cold.handle
    assert [one.quad for one in warm.grounding.evidence] == [HERE]
    assert (warm.turn, warm.width, warm.height) == (90, 80, 60)
    assert {stage.name for stage in warm.stages} >= {"identify.recall", "identify.prove"}


async def test_what_was_expected_is_proven_before_the_model_is_asked(shop: Shop) -> None:
    """The known answer's evidence first, then that of the answer itself."""
    await shop.ask(b"photograph 1")
    await shop.ask(b"photograph 2")
    assert shop.engine.asked == [(b"photograph 1", b"photograph 2", (QUAD,))] * 2


async def test_another_question_is_proven_by_its_own_evidence(shop: Shop) -> None:
    """Nothing is known to rest on anything yet: the page first, then what the answer rests on."""
    await shop.ask(b"photograph 1")
    warm = await shop.ask(b"photograph 2", "And the date?")
    assert warm.mode is ServeMode.WARM
    assert [evidence for _, _, evidence in shop.engine.asked] == [(), (QUAD,)]


async def test_what_a_question_names_is_proven_as_well(shop: Shop) -> None:
    """The price of the tea is no longer that of the tea where the tea is called otherwise."""
    there: Quad = ((0, 20), (9, 20), (9, 29), (0, 29))
    shop.engine.words = (Evidence("tea", there),)
    await shop.ask(b"photograph 1", "the price of the tea?")
    warm = await shop.ask(b"photograph 2", "the price of the tea?")
    assert warm.mode is ServeMode.WARM
    assert [evidence for _, _, evidence in shop.engine.asked] == [(QUAD, there)] * 2
    assert warm.grounding.evidence == (Evidence("4.20", HERE),)
    assert warm.grounding.named == (Evidence("tea", HERE),)


async def test_what_may_rest_on_more_is_never_given_for_another_photograph(shop: Shop) -> None:
    """The third item is another where a line was added before it."""
    shop.engine.whole = True
    await shop.ask(b"photograph 1", "the third item?")
    assert (await shop.ask(b"photograph 2", "the third item?")).mode is ServeMode.COLD
    assert shop.engine.read_pages == 2


async def test_a_proven_answer_is_replayed_for_its_capture(shop: Shop) -> None:
    """The same question about the same handle costs nothing more, and says the same."""
    await shop.ask(b"photograph 1")
    warm = await shop.ask(b"photograph 2")
    again = await shop.ask(None, handle=warm.handle)
    assert again.mode is ServeMode.REPLAY
    assert (again.id, again.text, again.grounding) == (warm.id, warm.text, warm.grounding)
    assert (again.turn, again.width, again.height) == (90, 80, 60)
    assert len(shop.engine.asked) == 2


async def test_a_capture_once_proven_is_compared_with_that_page_again(shop: Shop) -> None:
    """Another question about it needs no recall, but a proof of its own."""
    await shop.ask(b"photograph 1")
    warm = await shop.ask(b"photograph 2")
    other = await shop.ask(None, "And the date?", handle=warm.handle)
    assert other.mode is ServeMode.WARM
    assert "identify.recall" not in {stage.name for stage in other.stages}
    assert len(shop.engine.asked) == 4


@pytest.mark.parametrize(
    "verdicts",
    [[Verdict.DIFFERENT], [Verdict.UNSURE], [Verdict.SAME, Verdict.UNSURE]],
)
async def test_what_is_not_proven_is_read_anew(shop: Shop, verdicts: list[Verdict]) -> None:
    """Where page or evidence is anything but the same, the fresh pixels decide, and nothing was given before."""
    await shop.ask(b"photograph 1")
    shop.engine.verdicts = list(verdicts)
    cold = await shop.ask(b"photograph 2")
    assert cold.mode is ServeMode.COLD
    assert shop.engine.read_pages == 2
    assert [one.quad for one in cold.grounding.evidence] == [QUAD]
    assert shop.engine.tasks[-1].page_key != shop.engine.tasks[0].page_key


async def test_an_ungrounded_answer_is_never_given_for_another_photograph(shop: Shop) -> None:
    """It rests on no place that could be proven."""
    three = [b"three pages 1", b"three pages 2"]
    for data in three:
        inquiry = Inquiry("clinic", Source(data, number=1), FAR, "What is the total?")
        assert (await shop.whole(inquiry)).mode is ServeMode.COLD
    assert shop.engine.read_pages == 2


@pytest.mark.parametrize("wish", [Wish(fresh=True), Wish(no_store=True)])
async def test_who_wants_no_memory_is_compared_with_nothing(shop: Shop, wish: Wish) -> None:
    """A fresh answer and one that may not be kept come from their own pixels."""
    await shop.ask(b"photograph 1")
    cold = await shop.ask(b"photograph 2", wish=wish)
    assert cold.mode is ServeMode.COLD
    assert shop.engine.asked == []


async def test_a_description_and_a_sampled_answer_are_never_given_again(shop: Shop) -> None:
    """The one rests on the whole page, the other on chance."""
    await shop.ask(b"photograph 1")
    described = Inquiry("clinic", Source(b"photograph 2"), FAR, describe=True)
    sampled = Inquiry("clinic", Source(b"photograph 3"), FAR, "The total?", temperature=0.5)
    for inquiry in (described, sampled):
        assert (await shop.whole(inquiry)).mode is ServeMode.COLD
    assert shop.engine.asked == []


async def test_a_wrong_answer_is_wrong_for_every_photograph(shop: Shop) -> None:
    """Reported by one device, it is neither replayed nor told again for another photograph."""
    shop.engine.merge = Verdict.SAME
    await shop.ask(b"photograph 1")
    warm = await shop.ask(b"photograph 2")
    await shop.answerer.feedback("clinic", warm.id, False, "")
    for data in (b"photograph 2", b"photograph 3"):
        again = await shop.ask(data)
        assert again.mode is ServeMode.COLD
        assert again.id != warm.id


async def test_a_wrong_answer_stays_wrong_when_another_capture_stands_for_the_page(
    shop: Shop,
) -> None:
    """What was said of one photograph is not told of another because a third took its place."""
    shop.engine.text = replace(TEXT, lines=(replace(TEXT.lines[0], confidence=0.5),))
    cold = await shop.ask(b"photograph 1")
    await shop.answerer.feedback("clinic", cold.id, False, "")
    shop.engine.text = TEXT
    shop.engine.verdicts, shop.engine.merge = [Verdict.UNSURE], Verdict.SAME
    await shop.ask(b"photograph 2")
    shop.engine.verdicts = [Verdict.SAME]
    assert (await shop.ask(b"photograph 3")).mode is ServeMode.COLD


async def test_an_answer_reported_later_is_replayed_for_no_photograph(shop: Shop) -> None:
    """Reported for a photograph that was read, it is barred for those that it was proven for before."""
    await shop.ask(b"photograph 1")
    warm = await shop.ask(b"photograph 2")
    shop.engine.verdicts, shop.engine.merge = [Verdict.UNSURE], Verdict.SAME
    cold = await shop.ask(b"photograph 3")
    assert (warm.mode, cold.mode, warm.text) == (ServeMode.WARM, ServeMode.COLD, cold.text)
    await shop.answerer.feedback("clinic", cold.id, False, "")
    shop.engine.verdicts = [Verdict.SAME]
    assert (await shop.ask(None, handle=warm.handle)).mode is ServeMode.COLD


@pytest.mark.parametrize("says", ["4.20, paid by Visa.", "4.20. The buyer is Ann."])
async def test_what_an_answer_says_beside_its_evidence_is_not_given_again(
    shop: Shop, says: str
) -> None:
    """Only the words in the boxes are proven; those of another sheet may be others."""
    await shop.ask(b"photograph 1")
    shop.engine.says = says
    assert (await shop.ask(b"photograph 2", "How much is it?")).mode is ServeMode.COLD
    shop.engine.says = "It is 4.20."
    assert (await shop.ask(b"photograph 3", "How much is it?")).mode is ServeMode.WARM


async def test_nothing_is_learnt_against_the_callers_wish(shop: Shop) -> None:
    """Not even where an earlier question about the same photograph was answered without reading it."""
    await shop.ask(b"photograph 1")
    warm = await shop.ask(b"photograph 2")
    await shop.ask(None, "And the date?", handle=warm.handle, wish=Wish(no_store=True))
    assert (await shop.store.counts())["anchors"] == 1


@pytest.mark.parametrize("fault", [InternalFault("a fault"), MemoryExhausted("too much")])
async def test_a_fault_of_the_short_way_leaves_the_long_one(shop: Shop, fault: Exception) -> None:
    """The photograph itself is good: it is read, as if nothing were known."""
    await shop.ask(b"photograph 1")
    shop.engine.fault = fault
    assert (await shop.ask(b"photograph 2")).mode is ServeMode.COLD
    assert (await shop.store.counts())["anchors"] >= 1


async def test_a_known_page_that_can_no_longer_be_unpacked_is_forgotten(shop: Shop) -> None:
    """Limits may have changed since; the next photograph stands for the page."""
    await shop.ask(b"photograph 1")
    shop.engine.fault = ImageTooManyPixels("too many")
    shop.engine.named = ""
    assert (await shop.ask(b"photograph 2")).mode is ServeMode.COLD
    assert (await shop.store.counts())["anchors"] == 0


async def test_an_engine_that_is_lost_is_told(shop: Shop) -> None:
    """Reading the photograph would fail as well."""
    await shop.ask(b"photograph 1")
    shop.engine.fault = EngineLost("gone")
    with pytest.raises(EngineLost):
        await shop.ask(b"photograph 2")


async def test_another_tenants_page_is_unknown(shop: Shop) -> None:
    """However alike the pictures are."""
    await shop.ask(b"photograph 1")
    assert (await shop.ask(b"photograph 2", tenant="shop")).mode is ServeMode.COLD
    assert shop.engine.asked == []


async def test_a_page_that_nothing_names_is_not_made_known(shop: Shop) -> None:
    """No photograph could be proven to show it."""
    shop.engine.named = ""
    await shop.ask(b"photograph 1")
    assert (await shop.ask(b"photograph 2")).mode is ServeMode.COLD
    assert shop.engine.asked == []


async def test_a_capture_that_bears_the_names_of_a_known_page_is_merged(shop: Shop) -> None:
    """Not proven at first, it was read; proven then, it stands for no page of its own."""
    await shop.ask(b"photograph 1")
    shop.engine.verdicts, shop.engine.merge = [Verdict.UNSURE], Verdict.SAME
    assert (await shop.ask(b"photograph 2")).mode is ServeMode.COLD
    assert shop.engine.merged == [(b"photograph 1", b"photograph 2")]
    counts = await shop.store.counts()
    assert (counts["anchors"], counts["adoptions"]) == (1, 1)


async def test_a_better_capture_stands_for_its_page(shop: Shop) -> None:
    """What could be read on it that could not before decides; the former anchor adopts the page."""
    shop.engine.text = replace(TEXT, lines=(replace(TEXT.lines[0], confidence=0.5),))
    await shop.ask(b"photograph 1")
    shop.engine.text = TEXT
    shop.engine.verdicts, shop.engine.merge = [Verdict.UNSURE], Verdict.SAME
    await shop.ask(b"photograph 2")
    shop.engine.verdicts = [Verdict.SAME]
    assert (await shop.ask(b"photograph 3")).mode is ServeMode.WARM
    assert [known for known, _, _ in shop.engine.asked][-1] == b"photograph 2"
    assert (await shop.store.counts())["anchors"] == 1


async def test_a_page_is_made_ready_to_be_compared_with(shop: Shop) -> None:
    """When it is made known, in an idle moment, and again when another capture stands for it; not a merged one."""
    shop.engine.text = replace(TEXT, lines=(replace(TEXT.lines[0], confidence=0.5),))
    await shop.ask(b"photograph 1")
    shop.engine.verdicts, shop.engine.merge = [Verdict.UNSURE], Verdict.SAME
    await shop.ask(b"photograph 2")
    shop.engine.text = TEXT
    await shop.ask(b"photograph 3")
    assert shop.engine.prepared == [b"photograph 1", b"photograph 3"]


async def test_the_model_is_asked_to_confirm_what_it_said_of_the_page(shop: Shop) -> None:
    """Confirmed, the answer about the new photograph is verified; else it is warm."""
    first = await shop.ask(b"photograph 1")
    shop.engine.drafted = Drafted(2, 0)
    verified = await shop.ask(b"photograph 2")
    assert shop.engine.tasks[-1].draft == Draft(first.text, (1, 2))
    assert (verified.mode, verified.drafted) == (ServeMode.VERIFIED, Drafted(2, 0))
    shop.engine.drafted = Drafted(1, 1)
    assert (await shop.ask(b"photograph 3")).mode is ServeMode.WARM


async def test_boxes_of_an_older_reading_are_not_asked_for(shop: Shop) -> None:
    """Another engine's answer is a draft; where its evidence lay says nothing about what is read now."""
    await shop.ask(b"photograph 1")
    shop.engine.fingerprint = "a newer engine"
    assert (await shop.ask(b"photograph 2")).mode is ServeMode.WARM
    assert [evidence for _, _, evidence in shop.engine.asked] == [(), (QUAD,)]
    assert shop.engine.tasks[-1].draft == Draft("It is 4.20.", ())


async def test_siblings_live_side_by_side(shop: Shop) -> None:
    """Two sheets with the same names that differ are two pages, and a photograph goes to the one it shows."""
    await shop.ask(b"photograph 1")
    shop.engine.verdicts = [Verdict.DIFFERENT]
    assert (await shop.ask(b"photograph 2")).mode is ServeMode.COLD
    assert (await shop.store.counts())["anchors"] == 2
    shop.engine.asked.clear()
    shop.engine.verdicts = [Verdict.DIFFERENT, Verdict.SAME]
    assert (await shop.ask(b"photograph 3")).mode is ServeMode.WARM
    assert {known for known, _, _ in shop.engine.asked} == {b"photograph 1", b"photograph 2"}


async def test_photographs_are_not_compared_where_that_costs_more_than_it_saves(shop: Shop) -> None:
    """Comparing takes a second and reading two milliseconds; whoever wants it can have it all the same."""
    shop.engine.compare_ms = 1000.0
    await shop.ask(b"photograph 1")
    assert (await shop.ask(b"photograph 2")).mode is ServeMode.WARM
    assert (await shop.ask(b"photograph 3")).mode is ServeMode.COLD
    shop.set(Config(recall={"always": True}))
    await shop.ask(b"photograph 4")
    assert (await shop.ask(b"photograph 5")).mode is ServeMode.WARM


async def test_no_more_than_two_pages_are_compared_with(shop: Shop) -> None:
    """However many look alike; and of those that never serve, others are tried in their place."""
    shop.engine.verdicts = [Verdict.DIFFERENT]
    for number in range(4):
        assert (await shop.ask(b"photograph %d" % number)).mode is ServeMode.COLD
    shop.engine.asked.clear()
    await shop.ask(b"photograph 9")
    assert len({known for known, _, _ in shop.engine.asked}) == 2


@pytest.mark.parametrize(("shared", "compared"), [(60, 2), (20, 1)])
async def test_what_has_much_less_in_common_than_the_likest_is_not_compared_with(
    shop: Shop, shared: int, compared: int
) -> None:
    """A page with fewer than half of the points of another is left alone."""
    whole = features(1, 0)
    part = Points(whole.points.codes[:shared], whole.points.places[:shared])
    shop.engine.seen[b"photograph 2"] = Features(whole.vector, part)
    shop.engine.verdicts = [Verdict.DIFFERENT]
    for number in (1, 2):
        shop.engine.named = f"number\n{number}"
        await shop.ask(b"photograph %d" % number)
    shop.engine.asked.clear()
    await shop.ask(b"photograph 9")
    assert len({known for known, _, _ in shop.engine.asked}) == compared


async def test_a_page_whose_file_is_gone_gives_way(shop: Shop) -> None:
    """Nothing can be compared with it; the next photograph stands for the page."""
    await shop.ask(b"photograph 1")
    await shop.ask(b"x" * 995 + b"big")
    assert (await shop.ask(b"photograph 2")).mode is ServeMode.COLD
    assert (await shop.ask(b"photograph 3")).mode is ServeMode.WARM
    assert [known for known, _, _ in shop.engine.asked][-1] == b"photograph 2"


async def test_locked_memory_costs_a_new_photograph_a_reading(shop: Shop) -> None:
    """What could not be kept could not be reported as wrong: it is not given either."""
    await shop.ask(b"photograph 1")
    async with shop.locked():
        assert (await shop.ask(b"photograph 2")).mode is ServeMode.COLD
