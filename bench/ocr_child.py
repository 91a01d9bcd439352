"""One OCR engine as a process beside the bench, under the interpreter of its own environment."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench.failure import BenchError
from bench.options import REPOSITORY

_END_S = 30.0


class OcrChild:
    """Reads pages through `bench.ocr_worker`, one at a time."""

    def __init__(self, python: Path, engine: str, models: Path) -> None:
        """`engine` is a value of ocr.engine, `models` the directory of the OCR models."""
        self.fingerprint = ""
        self.threads = 0
        self._engine = engine
        try:
            self._process = subprocess.Popen(
                [str(python), "-m", "bench.ocr_worker", engine, str(models)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                cwd=REPOSITORY,
                env={**os.environ, "PYTHONPATH": str(REPOSITORY)},
            )
        except OSError as error:
            raise BenchError(f"{python} does not start: {error.strerror}") from error

    def __enter__(self) -> Self:
        try:
            told = self._reply()
        except BaseException:
            self._end()
            raise
        self.fingerprint, self.threads = told["fingerprint"], told["threads"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()

    def read(self, picture: Path) -> dict[str, Any]:
        """The page's lines, with ms and cpu_s of reading it and rss_mib, the process's peak so far."""
        if not self._process.stdin:
            raise BenchError(f"{self._engine} was started without a way to ask it")
        self._process.stdin.write(json.dumps({"picture": str(picture)}) + "\n")
        self._process.stdin.flush()
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise BenchError(f"the process of {self._engine} ended; what it said is above")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def _end(self) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
