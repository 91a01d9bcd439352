"""Pictures within their limits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from edge_clm.model.picture import Pictures
from edge_clm.model.quiet import transformers


@pytest.fixture(scope="module")
def processor(models: Path) -> Any:
    return transformers().AutoImageProcessor.from_pretrained(models / "nano", local_files_only=True)


@settings(max_examples=60, deadline=None)
@given(height=st.integers(1, 900), width=st.integers(1, 900), limit=st.sampled_from([0, 1, 9000]))
def test_any_shape_fits(processor: Any, height: int, width: int, limit: int) -> None:
    """Every shape makes a picture of no more tokens than its limit allows."""
    pictures = Pictures(processor, limit, 1000)
    picture = pictures.make(np.zeros((height, width, 3), np.uint8))
    assert 1 <= picture.tokens <= pictures.max_pixels // 28**2
    assert picture.pixel_values.shape[0] == 4 * picture.tokens == int(picture.grid.prod())


def test_default_suits_the_model(processor: Any) -> None:
    """Without a configured size, the model's own limit holds, but no picture takes half a page state."""
    assert Pictures(processor, 0, 3072).max_pixels == 256 * 28**2
    assert Pictures(processor, 0, 256).max_pixels == 128 * 28**2
    assert Pictures(processor, 100 * 28**2, 3072).max_pixels == 100 * 28**2


def test_padding_is_white_and_outside(processor: Any) -> None:
    """A page too narrow keeps its pixels at the top left; what is added is white."""
    pictures = Pictures(processor, 0, 3072)
    padded = pictures._padded(np.zeros((2, 1900, 3), np.uint8))
    assert padded.shape == (10, 1900, 3)
    assert not padded[:2].any()
    assert (padded[2:] == 255).all()


def test_pixels_that_cannot_be_written_to(processor: Any) -> None:
    """Pixels shared read-only are taken, and left as they were."""
    pixels = np.zeros((60, 60, 3), np.uint8)
    pixels.flags.writeable = False
    assert Pictures(processor, 0, 3072).make(pixels).tokens == 4
