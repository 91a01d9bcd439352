"""What `edge-clm serve` ends with where it cannot begin."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize(
    "text", [None, "no toml at all", "[model]\ndevic = 3\n", "[server]\ngrace_s = -1\n"]
)
def test_a_configuration_that_cannot_be_read_is_not_worth_a_restart(
    tmp_path: Path, text: str | None
) -> None:
    """78 for a file that is missing, no TOML or wrong, as for every other fault of the configuration."""
    path = tmp_path / "config.toml"
    if text is not None:
        path.write_text(text)
    command = [sys.executable, "-m", "edge_clm", "serve", "--config", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 78
    assert "CONFIG_INVALID" in done.stderr and "remedy: " in done.stderr
    assert "Traceback" not in done.stderr
