"""Which stored answer is put before the model, over a real memory."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from edge_clm.config import Memory
from edge_clm.memory.store import Store
from edge_clm.policy import Wish
from edge_clm.types import Answer, Draft, Drafted, ServeMode
from tests.test_answer import House

TOTAL = "What is the total?"


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    async with await Store.open(Memory(directory=str(tmp_path)), busy_timeout_ms=50) as store:
        yield House(store, tmp_path)


def last_draft(house: House) -> Draft | None:
    return house.engine.tasks[-1].draft


async def test_an_answer_too_old_to_replay_is_a_draft(house: House) -> None:
    """The model is asked to confirm it: text and tokens as they were said."""
    first = await house.ask(question=TOTAL)
    assert last_draft(house) is None
    await house.ask(question=TOTAL, wish=Wish(max_age_s=1e-9))
    assert last_draft(house) == Draft(first.text, (1, 2))


@pytest.mark.parametrize("question", ["Total?", "What is the amount to pay?", "金额是多少？"])
async def test_the_same_question_in_other_words_has_a_draft(house: House, question: str) -> None:
    """Both surely ask for one field of the page."""
    first = await house.ask(question=TOTAL)
    await house.ask(question=question)
    draft = last_draft(house)
    assert draft is not None
    assert draft.text == first.text


@pytest.mark.parametrize("question", ["What is the date?", "Who sat at table 4?", "Subtotal?"])
async def test_another_question_has_none(house: House, question: str) -> None:
    """What is said of one field is no guess at another."""
    await house.ask(question=TOTAL)
    await house.ask(question=question)
    assert last_draft(house) is None


async def test_who_wants_no_memory_gets_no_draft(house: House) -> None:
    """A fresh answer owes nothing to what was said before."""
    await house.ask(question=TOTAL)
    await house.ask(question=TOTAL, wish=Wish(fresh=True))
    assert last_draft(house) is None


async def test_a_disputed_answer_is_no_draft(house: House) -> None:
    """It was wrong, whatever the model would say of it."""
    first = await house.ask(question=TOTAL)
    await house.answerer.feedback("clinic", first.id, False, "")
    await house.ask(question="Total?")
    assert last_draft(house) is None


async def test_no_draft_comes_from_another_page_or_tenant(house: House) -> None:
    """However alike the questions are."""
    await house.ask(question=TOTAL)
    for data, tenant in ((b"another", "clinic"), (b"a page", "shop")):
        for question in ("And the seller?", TOTAL):
            await house.ask(data, question, tenant=tenant)
            assert last_draft(house) is None


async def test_another_models_answer_is_a_draft_by_its_text(house: House) -> None:
    """Its tokens are not this model's."""
    first = await house.ask(question=TOTAL)
    house.engine.fingerprint = "a newer engine"
    await house.ask(question=TOTAL)
    assert last_draft(house) == Draft(first.text, ())


@pytest.mark.parametrize(
    ("drafted", "mode"),
    [
        (Drafted(2, 0), ServeMode.VERIFIED),
        (Drafted(1, 1), ServeMode.WARM),
        (Drafted(1, 0), ServeMode.WARM),
        (Drafted(0, 0), ServeMode.WARM),
    ],
)
async def test_only_an_answer_that_is_its_draft_is_verified(
    house: House, drafted: Drafted, mode: ServeMode
) -> None:
    """Token for token, no more and no less; what became of the draft is told."""
    await house.ask(question=TOTAL)
    house.engine.drafted = drafted
    answer: Answer = await house.ask(question=TOTAL, wish=Wish(max_age_s=1e-9))
    assert (answer.mode, answer.drafted) == (mode, drafted)


async def test_an_answer_over_a_page_state_made_anew_is_cold(house: House) -> None:
    """It took a pass over the whole page, whatever was drafted."""
    await house.ask(question=TOTAL)
    house.engine.states.clear()
    house.engine.drafted = Drafted(2, 0)
    answer = await house.ask(question=TOTAL, wish=Wish(max_age_s=1e-9))
    assert answer.mode is ServeMode.COLD


async def test_a_confirmed_answer_is_young_again(house: House) -> None:
    """The model has just said it: it may be replayed for who wants no old ones."""
    house.engine.says = "4.20."
    first = await house.ask(question=TOTAL)
    again = await house.ask(question=TOTAL, wish=Wish(max_age_s=1e-9))
    replayed = await house.ask(question=TOTAL, wish=Wish(max_age_s=60))
    assert (again.id, replayed.id) == (first.id, first.id)
    assert replayed.mode is ServeMode.REPLAY
    assert replayed.drafted == Drafted(0, 0)
