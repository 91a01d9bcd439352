"""The loop watch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from edge_clm.model.repetition import LoopWatch


def spelled(token: int) -> bytes:
    """Tokens are characters here."""
    return chr(token).encode()


def said(text: str) -> tuple[str, bool]:
    """What is left of a text when the watch has cut it, and whether it did."""
    watch = LoopWatch(spelled)
    for i, letter in enumerate(text, 1):
        if watch.push(ord(letter)):
            return text[: i - watch.held], True
    return text, False


def test_a_sentence_that_repeats_is_cut_to_one() -> None:
    """Four times the same words on one line is a loop; what stays is the words once."""
    words = " the total is due and"
    assert said("Well," + words * 9) == ("Well," + words, True)


def test_a_token_that_repeats_is_cut() -> None:
    """One letter over and over is a loop."""
    assert said("Yes" + "s" * 60) == ("Yes", True)


def test_equal_rows_are_a_table() -> None:
    """Five equal rows are a table; a hundred are not."""
    row = "1 x Teaspoon 0.00\n"
    assert said(row * 5)[1] is False
    assert said(row * 100) == (row, True)


def test_zeros_are_a_table() -> None:
    """A dozen zero amounts side by side are a table; a hundred are not."""
    assert said("Totals " + "0.00 " * 12)[1] is False
    text, cut = said("Totals " + "0.00 " * 100)
    assert cut
    assert text in ("Totals 0.00 ", "Totals 0.00")


def test_a_number_may_have_zeros() -> None:
    """A long number is not a loop."""
    assert said("IBAN DE00 0000 0000 0000 0000 00, total 1,000,000,000.00")[1] is False


def test_a_sentence_is_not_said_twice_in_a_row() -> None:
    """A whole sentence that comes again at once is cut before it does."""
    sentence = " It was sold by the company to a buyer."
    assert said("Sold:" + sentence * 2) == ("Sold:" + sentence, True)


def test_two_long_rows_alike_are_a_table() -> None:
    """Two equal rows, however long, are honest; three are not."""
    row = "Teaspoon, silver, 12 cm 1.00 2.00\n"
    assert said(row * 2)[1] is False
    assert said(row * 3) == (row, True)


@given(head=st.text("abc ", max_size=20), block=st.text("abcde", min_size=1, max_size=20))
def test_every_loop_ends(head: str, block: str) -> None:
    """Whatever words repeat without end, the watch cuts them, and what was let out stays a prefix."""
    watch = LoopWatch(spelled)
    out = 0
    text = head + block * 60
    for i, letter in enumerate(text, 1):
        fired = watch.push(ord(letter))
        if fired:
            assert i - watch.held >= out
            assert i - watch.held <= len(head) + 2 * len(block)
            return
        out = max(out, i - watch.held)
    raise AssertionError("the loop was not noticed")
