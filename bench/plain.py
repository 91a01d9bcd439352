"""Plain transformers, as a process of its own beside the daemon: what the daemon is compared with."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench.pipe import Pipe


class Plain:
    """Asks `bench.plain_worker`, one question at a time."""

    def __init__(self, model: Path, models: Path) -> None:
        """`model` is the directory of weights, `models` that of the OCR models."""
        self.threads = 0
        command = [sys.executable, "-m", "bench.plain_worker", str(model), str(models)]
        # as the daemon's engine has it
        self._pipe = Pipe(
            "plain transformers", command, {"OMP_WAIT_POLICY": "PASSIVE", **os.environ}
        )

    def __enter__(self) -> Self:
        self.threads = self._pipe.reply()["threads"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._pipe.end()

    def ask(self, picture: Path, question: str, *, page_text: bool) -> dict[str, Any]:
        """first_ms and total_ms from opening the file, tokens of the answer and page_tokens before the question.

        With `page_text` the prompt is the daemon's own; reading the text is not timed.
        """
        request = {"picture": str(picture), "question": question, "page_text": page_text}
        return self._pipe.ask(request)
