"""Vectors of question and answer, for each family."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from safetensors.torch import save_file

from edge_clm.config import Model
from edge_clm.errors import ModelDamaged
from edge_clm.model.generate import Forward
from edge_clm.model.hooks import Hooks
from edge_clm.model.vectors import FILE, Course, Projection, read_projection, write_projection
from edge_clm.model.vlm import QwenModel
from edge_clm.types import Draft, Finish, Piece, Sampling

from .conftest import page_of

Load = Callable[..., QwenModel]

PAGE = page_of("INVOICE 4711", "Net 100.00", "Tax 19.00", "Gross 119.00")
PIXELS = np.random.default_rng(3).integers(0, 255, (180, 120, 3), dtype=np.uint8)
HIDDEN, KEPT = 64, 12


def go_on() -> bool:
    return False


def drawn(rows: int, seed: int = 1) -> torch.Tensor:
    return torch.randn(rows, HIDDEN, generator=torch.Generator().manual_seed(seed))


PROJECTION = Projection(drawn(1)[0], torch.linalg.qr(drawn(HIDDEN, 2)).Q[:KEPT])


@pytest.fixture
def taught(tiny: Callable[[str], Path], family: str, tmp_path: Path) -> QwenModel:
    """A small model with main directions beside its weights."""
    directory = tmp_path / family
    directory.mkdir()
    for file in tiny(family).iterdir():
        (directory / file.name).hardlink_to(file)
    write_projection(directory / FILE, PROJECTION, {})
    model = QwenModel.load(Model(name=str(directory), device="cpu", threads=1))
    model.prefill("p", PIXELS, PAGE, go_on)
    return model


def asked(model: QwenModel, draft: Sequence[int] = ()) -> list[Piece]:
    given = Draft("", tuple(draft)) if draft else None
    return [*model.generate("p", "What is the total?", Sampling(12), go_on, given)]


def ends_after(model: QwenModel, count: int) -> tuple[int, ...]:
    """Has the model's answer end where its token after so many others is first said; returns those before."""
    said = [token for piece in asked(model) for token in piece.tokens]
    at = next(at for at, token in enumerate(said) if at >= count and token not in said[:at])
    model._decoder = replace(model._decoder, eos=frozenset({said[at]}))
    return tuple(said[:at])


def values(piece: Piece) -> NDArray[np.float64]:
    return np.frombuffer(piece.vector, "<f2").astype(np.float64)


def test_the_vector_is_that_of_question_and_answer(taught: QwenModel) -> None:
    """The mean of what stock code says last of each of their tokens, along the directions."""
    answer = ends_after(taught, 4)
    *before, last = asked(taught)
    assert last.finish is Finish.STOP
    assert not any(piece.vector for piece in before)
    ids = [*taught._prompt.question("What is the total?"), *answer]
    hooks = Hooks(taught._model)
    with hooks.listening() as heard:
        Forward(taught._model, taught._states.get("p"), len(ids))(ids)
    assert heard.last is not None
    expected = PROJECTION.axes.half().float() @ (
        heard.last.mean(0) - PROJECTION.mean.half().float()
    )
    assert np.allclose(values(last), expected.numpy(), atol=1e-2)
    assert len(values(last)) == KEPT


def test_a_draft_leaves_the_vector_as_it_is(taught: QwenModel) -> None:
    """A right one, a wrong one, half of one and one that goes on too long: what was refused leaves no trace."""
    answer = ends_after(taught, 4)
    (plain,) = [values(piece) for piece in asked(taught) if piece.finish]
    for draft in (answer, (*answer[:2], 77, 78, 79), answer[:2], (*answer, 90, 91), (99,) * 6):
        (last,) = [piece for piece in asked(taught, draft) if piece.finish]
        assert np.allclose(values(last), plain, atol=1e-2)


def test_an_answer_that_was_cut_has_no_vector(taught: QwenModel) -> None:
    """Nor does any of a model whose directions are not known."""
    assert not any(piece.vector for piece in asked(taught))
    ends_after(taught, 4)
    taught._decoder = replace(taught._decoder, projection=None)
    assert not any(piece.vector for piece in asked(taught))


def test_directions_are_no_part_of_what_is_said(taught: QwenModel, load_tiny: Load) -> None:
    """Who listens hears the same answer as who does not."""
    plain = load_tiny()
    plain.prefill("p", PIXELS, PAGE, go_on)
    assert [piece.tokens for piece in asked(plain)] == [piece.tokens for piece in asked(taught)]


@given(values=st.lists(st.floats(-50, 50, width=16), min_size=4, max_size=4))
def test_what_lies_in_the_directions_is_kept_to_the_last_bit(values: list[float]) -> None:
    """A vector made of axes has their shares."""
    said = torch.tensor([*values, 0.0, 0.0])
    kept = Projection(torch.zeros(6), torch.eye(6)[:4]).of(said)
    assert np.frombuffer(kept, "<f2").tolist() == values


def test_directions_are_read_as_they_were_written(tmp_path: Path) -> None:
    """To half precision; where there are none, none are read."""
    assert read_projection(tmp_path, HIDDEN) is None
    write_projection(tmp_path / FILE, PROJECTION, {"pages": "3"})
    read = read_projection(tmp_path, HIDDEN)
    assert read is not None
    assert torch.equal(read.axes, PROJECTION.axes.half().float())
    assert torch.equal(read.mean, PROJECTION.mean.half().float())


def test_those_of_another_model_and_half_a_file_are_refused(tmp_path: Path) -> None:
    """A model of another width, a file without directions, and one that was cut are damaged."""
    path = tmp_path / FILE
    write_projection(path, PROJECTION, {})
    with pytest.raises(ModelDamaged, match="another model"):
        read_projection(tmp_path, HIDDEN + 1)
    whole = path.read_bytes()
    for part in (whole[: len(whole) // 2], b"", b"{}"):
        path.write_bytes(part)
        with pytest.raises(ModelDamaged, match="cannot be read"):
            read_projection(tmp_path, HIDDEN)
    save_file({"mean": torch.zeros(HIDDEN)}, path)
    with pytest.raises(ModelDamaged, match="cannot be read"):
        read_projection(tmp_path, HIDDEN)


def test_a_course_forgets_what_was_taken_back() -> None:
    """What remains is what would be there had it never come."""
    rows = drawn(9)
    course = Course()
    course.add(rows[:4])
    course.add(rows[4:7])
    course.forget(2)
    course.add(rows[7:])
    kept = torch.cat([rows[:5], rows[7:]])
    assert torch.equal(course.mean, kept.mean(0))
    course.forget(0)
    assert torch.equal(course.mean, kept.mean(0))
    course.forget(len(kept))
    with pytest.raises(ValueError, match="nothing"):
        _ = course.mean
