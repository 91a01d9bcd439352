"""Environments that hold one OCR engine each: the two bring an OpenCV in the same place."""

from __future__ import annotations

import fcntl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.failure import BenchError
from bench.options import REPOSITORY
from bench.progress import say
from edge_clm.weights import user_cache

_COMMON = ("numpy", "onnxruntime", "pillow", "pydantic", "pyyaml")
REQUIREMENTS = {
    "paddle": (*_COMMON, "paddleocr>=3.7,<3.8"),
    "rapid": (*_COMMON, "rapidocr>=3.10,<3.11"),
}


def make_venv(name: str) -> Path:
    """The interpreter of an environment under the user's cache, made where it is not there yet.

    Raises BenchError where pip cannot.
    """
    place = user_cache() / "bench" / "ocr" / name
    with _alone(place):
        _make(name, place)
    return place / "bin" / "python"


def _make(name: str, place: Path) -> None:
    constraints = REPOSITORY / "constraints.txt"
    wanted = "\n".join([*REQUIREMENTS[name], constraints.read_text(encoding="utf-8")])
    mark = place / ".made"
    if mark.is_file() and mark.read_text(encoding="utf-8") == wanted:
        return
    say(f"making {place}")
    pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    _run([sys.executable, "-m", "venv", "--clear", str(place)])
    _run([*pip, "--constraint", str(constraints), *REQUIREMENTS[name]])
    mark.write_text(wanted, encoding="utf-8")


@contextmanager
def _alone(place: Path) -> Iterator[None]:
    """Holds off whoever makes or asks for the same environment meanwhile."""
    place.mkdir(parents=True, exist_ok=True)
    with place.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _run(command: list[str]) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise BenchError(f"{' '.join(command[1:4])} failed: {said[-1] if said else 'in silence'}")
