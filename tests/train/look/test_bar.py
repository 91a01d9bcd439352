"""Dark bars behind print."""

from __future__ import annotations

import numpy as np

from edge_clm.train.look.bar import Bar


def test_print_on_a_bar_is_light_and_paper_dark() -> None:
    """Within the bar ink and paper change places, and outside it nothing changes."""
    paper = np.full((20, 40, 3), 255, np.float32)
    paper[8:12] = 0
    y, x = np.indices((20, 40), np.float32)
    found = Bar((10.0, 2.0, 30.0, 18.0), (60.0, 20.0, 30.0)).behind(paper, x, y)
    assert (found[5, 20] == (60, 20, 30)).all()
    assert (found[10, 20] == 250).all()
    assert (found[:, :9] == paper[:, :9]).all()
    assert (found[:2] == paper[:2]).all()
