"""Reads pages with one OCR engine, in an environment that holds no more than that engine needs.

One JSON request a line on standard input, one reply a line on standard output. Started by
bench.ocr_child; nothing that only the bench's own environment has may be imported here.
"""

from __future__ import annotations

import json
import os
import re
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image, ImageOps

from edge_clm.config import Config
from edge_clm.page.ocr import PageReader
from edge_clm.page.reader import open_reader
from edge_clm.types import Pixels


def main() -> None:
    """Loads the engine, says which it is, then reads until standard input ends."""
    engine, models = sys.argv[1:]
    config = Config.model_validate({"ocr": {"engine": engine}})
    reader = open_reader(config.ocr, Path(models))
    told = {"fingerprint": reader.fingerprint, "threads": len(os.sched_getaffinity(0))}
    print(json.dumps(told), flush=True)
    for line in sys.stdin:
        print(json.dumps(_read(reader, json.loads(line)["picture"])), flush=True)


def _read(reader: PageReader, path: str) -> dict[str, Any]:
    pixels = _pixels(path)
    started, spent = time.perf_counter(), time.process_time()
    page = reader.read(pixels)
    return {
        "ms": (time.perf_counter() - started) * 1000,
        "cpu_s": time.process_time() - spent,
        "rss_mib": _peak_mib(),
        "lines": [line.text for line in page.lines],
    }


def _pixels(path: str) -> Pixels:
    with Image.open(path) as picture:
        return np.array(ImageOps.exif_transpose(picture).convert("RGB"))


def _peak_mib() -> float:
    """Of this program alone: what getrusage says begins with the peak of whoever started it."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    match = re.search(r"^VmHWM:\s+(\d+) kB", status, re.MULTILINE)
    return int(match[1]) / 1024 if match else float("nan")


if __name__ == "__main__":
    main()
