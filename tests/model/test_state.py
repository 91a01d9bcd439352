"""Page states under their byte budget."""

from __future__ import annotations

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.errors import PageStateGone
from edge_clm.model.state import PageState, PageStates


def state(tokens: int) -> PageState:
    """A state of 2 layers that takes 64 bytes a token."""
    pair = (torch.arange(tokens * 4.0).view(1, 1, tokens, 4), torch.ones(1, 1, tokens, 4))
    return PageState((pair, pair), tuple(range(tokens)), 0, 0)


@given(puts=st.lists(st.tuples(st.sampled_from("abcdef"), st.integers(1, 30)), max_size=30))
def test_the_budget_is_never_exceeded(puts: list[tuple[str, int]]) -> None:
    """After every put, what is kept is what is accounted for, and within the budget."""
    states = PageStates(1000)
    for key, tokens in puts:
        states.put(key, state(tokens))
        kept = sum(states.get(k).bytes for k in "abcdef" if k in states)
        assert kept == states.bytes <= 1000
        assert len(states.get(key).ids) == tokens


def test_the_least_recently_used_goes_first() -> None:
    """Using a state keeps it."""
    states = PageStates(3 * 64)
    for key in "abc":
        states.put(key, state(1))
    states.get("a")
    states.put("d", state(1))
    assert [key for key in "abcd" if key in states] == ["a", "c", "d"]


def test_a_state_over_budget_serves_its_request_only() -> None:
    """A state larger than the budget can be had until the next is made, and is not kept."""
    states = PageStates(100)
    states.put("big", state(9))
    assert "big" not in states
    assert states.get("big").dropped_lines == 0
    states.put("small", state(1))
    with pytest.raises(PageStateGone):
        states.get("big")


def test_a_request_does_not_touch_the_page() -> None:
    """A request writes to its own copy, in place, and the page's tensors stay as they were."""
    page = state(5)
    before = [part.clone() for pair in page.kv for part in pair]
    cache = page.opened(3)
    new = torch.full((1, 1, 2, 4), 7.0)
    keys, values = cache.update(new, new, 0)
    assert keys.shape[-2] == 7
    assert torch.equal(keys[:, :, :5], page.kv[0][0])
    assert torch.equal(values[:, :, 5:], new)
    assert cache.get_seq_length(0) == 7
    assert cache.get_seq_length(1) == 5
    after = [part for pair in page.kv for part in pair]
    assert all(torch.equal(a, b) for a, b in zip(before, after, strict=True))
