"""OCR talks to nobody: neither for its models, nor to report home."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

_READ = """
import json, pathlib, sys
import numpy as np
from PIL import Image
from edge_clm.config import Ocr
from edge_clm.page.reader import open_reader

def refuse(event, args):
    if event in ("socket.connect", "socket.getaddrinfo", "socket.gethostbyname", "socket.bind"):
        raise PermissionError(f"no sockets here: {event}")

sys.addaudithook(refuse)
image = Image.open(sys.argv[1]).convert("RGB")
page = open_reader(Ocr(threads=2), pathlib.Path(sys.argv[2])).read(np.array(image))
print(json.dumps([line.text for line in page.lines]), flush=True)
sys.stdin.read()
"""

_LOAD = """
import sys, onnxruntime
onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
sys.stdin.read()
"""


def _environment(home: Path) -> dict[str, str]:
    """An environment with nothing in it that would tell libraries to be quiet."""
    return {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": os.pathsep.join(sys.path)}


def _isolated(command: list[str]) -> list[str] | None:
    """The command in a network namespace of its own, or None where that is not permitted."""
    unshare = shutil.which("unshare")
    for flags in (["-n"], ["-rn"]):
        trial = [unshare or "unshare", *flags]
        if (
            unshare
            and subprocess.run([*trial, "true"], capture_output=True, check=False).returncode == 0
        ):
            return [*trial, *command]
    return None


def _strays(home: Path) -> list[str]:
    """What onnxruntime's telemetry leaves in a home."""
    return [str(path) for path in home.rglob("*") if "Microsoft" in path.parts]


def test_a_photo_is_read_without_network(models: Path, documents: Path, tmp_path: Path) -> None:
    """With every socket denied, a real receipt is read, and silently."""
    photo = documents / "sroie" / "img" / "000.jpg"
    command = [sys.executable, "-c", _READ, str(photo), str(models)]
    done = subprocess.run(
        _isolated(command) or command,
        env=_environment(tmp_path),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "81100 JOHOR BAHRU," in json.loads(done.stdout)
    assert done.stderr == ""


def test_reading_opens_no_socket_and_reports_nothing_home(
    models: Path, documents: Path, tmp_path: Path
) -> None:
    """Watched from outside while it loads, reads and idles, the process opens no network socket."""
    photo = documents / "sroie" / "img" / "000.jpg"
    with subprocess.Popen(
        [sys.executable, "-c", _READ, str(photo), str(models)],
        env=_environment(tmp_path),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as child:
        assert child.stdout and child.stdin
        os.set_blocking(child.stdout.fileno(), False)
        seen: list[object] = []
        idle = 0
        limit = time.monotonic() + 180
        while idle < 20 and child.poll() is None and time.monotonic() < limit:
            seen += psutil.Process(child.pid).net_connections("inet")
            idle += bool(idle or child.stdout.read())
            time.sleep(0.1)
        alive = child.poll() is None
        child.stdin.close()
    assert alive and child.returncode == 0
    assert seen == [] and _strays(tmp_path) == []


def test_the_watch_would_see_onnxruntime_report_home(models: Path, tmp_path: Path) -> None:
    """Loaded without our care, onnxruntime does leave its traces: the test above can fail."""
    weights = models / "PP-LCNet_x1_0_doc_ori" / "inference.onnx"
    command = _isolated([sys.executable, "-c", _LOAD, str(weights)])
    if command is None:
        pytest.skip("network namespaces are not permitted here")
    done = subprocess.run(
        command, env=_environment(tmp_path), stdin=subprocess.DEVNULL, check=False
    )
    assert done.returncode == 0 and _strays(tmp_path) != []
