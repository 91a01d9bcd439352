"""What lies in the directory of models, beside what could."""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from edge_clm.cli.catalogue import CATALOGUE, MIB
from edge_clm.errors import ModelDamaged, ModelMissing, PullFailed
from edge_clm.weights import Manifest, fingerprint, read_manifest, verify


@dataclass(frozen=True, slots=True)
class Entry:
    """A model as the list shows it."""

    name: str
    role: str
    state: str
    """present, missing or damaged, as far as sizes tell."""
    size: int
    """Bytes; 0 while it is missing."""
    source: str
    revision: str
    licence: str

    def fields(self) -> dict[str, Any]:
        """The entry as JSON keeps it."""
        return asdict(self)

    def row(self) -> tuple[str, ...]:
        """The entry as a table shows it."""
        size = f"{self.size / MIB:.1f} MiB" if self.size else "-"
        return self.name, self.role, self.state, size, self.source or "-", self.licence or "-"


def shelf(models: Path) -> list[Entry]:
    """Known models first, then whatever else lies there with a manifest."""
    known = [each.name for each in CATALOGUE]
    found = sorted(path.parent.name for path in models.glob("*/manifest.json"))
    others = [name for name in found if name not in known and not name.startswith(".")]
    return [entry(models, name) for name in [*known, *others]]


def entry(models: Path, name: str) -> Entry:
    """One model; it need not be there."""
    licences = {known.name: (known.role, known.licence) for known in CATALOGUE}
    role, licence = licences.get(name, ("-", ""))
    try:
        manifest = read_manifest(models / name)
        return _described(name, manifest, _state(models / name))
    except ModelMissing:
        return Entry(name, role, "missing", 0, "", "", licence)
    except ModelDamaged:
        return Entry(name, role, "damaged", 0, "", "", licence)


def present(models: Path, name: str) -> bool:
    """True when every file of a model has the hash that its manifest states."""
    try:
        verify(models / name)
    except (ModelMissing, ModelDamaged):
        return False
    return True


def ensure_room(directory: Path, room: int) -> None:
    """Raises PullFailed where the models or the scratch files would not fit."""
    for place in (directory, Path(tempfile.gettempdir())):
        standing = next(path for path in (place, *place.parents) if path.exists())
        free = shutil.disk_usage(standing).free
        if free < room:
            raise PullFailed(f"{place} has {free // MIB} MiB free, {room // MIB} MiB are needed")


def _described(name: str, manifest: Manifest, state: str) -> Entry:
    size = sum(digest.size for digest in manifest.files.values())
    return Entry(
        name, manifest.role, state, size, manifest.source, manifest.revision, manifest.licence
    )


def _state(directory: Path) -> str:
    try:
        fingerprint(directory)
    except ModelDamaged:
        return "damaged"
    return "present"
