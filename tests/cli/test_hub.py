"""Pulling from a hub, against a small hub on the loopback interface."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from edge_clm.weights import read_manifest, verify

COMMIT = "0123456789abcdef0123456789abcdef01234567"
REPOSITORY = "Maker/Tiny-VL"
FILES = {
    "config.json": b'{"model_type": "qwen2_5_vl"}',
    "model.safetensors": bytes(range(256)) * 64,
    "merges.txt": b"a b\n",
    "modeling.py": b"raise SystemExit('code from the hub')",
    "pytorch_model.bin": b"pickle",
}


@dataclass
class Hub:
    """What the hub has, and what it was asked for."""

    address: str = ""
    repository: str = REPOSITORY
    files: dict[str, bytes] = field(default_factory=lambda: dict(FILES))
    claims: dict[str, str] = field(default_factory=dict)
    """SHA-256 that the hub states for a file, where it is not the true one."""
    fetched: list[str] = field(default_factory=list)

    def listing(self) -> dict[str, object]:
        """The hub's words about the repository at its newest commit."""
        return {
            "id": self.repository,
            "sha": COMMIT,
            "tags": ["license:apache-2.0"],
            "siblings": [self._sibling(name, data) for name, data in self.files.items()],
        }

    def _sibling(self, name: str, data: bytes) -> dict[str, object]:
        told: dict[str, object] = {"rfilename": name, "size": len(data), "blobId": "0" * 40}
        if name.endswith(".safetensors"):
            sha256 = self.claims.get(name, hashlib.sha256(data).hexdigest())
            told["lfs"] = {"sha256": sha256, "size": len(data), "pointerSize": 134}
        return told


@pytest.fixture
def hub() -> Iterator[Hub]:
    """A hub with one repository, for as long as the test runs."""
    made = Hub()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._reply(body=True)

        def do_HEAD(self) -> None:
            self._reply(body=False)

        def log_message(self, format: str, *args: object) -> None:
            """The test's output is no place for an access log."""

        def _reply(self, body: bool) -> None:
            path = self.path.partition("?")[0]
            resolved = f"/{made.repository}/resolve/{COMMIT}/"
            listed = f"/api/models/{made.repository}"
            name = path.removeprefix(resolved)
            if path in (listed, f"{listed}/revision/main", f"{listed}/revision/v1"):
                data = json.dumps(made.listing()).encode()
            elif path.startswith(resolved) and name in made.files:
                data = made.files[name]
                if body:
                    made.fetched.append(name)
            else:
                self.send_error(404)
                return
            self.send_response(200)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("ETag", f'"{hashlib.sha256(data).hexdigest()}"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.end_headers()
            if body:
                self.wfile.write(data)

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        made.address = f"http://127.0.0.1:{server.server_address[1]}"
        thread = Thread(target=server.serve_forever)
        thread.start()
        yield made
        server.shutdown()
        thread.join()


def pull(hub: Hub, models: Path, *names: str) -> subprocess.CompletedProcess[str]:
    """Runs a pull in a process of its own: the hub's library reads its address when it is imported."""
    command = [sys.executable, "-m", "edge_clm", "models", "pull", *names]
    environment = os.environ | {
        "HF_ENDPOINT": hub.address,
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "EDGE_CLM_MODEL__MODELS": str(models),
    }
    environment.pop("HF_HUB_OFFLINE", None)
    return subprocess.run(
        command, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize("reference", [REPOSITORY, f"{REPOSITORY}@v1"])
def test_a_repository_is_pulled_at_one_commit(hub: Hub, tmp_path: Path, reference: str) -> None:
    """Weights and settings arrive with a manifest of commit, licence and hashes; code and pickles stay."""
    done = pull(hub, tmp_path, reference)
    assert done.returncode == 0, done.stderr
    manifest = verify(tmp_path / "Tiny-VL")
    assert (manifest.source, manifest.revision) == (f"hub:{REPOSITORY}", COMMIT)
    assert (manifest.licence, manifest.role) == ("apache-2.0", "vision_language")
    assert set(manifest.files) == {"config.json", "model.safetensors", "merges.txt"}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["Tiny-VL"]
    assert COMMIT in done.stderr and "apache-2.0" in done.stderr


def test_a_second_pull_of_the_same_commit_fetches_nothing(hub: Hub, tmp_path: Path) -> None:
    """What is there and whole is not fetched again; what was damaged is."""
    pull(hub, tmp_path, REPOSITORY)
    hub.fetched.clear()
    assert pull(hub, tmp_path, REPOSITORY).returncode == 0
    assert hub.fetched == []
    (tmp_path / "Tiny-VL" / "merges.txt").write_bytes(b"b a\n")
    assert pull(hub, tmp_path, REPOSITORY).returncode == 0
    assert "merges.txt" in hub.fetched
    verify(tmp_path / "Tiny-VL")


def test_a_file_that_is_not_what_the_hub_says_is_refused(hub: Hub, tmp_path: Path) -> None:
    """A wrong SHA-256 fails the pull by name, and the model that was there stays."""
    pull(hub, tmp_path, REPOSITORY)
    before = read_manifest(tmp_path / "Tiny-VL")
    hub.claims["model.safetensors"] = "0" * 64
    (tmp_path / "Tiny-VL" / "merges.txt").unlink()
    done = pull(hub, tmp_path, REPOSITORY)
    assert done.returncode == 1
    assert "PULL_FAILED" in done.stderr and "model.safetensors" in done.stderr
    assert read_manifest(tmp_path / "Tiny-VL") == before
    assert [path.name for path in tmp_path.iterdir()] == ["Tiny-VL"]


@pytest.mark.parametrize("reference", ["Maker/Absent", f"{REPOSITORY}@v9", "a/b/c", "Maker/"])
def test_what_the_hub_does_not_have_is_an_error(hub: Hub, tmp_path: Path, reference: str) -> None:
    """An unknown repository or revision, or a name that is none, ends with 1 and leaves nothing."""
    done = pull(hub, tmp_path, reference)
    assert done.returncode == 1
    assert "edge-clm: PULL_FAILED: " in done.stderr and "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_repository_without_safetensors_is_refused(hub: Hub, tmp_path: Path) -> None:
    """Pickled weights alone are not pulled."""
    del hub.files["model.safetensors"]
    done = pull(hub, tmp_path, REPOSITORY)
    assert done.returncode == 1
    assert "safetensors" in done.stderr
    assert hub.fetched == []


def test_a_repository_cannot_take_the_place_of_a_known_model(hub: Hub, tmp_path: Path) -> None:
    """Whatever a repository named like the embedded model holds, it does not become that model."""
    hub.repository = "Maker/nano"
    done = pull(hub, tmp_path, hub.repository)
    assert done.returncode == 1
    assert "'nano'" in done.stderr
    assert (hub.fetched, list(tmp_path.iterdir())) == ([], [])


def test_a_hub_out_of_reach_is_an_error(tmp_path: Path) -> None:
    """Nobody at the hub's address ends with 1, in words, without a traceback."""
    done = pull(Hub("http://127.0.0.1:9"), tmp_path, REPOSITORY)
    assert done.returncode == 1
    assert "edge-clm: PULL_FAILED: " in done.stderr and "Traceback" not in done.stderr
