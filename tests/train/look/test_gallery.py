"""Pages that are photographed twice and laid flat."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np

from edge_clm.train.look.gallery import photograph, plates
from edge_clm.train.nano.pool import Recipe


def test_a_page_is_photographed_twice_and_only_once(reports: Path, tmp_path: Path) -> None:
    """Both captures laid flat show the sheet's print where it is, and what is there is left."""
    recipe = Recipe(1, "train", reports)
    assert len(list(photograph(recipe, 1, tmp_path))) == 1
    assert list(photograph(recipe, 1, tmp_path)) == []
    (shown,) = plates(tmp_path)
    assert shown.lines
    assert shown.words
    sheet, *captures = (_edges(look) for look in shown.looks)
    for one in captures:
        assert one.shape == sheet.shape
        assert np.corrcoef(one.ravel(), sheet.ravel())[0, 1] > 0.3


def _edges(pixels: np.ndarray) -> np.ndarray:
    grey = cv2.cvtColor(pixels, cv2.COLOR_RGB2GRAY).astype(np.float32)
    return cv2.GaussianBlur(cv2.absdiff(grey, cv2.GaussianBlur(grey, (0, 0), 3)), (0, 0), 2)
