"""Health as somebody sees it who watches it all along."""

from __future__ import annotations

from types import TracebackType

import grpc

from bench.beside import Beside
from bench.soak_ledger import Ledger
from bench.soak_rpc import Caller, said
from edge_clm.client import ClientError


class HealthStream(Beside):
    """Keeps one Watch open while entered; everything but SERVING that it hears is wrong."""

    def __init__(self, address: str, ledger: Ledger, longest_s: float) -> None:
        super().__init__()
        self._client = Caller(address, ledger, timeout_s=longest_s)
        self._call = self._client.watch_health()
        self.words = 0
        self.wrong: list[str] = []

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._call.cancel()
        super().__exit__(kind, error, trace)
        self._client.close()

    def run(self) -> None:
        """Listens until the watch ends, which it does only when it is cancelled."""
        try:
            for response in self._call:
                self.words += 1
                if (word := said(response)) != "SERVING":
                    self.wrong.append(word)
        except grpc.RpcError as ended:
            if not self._stop.is_set():
                self.wrong.append(f"ended with {ClientError.of(ended).reason}")
