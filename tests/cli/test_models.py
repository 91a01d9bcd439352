"""`edge-clm models`: what is there, what is whole, and what is left alone."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from edge_clm.cli.shelf import ensure_room
from edge_clm.errors import PullFailed
from edge_clm.weights import write_manifest
from tests.cli.conftest import Run

KNOWN = ["nano", "PP-OCRv6_small_det", "PP-OCRv6_small_rec", "PP-LCNet_x1_0_doc_ori"]
PULLED = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local/share") / "edge-clm/models"
"""Where 'make models' puts them, looked up before a test gets a home of its own."""


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty directory of models, configured by the environment."""
    path = tmp_path / "models"
    path.mkdir()
    monkeypatch.setenv("EDGE_CLM_MODEL__MODELS", str(path))
    return path


def make(models: Path, name: str, role: str = "vision_language") -> Path:
    """A small model directory with a true manifest; returns its weights' file."""
    directory = models / name
    directory.mkdir()
    weights = directory / "model.safetensors"
    weights.write_bytes(b"weights")
    write_manifest(
        directory,
        name=name,
        role=role,
        source="test:it",
        revision="1",
        licence="MIT",  # type: ignore[arg-type]
    )
    return weights


def states(run: Run) -> dict[str, str]:
    lines = run("models", "list", "--json").output.splitlines()
    return {entry["name"]: entry["state"] for entry in map(json.loads, lines)}


def test_known_models_are_listed_before_they_are_there(run: Run, models: Path) -> None:
    """An empty machine's list names what can be pulled, each as missing, with its licence."""
    assert states(run) == dict.fromkeys(KNOWN, "missing")
    heads, *rows = run("models", "list").output.splitlines()
    assert heads.split() == ["NAME", "ROLE", "STATE", "SIZE", "SOURCE", "LICENCE"]
    assert [row.split()[0] for row in rows] == KNOWN
    assert all(row.split()[-1] == "Apache-2.0" for row in rows)


def test_the_list_tells_present_from_damaged(run: Run, models: Path) -> None:
    """A file of another size than its manifest states, or an unreadable manifest, is damage."""
    make(models, "nano")
    make(models, "mine").write_bytes(b"short")
    make(models, KNOWN[1], "ocr_detect")
    (models / KNOWN[1] / "manifest.json").write_text("{")
    assert states(run) == {
        "nano": "present",
        KNOWN[1]: "damaged",
        KNOWN[2]: "missing",
        KNOWN[3]: "missing",
        "mine": "damaged",
    }


def test_verify_finds_a_changed_byte(run: Run, models: Path) -> None:
    """A file of the right size with another content is found by its hash, and named."""
    make(models, "a")
    make(models, "b").write_bytes(b"weighty")
    assert run("models", "verify", "a").exit_code == 0
    result = run("models", "verify", "a", "b", "c")
    assert result.exit_code == 1
    whole, damaged, missing = result.output.splitlines()
    assert whole == "a: whole"
    assert damaged.startswith("b: MODEL_DAMAGED: ") and "model.safetensors" in damaged
    assert missing.startswith("c: MODEL_MISSING: ") and "models pull" not in missing
    assert all(name in missing for name in [*KNOWN, "ocr"])


def test_verify_without_a_name_checks_what_the_configuration_needs(run: Run, models: Path) -> None:
    """Nothing there means each needed model is reported, and the exit code says so."""
    result = run("models", "verify")
    assert result.exit_code == 1
    assert [line.split(":")[0] for line in result.output.splitlines()] == KNOWN


def test_an_unknown_name_is_refused_before_anything_is_fetched(run: Run, models: Path) -> None:
    """A name that is neither known nor OWNER/NAME is an error that lists the known ones."""
    result = run("models", "pull", "nanoo")
    assert result.exit_code == 1
    assert all(name in result.stderr for name in [*KNOWN, "ocr"])
    assert "models pull" not in result.stderr
    assert list(models.iterdir()) == []


def test_a_whole_model_is_left_alone(run: Run, models: Path) -> None:
    """Pulling what is there and whole writes nothing and says that it is ready."""
    for name in KNOWN[1:]:
        if not (PULLED / name / "manifest.json").is_file():
            pytest.skip(f"{name} is not pulled; 'edge-clm models pull' fetches it")
        shutil.copytree(PULLED / name, models / name)
    before = {path: path.stat().st_ino for path in models.rglob("*")}
    result = run("models", "pull", "ocr")
    assert result.exit_code == 0
    assert result.stderr == "ocr: ocr is there and whole\nocr: ready\n"
    assert {path: path.stat().st_ino for path in models.rglob("*")} == before


def test_too_little_room_is_refused_in_advance(tmp_path: Path) -> None:
    """More bytes than the disk has are refused with the place and both figures; few are not."""
    ensure_room(tmp_path / "not" / "yet", 1)
    with pytest.raises(PullFailed, match=r"MiB free, 1099511627776 MiB are needed"):
        ensure_room(tmp_path, 1 << 60)
