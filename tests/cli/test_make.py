"""The Makefile, the pins and the CI entry: what a fresh machine goes through."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[2]


def make(*words: str) -> subprocess.CompletedProcess[str]:
    # A 'make test' that runs this must not hand its own flags and jobs down.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", "--no-print-directory", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_make_alone_tells_what_can_be_made() -> None:
    """Every target that a developer types is listed with what it does."""
    listed = [line.split()[0] for line in make().stdout.splitlines()]
    assert listed == ["help", "install", "models", "run", "lint", "test", "proto", "clean"]


def test_without_a_new_enough_python_the_error_says_so(tmp_path: Path) -> None:
    """An interpreter that is missing or too old ends the installation in words."""
    old = tmp_path / "python-old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    for python in (str(old), "python-absent"):
        done = make("install", f"PYTHON={python}", f"VENV={tmp_path / 'venv'}")
        assert done.returncode != 0
        assert "needs Python 3.11 or newer" in done.stderr and python in done.stderr
        assert not (tmp_path / "venv").exists()


def test_make_test_checks_everything(tmp_path: Path) -> None:
    """From nothing: environment, pins, format, style, types, models, tests, in that order."""
    planned = make("--dry-run", "test", f"VENV={tmp_path / 'venv'}").stdout
    steps = [
        "-m venv",
        "--constraint constraints.txt --editable '.[paddleocr]'",
        "--editable '.[dev,train,paddleocr]'",
        "ruff format --check .",
        "ruff check .",
        "mypy",
        "edge-clm models pull",
        "-m pytest",
    ]
    places = [planned.index(step) for step in steps]
    assert places == sorted(places)


def test_every_direct_dependency_is_pinned_as_required() -> None:
    """constraints.txt holds plain pins only, and one that satisfies each requirement of the project."""
    lines = (ROOT / "constraints.txt").read_text().split()
    pins = {
        canonicalize_name(name): version for name, version in (line.split("==") for line in lines)
    }
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    for text in [*project["dependencies"], *itertools.chain(*extras)]:
        requirement = Requirement(text)
        pin = pins[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(pin, prereleases=True), text
    assert (pins["torch"], pins["torchvision"]) == ("2.14.1", "0.29.1")


@pytest.mark.parametrize(
    ("body", "passes"),
    [
        ("def test_it(): pass", True),
        ("def test_it(): assert False", False),
        ("import pytest\ndef test_it(): pytest.skip('not here')", False),
        ("", False),
    ],
    ids=["passed", "failed", "skipped", "none"],
)
def test_ci_fails_unless_tests_ran_and_passed(tmp_path: Path, body: str, passes: bool) -> None:
    """Green needs at least one test that ran: failing, skipping all or finding none is red."""
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", tmp_path / ".ci" / "run")
    (tmp_path / "test_it.py").write_text(body)
    (tmp_path / "Makefile").write_text(
        f"test:\n\t{sys.executable} -m pytest -q -p no:cacheprovider $(PYTEST_ARGS)\n"
    )
    environment = os.environ | {"VENV": sys.prefix, "MAKEFLAGS": ""}
    done = subprocess.run(
        [tmp_path / ".ci" / "run"], env=environment, cwd="/", capture_output=True, check=False
    )
    assert (done.returncode == 0) is passes, done.stderr.decode()
