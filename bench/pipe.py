"""A process beside the bench that is asked and answers in lines of JSON."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.failure import BenchError

_END_S = 30.0


class Pipe:
    """The process and the two pipes to it."""

    def __init__(
        self, name: str, command: Sequence[str], env: Mapping[str, str], cwd: Path | None = None
    ) -> None:
        """`name` is what errors call it; raises BenchError where it does not start."""
        self._name = name
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                cwd=cwd,
                env=env,
            )
        except OSError as error:
            raise BenchError(f"{command[0]} does not start: {error.strerror}") from error

    def ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        """The reply to a request; raises BenchError where the process has ended."""
        if not self._process.stdin:
            raise BenchError(f"{self._name} was started without a way to ask it")
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return self.reply()

    def reply(self) -> dict[str, Any]:
        """The next reply, which the first time nobody has to ask for."""
        line = self._process.stdout.readline() if self._process.stdout else ""
        if not line:
            raise BenchError(f"the process of {self._name} ended; what it said is above")
        reply: dict[str, Any] = json.loads(line)
        return reply

    def end(self) -> None:
        """Ends the process, by force where it does not end by itself."""
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()
