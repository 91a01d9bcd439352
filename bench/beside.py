"""Work that runs in a thread of its own while something else goes on."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from types import TracebackType
from typing import Self


class Beside(ABC):
    """Runs while entered; on leaving it is told to stop and waited for."""

    def __init__(self) -> None:
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self.run, name=type(self).__name__)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()

    @abstractmethod
    def run(self) -> None:
        """The work, in its own thread; returns soon after it is told to stop."""
