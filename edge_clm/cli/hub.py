"""Models pulled from a hub: one commit of a repository, every file checked."""

from __future__ import annotations

import fnmatch
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from edge_clm.cli.catalogue import Progress
from edge_clm.errors import PullFailed
from edge_clm.weights import Manifest, sha256_of, staging, write_manifest

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo

PATTERNS = ("*.safetensors", "*.json", "*.txt", "*.jinja")
"""Weights, settings and the chat template; no Python, and no format that unpickles."""


@dataclass(frozen=True, slots=True)
class Remote:
    """One commit of a model's repository on a hub."""

    repository: str
    commit: str
    licence: str
    sizes: dict[str, int]
    """Bytes by file, of the files that are taken."""
    digests: dict[str, str]
    """Hex SHA-256 by file, where the hub tells one."""

    @property
    def name(self) -> str:
        """The directory's name below the directory of models."""
        return self.repository.rpartition("/")[2]

    @property
    def size(self) -> int:
        """Bytes of all files that are taken."""
        return sum(self.sizes.values())


def resolve(reference: str) -> Remote:
    """Looks up 'OWNER/NAME' or 'OWNER/NAME@REVISION'; raises PullFailed."""
    from huggingface_hub import HfApi

    repository, _, revision = reference.partition("@")
    with _hub_errors(reference):
        found = HfApi().model_info(repository, revision=revision or None, files_metadata=True)
    remote = _remote(repository, found)
    if not any(name.endswith(".safetensors") for name in remote.sizes):
        raise PullFailed(f"{reference} holds no safetensors weights")
    return remote


def fetch(remote: Remote, models: Path, progress: Progress) -> Manifest:
    """Downloads a commit into the directory of models and writes its manifest.

    Raises PullFailed where the hub cannot be reached or a file is not what the hub says it is.
    """
    with staging(models, remote.name) as directory:
        _download(remote, directory, progress)
        progress("checking", 1.0)
        _check(remote, directory)
        manifest = write_manifest(
            directory,
            name=remote.name,
            role="vision_language",
            source=f"hub:{remote.repository}",
            revision=remote.commit,
            licence=remote.licence,
        )
    progress("ready", 1.0)
    return manifest


def _remote(repository: str, found: ModelInfo) -> Remote:
    taken = [file for file in found.siblings or [] if _is_wanted(file.rfilename)]
    licences = [tag.partition(":")[2] for tag in found.tags or [] if tag.startswith("license:")]
    return Remote(
        repository=repository,
        commit=found.sha or "",
        licence=licences[0] if licences else "not stated",
        sizes={file.rfilename: file.size or 0 for file in taken},
        digests={file.rfilename: file.lfs.sha256 for file in taken if file.lfs},
    )


def _is_wanted(name: str) -> bool:
    path = PurePosixPath(name)
    inside = not path.is_absolute() and ".." not in path.parts
    return inside and any(fnmatch.fnmatch(name, pattern) for pattern in PATTERNS)


def _download(remote: Remote, directory: Path, progress: Progress) -> None:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.utils import disable_progress_bars  # type: ignore[attr-defined]

    disable_progress_bars()
    done = 0
    with _hub_errors(remote.repository):
        for name, size in remote.sizes.items():
            progress(f"fetching {name} ({size / 1e6:.1f} MB)", done / max(remote.size, 1))
            hf_hub_download(remote.repository, name, revision=remote.commit, local_dir=directory)
            done += size
    shutil.rmtree(directory / ".cache", ignore_errors=True)


def _check(remote: Remote, directory: Path) -> None:
    for name, size in remote.sizes.items():
        path = directory / name
        if not path.is_file() or path.stat().st_size != size:
            raise PullFailed(f"{remote.repository}: {name} did not arrive whole")
        expected = remote.digests.get(name)
        if expected and sha256_of(path) != expected:
            raise PullFailed(f"{remote.repository}: {name} is not what the hub says it is")


@contextmanager
def _hub_errors(reference: str) -> Iterator[None]:
    """The hub's many errors, and those of the network below it, as one of ours."""
    from huggingface_hub import errors

    # The hub's client picks its HTTP library; this is that one's base error, whatever it is.
    from huggingface_hub.errors import HTTPError  # type: ignore[attr-defined]

    try:
        yield
    except errors.HFValidationError as error:
        raise PullFailed(f"{reference!r} is no OWNER/NAME of a hub") from error
    except (HTTPError, errors.XetDownloadError, OSError, ValueError) as error:
        raise PullFailed(f"{reference} could not be fetched: {_cause(error)}") from error


def _cause(error: Exception) -> str:
    response = getattr(error, "response", None)
    if response is not None:
        return f"the hub answered {response.status_code}"
    return getattr(error, "strerror", None) or type(error).__name__
