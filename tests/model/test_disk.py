"""Page states on the disk: they come back bit for bit, or not at all."""

from __future__ import annotations

import shutil
from collections import namedtuple
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import torch

from edge_clm.config import Model
from edge_clm.errors import PageStateGone
from edge_clm.model.costs import Costs
from edge_clm.model.disk import DiskStates
from edge_clm.model.state import PageState
from edge_clm.model.vlm import QwenModel
from edge_clm.types import Sampling

from .conftest import page_of

MODEL = "a1" * 32
Usage = namedtuple("Usage", "total used free")


def state(tokens: int, dtype: torch.dtype = torch.float32) -> PageState:
    """A state of 2 layers that takes 64 bytes a token in float32."""
    random = torch.Generator().manual_seed(tokens)
    one, two, three, four = (
        torch.randn(1, 1, tokens, 4, generator=random).to(dtype) for _ in range(4)
    )
    return PageState(((one, two), (three, four)), tuple(range(tokens)), -7, 3)


def kept(directory: Path, budget: int = 1 << 20, **states: PageState) -> DiskStates:
    """A directory with these states on it."""
    disk = DiskStates(directory, budget, MODEL)
    for key, one in states.items():
        disk.keep(key, one)
        disk.settled()
    return disk


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16])
def test_a_state_comes_back_bit_for_bit(tmp_path: Path, dtype: torch.dtype) -> None:
    """After a restart, too: tensors, tokens, and what else is known of the page."""
    before = state(9, dtype)
    for disk in (kept(tmp_path, a=before), DiskStates(tmp_path, 1 << 20, MODEL)):
        assert "a" in disk
        again = disk.get("a")
        assert again is not None
        assert (again.ids, again.delta, again.dropped_lines) == (before.ids, -7, 3)
        for one, other in zip(before.kv, again.kv, strict=True):
            assert all(torch.equal(a, b) for a, b in zip(one, other, strict=True))
    assert DiskStates(tmp_path, 1 << 20, MODEL).get("b") is None


@pytest.mark.parametrize("at", [0, 40, 400, -1])
def test_a_damaged_state_is_no_state(tmp_path: Path, at: int) -> None:
    """One bit anywhere, or an end that is missing: the file is removed, and the state is made anew."""
    disk = kept(tmp_path, a=state(9), b=state(8))
    path = max(tmp_path.iterdir(), key=lambda one: one.stat().st_size)
    data = bytearray(path.read_bytes())
    data[at] ^= 4
    path.write_bytes(bytes(data if at >= 0 else data[:-9]))
    assert disk.get("a") is None
    assert "a" not in disk
    assert not path.exists()
    assert disk.get("b") is not None


def test_another_pages_state_is_none_of_this_page(tmp_path: Path) -> None:
    """However whole the file is that stands in its place."""
    disk = kept(tmp_path, a=state(9), b=state(8))
    here, there = (tmp_path / disk._name(key) for key in "ab")
    here.write_bytes(there.read_bytes())
    assert disk.get("a") is None
    assert disk.get("b") is not None


def test_a_state_that_was_made_anew_is_written_anew(tmp_path: Path) -> None:
    """What lay there is of before."""
    disk = kept(tmp_path, a=state(9))
    disk.forget("a")
    assert not list(tmp_path.iterdir())
    disk.keep("a", state(5))
    disk.settled()
    found = disk.get("a")
    assert found is not None
    assert len(found.ids) == 5


def test_a_directory_that_cannot_be_used_costs_the_states(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Not the daemon; and what is no file in it is left alone."""
    (tmp_path / "file").write_bytes(b"")
    disk = kept(tmp_path / "file", a=state(3))
    assert "a" not in disk
    assert len(caplog.records) == 1
    (tmp_path / "states" / "lost+found").mkdir(parents=True)
    assert "a" in kept(tmp_path / "states", a=state(3))


def test_what_a_killed_process_left_is_swept(tmp_path: Path) -> None:
    """Half a file, and the states of another model, go at the start."""
    kept(tmp_path, a=state(3))
    (tmp_path / f"{MODEL[:16]}-half.state.part").write_bytes(b"half")
    DiskStates(tmp_path, 1 << 20, MODEL)
    assert len(list(tmp_path.iterdir())) == 1
    assert "a" not in DiskStates(tmp_path, 1 << 20, "b2" * 32)
    assert not list(tmp_path.iterdir())


def test_the_budget_is_never_exceeded(tmp_path: Path) -> None:
    """The least recently used goes first, across a restart as well; one larger than all of it is not kept."""
    size = kept(tmp_path / "one", a=state(9)).size
    disk = kept(tmp_path / "all", 3 * size, a=state(9), b=state(9), c=state(9))
    disk.get("a")
    disk.keep("d", state(9))
    disk.settled()
    assert [key for key in "abcd" if key in disk] == ["a", "c", "d"]
    assert disk.size == 3 * size == sum(one.stat().st_size for one in (tmp_path / "all").iterdir())
    again = DiskStates(tmp_path / "all", 2 * size, MODEL)
    assert again.size == 2 * size
    assert "c" not in again
    again.keep("huge", state(999))
    again.settled()
    assert "huge" not in again
    assert again.size == 2 * size


def test_states_are_their_owners_alone(tmp_path: Path) -> None:
    """A page state is the page."""
    kept(tmp_path / "states", a=state(3))
    assert (tmp_path / "states").stat().st_mode & 0o077 == 0
    assert all(one.stat().st_mode & 0o077 == 0 for one in (tmp_path / "states").iterdir())


def test_a_full_disk_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Captures and answers need the room; it is said once, and not tried again at once."""
    monkeypatch.setattr(shutil, "disk_usage", lambda path: Usage(1 << 40, 1 << 40, 1 << 20))
    disk = kept(tmp_path, a=state(3), b=state(3))
    assert not list(tmp_path.iterdir())
    assert disk.get("a") is None
    assert len(caplog.records) == 1


def test_no_budget_keeps_nothing(tmp_path: Path) -> None:
    """And makes no directory."""
    disk = kept(tmp_path / "states", 0, a=state(3))
    assert "a" not in disk
    assert not (tmp_path / "states").exists()


def test_fetching_is_done_until_it_is_found_slower() -> None:
    """Then the state is made, for a while."""
    costs = Costs()
    costs.restored(1.0, 10)
    assert costs.restoring_is_worth_it
    costs.made(2.0, 10)
    assert costs.restoring_is_worth_it
    for _ in range(9):
        costs.restored(9.0, 10)
    assert not costs.restoring_is_worth_it
    for _ in range(99):
        costs.made(2.0, 10)
    assert costs.restoring_is_worth_it


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_an_answer_over_a_fetched_state_is_the_same(
    tiny: Callable[[str], Path], family: str, dtype: str, tmp_path: Path
) -> None:
    """Token for token, in each family; and a state whose file was damaged is gone, not wrong."""
    config = Model(name=str(tiny(family)), device="cpu", threads=1, dtype=dtype)

    def model(fingerprint: str = MODEL) -> QwenModel:
        made = QwenModel.load(config)
        made.keep_on(DiskStates(tmp_path, 1 << 30, fingerprint))
        return made

    first = model()
    pixels = np.random.default_rng(0).integers(0, 255, (300, 200, 3), dtype=np.uint8)
    first.prefill("p", pixels, page_of("INVOICE 4711", "Gross 119.00"), lambda: False)

    def ask(model: QwenModel) -> list[int]:
        pieces = model.generate("p", "What is the total?", Sampling(12), lambda: False)
        return [token for piece in pieces for token in piece.tokens]

    said = ask(first)
    first.keep("p")
    assert first._disk is not None
    first._disk.settled()
    second = model()
    assert second.has_state("p")
    found = second.prefilled("p")
    assert found.warm
    assert found.restore_ms > 0
    assert ask(second) == said
    [path] = tmp_path.iterdir()
    data = path.read_bytes()
    third = model()
    path.write_bytes(b"damaged")
    with pytest.raises(PageStateGone):
        third.prefilled("p")
    assert not third.has_state("p")
    # Read by another OCR, the page is another text.
    path.write_bytes(data)
    assert not model("b2" * 32).has_state("p")
