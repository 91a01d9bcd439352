"""Misreadings learnt from lines that were read, and put onto others."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from edge_clm.paper import Line
from edge_clm.train.nano.noise import Noise, learn, noise_of, pairs
from tests.train.nano.sheets import sheets

QUAD = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))
TEXTS = st.text("abcO0 ", max_size=30)


def read(noise: Noise, text: str, seed: int) -> str:
    """The text as the noise has it read; empty where it is lost."""
    return "".join(line.text for line in noise.of([Line(text, QUAD, 1.0)], Random(seed)))


def test_what_is_misread_is_misread_again() -> None:
    """A letter that was read as a digit on every other page is so on about every other one, and no other letter."""
    noise = learn([([("TOTAL", "T0TAL"), ("ROOM", "ROOM")], 0.0)] * 4)
    told = [read(noise, "OXOXOXOX", seed) for seed in range(50)]
    swapped = sum(text.count("0") for text in told) / (4 * 50)
    assert 0.2 < swapped < 0.5
    assert all(text.replace("0", "O") == "OXOXOXOX" for text in told)


def test_pages_are_as_bad_as_those_that_were_read() -> None:
    """Where half of the pages were read without fault, about half are read so again."""
    clean, bad = ([("aaaaaaaaaa", "aaaaaaaaaa")], 0.0), ([("aaaaaaaaaa", "bbbaabbbaa")], 0.0)
    noise = learn([clean, bad] * 5)
    told = [read(noise, "aaaaaaaaaaaaaaaaaaaa", seed) for seed in range(200)]
    assert 60 < sum("b" not in text for text in told) < 140


@given(lines=st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=5), seed=st.integers(0, 99))
def test_noise_holds_for_any_lines(lines: list[tuple[str, str]], seed: int) -> None:
    """Whatever was read, shares are shares, and any text can be misread by them."""
    noise = learn([(lines, 0.1)])
    assert all(0 <= sum(found.values()) <= 3 for found in noise.swaps.values())
    assert len(read(noise, "abcO0", seed)) <= 5 * 4


def test_a_page_read_without_fault_teaches_no_noise(reports: Path, tmp_path: Path) -> None:
    """Lines as they are printed pair with themselves; nothing is misread and nothing lost; it is kept."""
    perfect = sheets(reports, "train", 1)
    for sheet in perfect:
        assert all(printed == said for printed, said in pairs(sheet)), sheet.page.layout
        assert len(pairs(sheet)) > 0.9 * len(sheet.lines)
    noise = noise_of(perfect, tmp_path / "noise.json")
    assert not noise.swaps
    assert noise_of([], tmp_path / "noise.json") == noise


def test_lost_lines_are_counted(reports: Path, tmp_path: Path) -> None:
    """A sheet of which half of the lines were not read loses about half of the lines again."""
    sheet = sheets(reports, "train", 1)[0]
    half = replace(sheet, text=replace(sheet.text, lines=sheet.text.lines[::2]))
    assert 0.3 < noise_of([half], tmp_path / "noise.json").lost < 0.7
