"""The contract: well formed, every part explained, generated code up to date, nothing taken back."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROTO = ROOT / "proto"
CONTRACT = Path("edge_clm/v1/edge_clm.proto")
ADMIN = Path("edge_clm/v1/admin.proto")
FILES = (ADMIN, CONTRACT)
BASELINE = PROTO / "baseline.binpb"


@pytest.fixture(scope="session")
def buf_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache of its own, so that nothing outside the test is read or written."""
    return tmp_path_factory.mktemp("buf")


def buf(cache: Path, *arguments: str, cwd: Path = PROTO) -> subprocess.CompletedProcess[str]:
    """Runs the `buf` that is installed beside this Python."""
    program = Path(sys.executable).parent / "buf"
    if not program.exists():
        pytest.skip("buf-bin is not installed")
    environment = {"BUF_CACHE_DIR": str(cache), "HOME": str(cache), "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        [program, *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def copied(tmp_path: Path, old: str, new: str, file: Path = CONTRACT) -> Path:
    """The contract with one thing changed."""
    place = tmp_path / "proto"
    shutil.copytree(PROTO, place)
    text = (place / file).read_text()
    assert old in text
    (place / file).write_text(text.replace(old, new, 1))
    return place


def test_the_contract_is_well_formed(buf_cache: Path) -> None:
    """buf's STANDARD rules and COMMENTS hold: every field, message, value and call is explained."""
    result = buf(buf_cache, "lint")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("old", "new", "rule"),
    [
        ("    // A handle that PutCapture or an earlier answer returned.\n", "", "comment"),
        ("  // It was right.\n", "", "comment"),
        ("bytes chunk = 1", "bytes theChunk = 1", "lower_snake_case"),
    ],
)
def test_an_ill_formed_contract_is_noticed(
    buf_cache: Path, tmp_path: Path, old: str, new: str, rule: str
) -> None:
    """The lint above can fail: a missing comment or a misnamed field is reported."""
    result = buf(buf_cache, "lint", cwd=copied(tmp_path, old, new))
    assert result.returncode != 0
    assert rule in result.stdout


def test_nothing_was_taken_back(buf_cache: Path) -> None:
    """Since the baseline no field was removed, renumbered or retyped."""
    result = buf(buf_cache, "breaking", "--against", str(BASELINE))
    assert result.returncode == 0, result.stdout + result.stderr


def test_nothing_was_taken_back_since_the_last_tag(buf_cache: Path) -> None:
    """The contract of the last release is still kept."""
    tags = subprocess.run(
        ["git", "describe", "--tags", "--abbrev=0"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if tags.returncode != 0:
        pytest.skip("no tag to compare with; the committed baseline is compared above")
    against = f"{ROOT / '.git'}#tag={tags.stdout.strip()},subdir=proto"
    result = buf(buf_cache, "breaking", "--against", against)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("  // Bytes of the file.\n  int64 size = 4;\n", ""),
        ("int64 size = 4;", "int64 size = 5;"),
        ("int64 size = 4;", "string size = 4;"),
        ("rpc GetInfo(GetInfoRequest)", "rpc TellInfo(GetInfoRequest)"),
    ],
)
def test_a_broken_promise_is_noticed(buf_cache: Path, tmp_path: Path, old: str, new: str) -> None:
    """The comparison above can fail: a field removed, renumbered or retyped is reported."""
    place = copied(tmp_path, old, new)
    assert buf(buf_cache, "breaking", "--against", str(BASELINE), cwd=place).returncode != 0


def test_a_broken_promise_to_operators_is_noticed(buf_cache: Path, tmp_path: Path) -> None:
    """The operators' file is compared like the devices'."""
    place = copied(tmp_path, "int64 restarts = 2;", "int64 restarts = 9;", ADMIN)
    assert buf(buf_cache, "breaking", "--against", str(BASELINE), cwd=place).returncode != 0


def test_every_file_of_the_contract_is_held_to_this() -> None:
    """No file beside these two is compiled, linted and compared without a test that knows of it."""
    assert sorted(path.relative_to(PROTO) for path in PROTO.rglob("*.proto")) == sorted(FILES)


def test_generated_code_is_up_to_date(tmp_path: Path) -> None:
    """What is committed is what the pinned compiler makes of the contract, byte for byte."""
    pytest.importorskip("grpc_tools")
    outputs = [f"--{kind}={tmp_path}" for kind in ("python_out", "pyi_out", "grpc_python_out")]
    subprocess.run(
        [sys.executable, "-m", "grpc_tools.protoc", f"-I{PROTO}", *outputs, *map(str, FILES)],
        cwd=PROTO,
        check=True,
        timeout=120,
    )
    made = sorted(path for path in tmp_path.rglob("*.py*") if path.is_file())
    assert [path.name for path in made] == [
        f"{file.stem}_pb2{rest}" for file in FILES for rest in (".py", ".pyi", "_grpc.py")
    ]
    for path in made:
        committed = ROOT / path.relative_to(tmp_path)
        assert path.read_bytes() == committed.read_bytes(), f"{committed.name} is stale"
