"""What a capture is recalled by, as bytes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.features import Points
from tests.memory.samples import points


@given(st.integers(0, 10_000), st.integers(0, 50))
def test_points_come_back_as_they_were(seed: int, count: int) -> None:
    """Twenty bytes each."""
    before = points(seed, count)
    data = before.encoded()
    after = Points.decoded(data)
    assert len(data) == 20 * count
    assert np.array_equal(after.codes, before.codes)
    assert np.array_equal(after.places, before.places)


def test_bytes_that_are_no_points_are_refused() -> None:
    """A row that was cut short is none."""
    with pytest.raises(ValueError, match="reshape"):
        Points.decoded(points(1).encoded()[:-1])
