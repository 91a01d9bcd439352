"""On what and of what a figure was measured."""

from __future__ import annotations

import hashlib
import platform
import subprocess
from pathlib import Path

import psutil

from bench.options import REPOSITORY


def describe() -> str:
    """Processor, cores, memory and system, in one line; no host name."""
    memory = psutil.virtual_memory().total / 2**30
    cores = psutil.cpu_count() or 0
    system = f"{platform.system()} {platform.release()}, Python {platform.python_version()}"
    return f"{_processor()}, {cores} cores, {memory:.0f} GiB, {system}"


def commit() -> str:
    """The commit that was measured, with "+" and a digest of the changes where the tree has any."""
    try:
        head = _git("rev-parse", "HEAD").strip()
        changes = _git("diff", "HEAD") + _git("status", "--porcelain", "--", "edge_clm", "bench")
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    if not changes:
        return head
    return f"{head}+{hashlib.sha256(changes.encode()).hexdigest()[:8]}"


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(REPOSITORY), *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
