"""Drafts: that they change what an answer costs, and never what it says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.errors import Cancelled
from edge_clm.model.verify import Proposals, Speech
from edge_clm.model.vlm import QwenModel
from edge_clm.types import Draft, Drafted, Piece, Sampling

from .conftest import page_of

END, ASKED = 0, 30
MOST = 40
INVOICE = page_of("INVOICE 4711", "21 March 2018", "Net 100.00", "Tax 19.00", "Gross 119.00")
QUESTIONS = ("What is the total?", "When?", "Who is the seller?")

answers = st.lists(st.integers(1, 5), max_size=30)


def never() -> bool:
    return False


class Reciter:
    """A model that says its piece, as long as it is asked token by token what comes next."""

    def __init__(self, answer: Sequence[int]) -> None:
        self.answer = [*answer, END]
        self.heard: list[int] = []
        self.passes = 0

    def __call__(self, ids: Sequence[int], keep: int = 1) -> torch.Tensor:
        """After what is not its piece it says anything: the token last heard."""
        self.passes += 1
        self.heard += ids
        rows = []
        for end in range(len(self.heard) - keep + 1, len(self.heard) + 1):
            # The question is the first token heard.
            said = self.heard[1:end]
            own = said == self.answer[: len(said)] and len(said) < len(self.answer)
            rows.append(self.answer[len(said)] if own else self.heard[end - 1])
        return torch.nn.functional.one_hot(torch.tensor(rows), 40).float()

    def forget(self, count: int) -> None:
        """Takes the last tokens back."""
        del self.heard[-count:]


def recite(answer: Sequence[int], draft: Sequence[int]) -> tuple[list[int], Reciter, Proposals]:
    """The tokens said, up to the end mark."""
    model, proposals = Reciter(answer), Proposals(draft)
    speech = Speech(model, lambda row: int(row.argmax()), [ASKED], proposals, MOST, never)
    said: list[int] = []
    while not said or said[-1] != END:
        said.append(speech.next())
    return said[:-1], model, proposals


@given(answers, answers)
def test_no_draft_changes_an_answer(answer: list[int], draft: list[int]) -> None:
    """Whatever is proposed, what is said is what would have been said, in no more passes."""
    said, model, _ = recite(answer, draft)
    assert said == answer
    assert model.passes <= len(answer) + 1
    assert model.heard == [ASKED, *answer][: len(model.heard)]


@given(answers.filter(bool))
def test_a_right_draft_takes_one_pass(answer: list[int]) -> None:
    """The end mark is read behind the last of its tokens."""
    said, model, proposals = recite(answer, answer)
    assert (said, model.passes) == (answer, 1)
    assert proposals.drafted == Drafted(len(answer), 0)


@given(answers.filter(bool), st.data())
def test_a_long_answer_joins_its_draft_again(answer: list[int], data: st.DataObject) -> None:
    """With one token changed, put in or left out, all the rest costs a few passes."""
    long = [*range(1, 6), *answer, 6, 7, 8, *answer]
    at = data.draw(st.integers(0, len(long) - 1))
    stored = data.draw(
        st.sampled_from(
            [
                [*long[:at], 9, *long[at + 1 :]],
                [*long[:at], 9, *long[at:]],
                long[:at] + long[at + 1 :],
            ]
        )
    )
    said, model, _ = recite(long, stored)
    assert said == long
    assert model.passes <= len(long) + 1


def test_a_changed_token_costs_three_passes_more() -> None:
    """One for what stands in its place and one for each of the two tokens that tell where the answer goes on."""
    answer = [*range(1, 17)]
    stored = [*answer[:4], 39, *answer[5:]]
    said, model, proposals = recite(answer, stored)
    assert said == answer
    assert model.passes == 4
    assert proposals.drafted == Drafted(13, 3)


def test_a_draft_that_misfires_is_let_go() -> None:
    """After three proposals in a row of which nothing is accepted the answer is decoded as ever."""
    answer = [1, 2] * 15
    stored = [3, *([1, 2, 4] * 9)]
    said, model, proposals = recite(answer, stored)
    assert said == answer
    assert proposals.drafted == Drafted(0, len(stored))
    assert model.passes == len(answer) + 1


def test_a_draft_longer_than_one_pass_is_confirmed_whole() -> None:
    """The token behind those that go through at once counts as much as they do."""
    answer = [1 + at % 29 for at in range(200)]
    model, proposals = Reciter(answer), Proposals(answer)
    speech = Speech(model, lambda row: int(row.argmax()), [ASKED], proposals, 300, never)
    said = [speech.next() for _ in range(201)]
    assert (said, model.passes) == ([*answer, END], 2)
    assert proposals.drafted == Drafted(200, 0)


class Undecided(Reciter):
    """A model that in a pass over many tokens is all but undecided, and then leans the wrong way."""

    decided = 0
    """Rows of such a pass before the first that it is undecided in."""

    def __call__(self, ids: Sequence[int], keep: int = 1) -> torch.Tensor:
        rows = super().__call__(ids, keep)
        if keep > 1:
            right = rows[self.decided :].argmax(-1, keepdim=True)
            rows[self.decided :] = rows[self.decided :].scatter(-1, (right + 1) % 40, 1.0001)
        return rows


@given(answers.filter(bool), answers)
def test_what_many_tokens_cannot_decide_is_decoded_as_without_a_draft(
    answer: list[int], draft: list[int]
) -> None:
    """The answer is that of one token after another, from its very start."""
    for stored in (draft, answer):
        model, proposals = Undecided(answer), Proposals(stored)
        speech = Speech(model, lambda row: int(row.argmax()), [ASKED], proposals, MOST, never)
        said = [speech.next() for _ in range(len(answer) + 1)]
        assert said == [*answer, END]
        assert model.heard == [ASKED, *answer]


def test_starting_over_is_broken_off_when_nobody_waits() -> None:
    """Before the first pass over what was said, however much that is."""
    answer = [1 + at % 29 for at in range(60)]
    model, stopped = Undecided(answer), [False]
    model.decided = 50
    speech = Speech(
        model,
        lambda row: int(row.argmax()),
        [ASKED],
        Proposals([*answer[:50], 39]),
        300,
        lambda: stopped[0],
    )
    for _ in range(50):
        speech.next()
    stopped[0], before = True, model.passes
    with pytest.raises(Cancelled):
        speech.next()
    assert model.passes == before + 1


def test_nothing_is_told_of_no_draft() -> None:
    """An answer without a draft has accepted and rejected nothing."""
    assert recite([1, 2, 3], [])[2].drafted is None


def tokens_of(pieces: Iterable[Piece]) -> tuple[int, ...]:
    return tuple(token for piece in pieces for token in piece.tokens)


def drafted(
    model: QwenModel, question: str, draft: Sequence[int], most: int = 24
) -> tuple[tuple[int, ...], Drafted | None]:
    pieces = [
        *model.generate("p", question, Sampling(most), lambda: False, Draft("", tuple(draft)))
    ]
    return tokens_of(pieces), pieces[-1].drafted


@pytest.fixture(params=["float32", "bfloat16"])
def asked(load_tiny: Callable[..., QwenModel], request: pytest.FixtureRequest) -> QwenModel:
    """A small model of the family, in either precision, that knows a page."""
    model = load_tiny() if request.param == "float32" else load_tiny(dtype=request.param)
    pixels = np.random.default_rng(3).integers(0, 255, (300, 200, 3), dtype=np.uint8)
    model.prefill("p", pixels, INVOICE, lambda: False)
    return model


def _changed(tokens: Sequence[int], at: int) -> tuple[int, ...]:
    return (*tokens[:at], tokens[at] + 1, *tokens[at + 1 :])


def test_each_family_says_the_same_over_any_draft(asked: QwenModel) -> None:
    """Its own answer, that answer changed, cut, lengthened, and the answer to another question."""
    for question in QUESTIONS:
        plain = tokens_of(asked.generate("p", question, Sampling(24), lambda: False))
        other = tokens_of(asked.generate("p", f"Not: {question}", Sampling(24), lambda: False))
        drafts: list[Sequence[int]] = [plain, other, plain[:5], [*plain, 17, 18]]
        drafts += [_changed(plain, at) for at in (0, len(plain) // 2, len(plain) - 1)]
        for draft in drafts:
            said, _ = drafted(asked, question, draft)
            assert said == plain


@pytest.mark.parametrize("asked", ["float32"], indirect=True)
def test_each_family_confirms_its_own_answer(asked: QwenModel) -> None:
    """Every token is accepted; of an answer changed at one place all before it are.

    In bfloat16 a random model is forever undecided, and confirms nothing.
    """
    plain = tokens_of(asked.generate("p", QUESTIONS[0], Sampling(24), lambda: False))
    assert drafted(asked, QUESTIONS[0], plain)[1] == Drafted(len(plain), 0)
    told = drafted(asked, QUESTIONS[0], _changed(plain, 3))[1]
    assert told is not None
    assert told.accepted >= 3
    assert told.rejected >= 1


def test_a_draft_leaves_the_page_state_as_it_was(asked: QwenModel) -> None:
    """Rejected tokens are taken back from a copy; the page is shared by all."""
    kept = [part.clone() for pair in asked._states.get("p").kv for part in pair]
    drafted(asked, QUESTIONS[0], [5, 6, 7, 8])
    now = [part for pair in asked._states.get("p").kv for part in pair]
    assert all(torch.equal(one, other) for one, other in zip(kept, now, strict=True))


@pytest.mark.parametrize("most", [1, 4])
def test_a_draft_longer_than_the_answer_may_be_is_cut(asked: QwenModel, most: int) -> None:
    """The limit of tokens holds for drafts."""
    plain = tokens_of(asked.generate("p", QUESTIONS[0], Sampling(24), lambda: False))
    assert drafted(asked, QUESTIONS[0], plain, most)[0] == plain[:most]


def test_another_models_answer_is_spelled_anew(asked: QwenModel) -> None:
    """Its tokens mean nothing here; its text is a draft all the same."""
    said: list[Any] = [*asked.generate("p", QUESTIONS[0], Sampling(24), lambda: False)]
    text = "".join(piece.text for piece in said)
    pieces = [*asked.generate("p", QUESTIONS[0], Sampling(24), lambda: False, Draft(text, ()))]
    assert tokens_of(pieces) == tokens_of(said)
    assert pieces[-1].drafted is not None
