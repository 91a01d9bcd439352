"""One OCR engine as a process beside the bench, under the interpreter of its own environment."""

from __future__ import annotations

import os
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench.options import REPOSITORY
from bench.pipe import Pipe


class OcrChild:
    """Reads pages through `bench.ocr_worker`, one at a time."""

    def __init__(self, python: Path, engine: str, models: Path) -> None:
        """`engine` is a value of ocr.engine, `models` the directory of the OCR models."""
        self.fingerprint = ""
        self.threads = 0
        self._pipe = Pipe(
            engine,
            [str(python), "-m", "bench.ocr_worker", engine, str(models)],
            {**os.environ, "PYTHONPATH": str(REPOSITORY)},
            REPOSITORY,
        )

    def __enter__(self) -> Self:
        try:
            told = self._pipe.reply()
        except BaseException:
            self._pipe.end()
            raise
        self.fingerprint, self.threads = told["fingerprint"], told["threads"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pipe.end()

    def read(self, picture: Path) -> dict[str, Any]:
        """The page's lines, with ms and cpu_s of reading it and rss_mib, the process's peak so far."""
        return self._pipe.ask({"picture": str(picture)})
