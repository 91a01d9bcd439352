"""The thresholds as they are kept."""

from __future__ import annotations

from pathlib import Path

import pytest

from edge_clm.errors import ModelDamaged, ModelMissing
from edge_clm.page.thresholds import FILE, load_thresholds
from edge_clm.weights import shipped


def test_those_that_come_with_the_package_can_be_read() -> None:
    """A string must be likelier than its rivals, and a conflict is something else than unread."""
    found = load_thresholds(shipped("identity"))
    assert found.naming > 0
    assert found.evidence > 0
    assert found.conflict < 0
    assert 0 < found.words < 1


def test_none_are_missing(tmp_path: Path) -> None:
    """Without the file nothing is compared by guessed thresholds."""
    with pytest.raises(ModelMissing):
        load_thresholds(tmp_path)


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"thresholds": {"matches": 4}}', '{"thresholds": null}']
)
def test_what_is_no_such_file_is_damaged(tmp_path: Path, text: str) -> None:
    """Neither half a file nor another one is taken."""
    (tmp_path / FILE).write_text(text)
    with pytest.raises(ModelDamaged):
        load_thresholds(tmp_path)
