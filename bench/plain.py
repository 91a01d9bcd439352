"""Plain transformers, as a process of its own beside the daemon: what the daemon is compared with."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from bench.failure import BenchError

_END_S = 30.0


class Plain:
    """Asks `bench.plain_worker`, one question at a time."""

    def __init__(self, model: Path, models: Path) -> None:
        """`model` is the directory of weights, `models` that of the OCR models."""
        self.threads = 0
        command = [sys.executable, "-m", "bench.plain_worker", str(model), str(models)]
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={"OMP_WAIT_POLICY": "PASSIVE", **os.environ},  # as the daemon's engine has it
        )

    def __enter__(self) -> Self:
        self.threads = self._reply()["threads"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def ask(self, picture: Path, question: str, *, page_text: bool) -> dict[str, Any]:
        """first_ms and total_ms from opening the file, tokens of the answer and page_tokens before the question.

        With `page_text` the prompt is the daemon's own; reading the text is not timed.
        """
        request = {"picture": str(picture), "question": question, "page_text": page_text}
        if not self._process.stdin:
            raise BenchError("plain transformers were started without a way to ask them")
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self._reply()

    def _reply(self) -> dict[str, Any]:
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise BenchError("plain transformers ended; what they said is above")
        reply: dict[str, Any] = json.loads(line)
        return reply
