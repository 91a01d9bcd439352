"""What the pages for administrators say, against the code."""

from __future__ import annotations

import re
from pathlib import Path

from edge_clm.errors import EdgeClmError
from edge_clm.server import daemon
from edge_clm.server.metrics import Metrics

TEXT = (Path(__file__).parent.parent / "docs" / "operations.md").read_text()


def test_every_metric_is_listed() -> None:
    """The list has the metrics that there are, under the names that Prometheus sees, and no others."""
    metrics = Metrics()
    metrics.watch(queue_depth=lambda: 0, engine_restarts=lambda: 0, memory_faults=lambda: 0)
    there = {
        family.name + ("_total" if family.type == "counter" else "")
        for family in metrics.registry.collect()
    }
    assert set(re.findall(r"^\| `(edge_clm_\w+)`", TEXT, re.MULTILINE)) == there


def test_every_exit_code_is_listed() -> None:
    """The list has the codes that the daemon ends with."""
    kinds = [EdgeClmError]
    for kind in kinds:
        kinds += kind.__subclasses__()
    codes = {daemon.EX_OK, daemon.EX_FAULT, *(kind.exit_code for kind in kinds)}
    assert set(map(int, re.findall(r"^\| (\d+) \|", TEXT, re.MULTILINE))) == codes
