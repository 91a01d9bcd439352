"""The doctor's checks of the machine: what is installed, what it can hold, whether it fits."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
import time
from contextlib import closing
from importlib import metadata
from pathlib import Path

import edge_clm
from edge_clm.cli.catalogue import MIB
from edge_clm.cli.finding import Finding
from edge_clm.config import Config
from edge_clm.weights import MANIFEST, fingerprint, locate, verify

_ROOM = 512 * MIB
_WAL_WORRY = 256 * MIB
_SHOWN = ("torch", "transformers", "onnxruntime", "grpcio")


def packages(config: Config) -> Finding:
    """Whether every package that edge_clm and its OCR engine require is there in the right version."""
    from packaging.requirements import Requirement

    wrong, reader = [], "rapidocr" if config.ocr.engine == "rapidocr" else "paddleocr"
    for text in metadata.requires("edge-clm") or []:
        requirement, extras = Requirement(text), ("", reader)
        marker = requirement.marker
        if marker and not any(marker.evaluate({"extra": extra}) for extra in extras):
            continue
        version = _version(requirement.name)
        if not version or not requirement.specifier.contains(version, prereleases=True):
            wrong.append(f"{requirement} (here: {version or 'missing'})")
    if wrong:
        remedy = f"Install 'edge-clm[{reader}]' again, in an environment of its own."
        return Finding("fail", "packages", "not as required: " + ", ".join(wrong), remedy)
    shown = ", ".join(f"{name} {_version(name)}" for name in (*_SHOWN, reader))
    return Finding("ok", "packages", f"Python {platform.python_version()}, {shown}")


def model(config: Config, name: str) -> Finding:
    """Whether a model that the configuration names is there, with every file as its manifest says."""
    check = f"model {Path(name).name}"
    directory = locate(Path(config.model.models), name)
    if not (directory / MANIFEST).is_file():
        fact = f"{directory} has no manifest, so its files cannot be checked"
        return Finding("warn", check, fact, "Compare the files with their publisher's hashes.")
    manifest = verify(directory)
    size = sum(digest.size for digest in manifest.files.values())
    return Finding("ok", check, f"{size / MIB:.0f} MiB, every hash right, from {manifest.source}")


def model_present(config: Config, name: str) -> Finding:
    """Whether a model is there with files of the right sizes, which takes no time; none is hashed."""
    check = f"model {Path(name).name}"
    directory = locate(Path(config.model.models), name)
    unreadable = [path for path in directory.rglob("*") if not os.access(path, os.R_OK)]
    if unreadable:
        remedy = "Let the daemon's user read it."
        return Finding("fail", check, f"{unreadable[0]} cannot be read", remedy)
    if not (directory / MANIFEST).is_file():
        return Finding("ok", check, f"{directory} is there, without a manifest")
    fingerprint(directory)
    return Finding("ok", check, "every file is there, with its size")


def device(config: Config) -> Finding:
    """Where the model would run."""
    import torch

    wanted = config.model.device
    gpus = torch.cuda.device_count() if torch.cuda.is_available() else 0
    if wanted.startswith("cuda") and int(wanted.partition(":")[2] or 0) >= gpus:
        fact = f"model.device is {wanted}, and torch {torch.__version__} sees {gpus} GPUs"
        return Finding("fail", "device", fact, "Check the driver, or set model.device to 'cpu'.")
    if wanted == "cpu" or not gpus:
        cores = len(os.sched_getaffinity(0))
        return Finding("ok", "device", f"the model runs on the CPU, {cores} cores")
    number = int(wanted.partition(":")[2] or 0)
    free, total = torch.cuda.mem_get_info(number)
    name = torch.cuda.get_device_name(number)
    fact = f"cuda:{number}, {name}, {free // MIB} of {total // MIB} MiB free"
    return Finding("ok", "device", fact)


def memory(config: Config) -> Finding:
    """Whether what is kept can be kept: the directory, and the room on its disk."""
    directory = Path(config.memory.directory)
    standing = next(path for path in (directory, *directory.parents) if path.exists())
    if not standing.is_dir() or not os.access(standing, os.W_OK | os.X_OK):
        remedy = "Give it to the daemon's user, or configure memory.directory."
        return Finding("fail", "memory", f"{standing} cannot be written to", remedy)
    free = shutil.disk_usage(standing).free
    fact = f"{directory}, {free // MIB} MiB free"
    if free < _ROOM:
        return Finding("fail", "memory", fact, "Free space on that disk.", passing=True)
    if free < config.memory.capture_bytes:
        remedy = "Free space on that disk, or lower memory.capture_bytes."
        return Finding("warn", "memory", f"{fact}, less than memory.capture_bytes", remedy)
    return Finding("ok", "memory", fact)


def database(config: Config) -> Finding:
    """Whether the database opens and is sound; it is only read."""
    from edge_clm.memory.store import DATABASE_NAME

    path = Path(config.memory.directory).resolve() / DATABASE_NAME
    if not path.exists():
        return Finding("ok", "database", f"{path} is made at the first start")
    remedy = (
        "Stop the daemon, move the file away with its -wal and -shm, and start again. The memory is"
        " then empty: handles must be sent as files again, and answers are worked out anew."
    )
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True, timeout=5)) as opened:
            sound = opened.execute("PRAGMA quick_check(1)").fetchone()[0]
            captures = opened.execute("SELECT count(*) FROM captures").fetchone()[0]
    except sqlite3.Error as error:
        return Finding("fail", "database", f"{path}: {error}", remedy)
    if sound != "ok":
        return Finding("fail", "database", f"{path} is damaged", remedy)
    return _sized(path, captures)


def tokens(config: Config) -> Finding:
    """Whether devices can prove who they are."""
    from edge_clm.server.auth import Tokens

    if config.server.tokens:
        path = Path(config.server.tokens)
        if not path.exists():
            remedy = "Make one: edge-clm token NAME --config FILE."
            return Finding("fail", "tokens", f"{path} does not exist", remedy)
        Tokens(path)
        return Finding("ok", "tokens", f"{path} is right")
    if not config.server.tcp:
        return Finding("ok", "tokens", "none are needed: only the unix socket is served")
    if config.server.tls_client_ca:
        return Finding("ok", "tokens", "none are needed: callers over TCP show a certificate")
    remedy = "Set server.tokens and make one with 'edge-clm token NAME', or set server.tcp to ''."
    return Finding("warn", "tokens", "no tokens file, so every call over TCP is refused", remedy)


def certificate(config: Config) -> Finding:
    """Whether TCP can be served with TLS, and for how long; raises CertificateUnusable."""
    from edge_clm.server import tls

    if not config.server.tcp or not tls.wanted(config.server):
        return Finding("ok", "certificate", "none is needed: nothing is served with TLS")
    days = tls.read(config.server, time.time()).days_left(time.time())
    fact = f"{config.server.tls_certificate} is right for {days:.0f} days"
    if days < tls.WARN_DAYS:
        return Finding(
            "warn", "certificate", fact, "Renew it; the daemon takes a new file by itself."
        )
    return Finding("ok", "certificate", fact)


def clock() -> Finding:
    """Whether the clock can be right: ages and deadlines are reckoned by it."""
    now, installed = time.time(), Path(edge_clm.__file__).stat().st_mtime
    shown = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(now))
    if now < installed:
        fact = f"it says {shown}, which is before edge_clm was installed"
        return Finding("fail", "clock", fact, "Set the clock; let it be kept by NTP.")
    return Finding("ok", "clock", shown)


def _sized(path: Path, captures: int) -> Finding:
    wal = path.with_name(path.name + "-wal")
    waiting = wal.stat().st_size if wal.exists() else 0
    size = path.stat().st_size / MIB
    fact = f"sound, {captures} captures, {size:.1f} MiB, log {waiting / MIB:.1f} MiB"
    if waiting > _WAL_WORRY:
        remedy = "Restart the daemon; if the log stays, some program holds the database open."
        return Finding("warn", "database", fact, remedy)
    return Finding("ok", "database", fact)


def _version(package: str) -> str:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""
