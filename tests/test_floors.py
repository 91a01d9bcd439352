"""The house's floors: what may import what."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import edge_clm

HOUSE = Path(edge_clm.__file__).parent
GROUND = {
    "types",
    "ports",
    "paper",
    "features",
    "heap",
    "errors",
    "config",
    "weights",
    "wheels",
    "worker",
    "values",
    "v1",
}
WINGS = {"media", "page", "question", "model", "memory"}
ANSWERING = {
    *(
        "ground",
        "context",
        "occurrences",
        "truth",
        "negation",
        "policy",
        "breaker",
        "admission",
        "flight",
        "trace",
    ),
    *(
        "identify",
        "inquiry",
        "making",
        "drafts",
        "notices",
        "link",
        "engine",
        "pagetext",
        "document",
        "search",
        "extractor",
    ),
    "economy",
    "idle",
    "knownpages",
    "rephotograph",
    "workbench",
    "answer",
}
FLOORS = [
    GROUND,
    WINGS,
    ANSWERING,
    {"build", "workshop", "respondent", "pointing", "pictures", "compared", "comparing", "shelf"},
    {"server"},
    {"channel", "client"},
    {"cli"},
    {"train"},
]
DOORS = {"__init__", "__main__"}


def rooms() -> list[str]:
    """Every module and package directly under edge_clm."""
    names = {p.stem for p in HOUSE.glob("*.py")} | {
        p.parent.name for p in HOUSE.glob("*/__init__.py")
    }
    return sorted(names - DOORS)


def imported_by(room: str) -> set[str]:
    """Which other rooms a room imports, anywhere in its files."""
    files = (
        [HOUSE / f"{room}.py"] if (HOUSE / f"{room}.py").exists() else (HOUSE / room).rglob("*.py")
    )
    found: set[str] = set()
    for file in files:
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
                whole = [f"{node.module}.{alias.name}" for alias in node.names]
            elif isinstance(node, ast.Import):
                whole = [alias.name for alias in node.names]
            else:
                continue
            found |= {name.split(".")[1] for name in whole if name.startswith("edge_clm.")}
    return (found & set(rooms())) - {room}


def floor_of(room: str) -> int:
    return next(i for i, floor in enumerate(FLOORS) if room in floor)


@pytest.mark.parametrize("room", rooms())
def test_floor(room: str) -> None:
    """No room imports from a floor above it, and no wing knows another."""
    mine = floor_of(room)
    for other in imported_by(room):
        assert floor_of(other) <= mine, f"{room} imports {other} from above"
        assert not (room in WINGS and other in WINGS), f"the wings {room} and {other} meet"


def test_answering_knows_no_wing() -> None:
    """The answering floor meets the wings only through the ports in types."""
    for room in ANSWERING & set(rooms()):
        assert not imported_by(room) & WINGS, room


def test_nothing_needs_training() -> None:
    """What trains may know every room, and none knows it."""
    for room in set(rooms()) - {"train"}:
        assert "train" not in imported_by(room), room


def test_relative_imports_are_absent() -> None:
    """Imports are absolute, so that the floors can be read off them."""
    for file in HOUSE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.ImportFrom) and node.level), file
