"""The tokens file as an administrator changes it under a daemon that is being worked."""

from __future__ import annotations

import signal
from pathlib import Path

from bench.daemon import Daemon
from bench.soak_ledger import Ledger
from bench.soak_rpc import Caller
from bench.watch import Watch
from edge_clm.client import ClientError
from edge_clm.server.auth import new_token

TENANT = "local"
"""The socket's tenant: who comes with a token knows the same documents."""
_EVERY_S = 20.0
_UNUSABLE_EVERY = 4
_TIMEOUT_S = 30.0


class TokensFile:
    """A file with one token that lasts, and at most one guest's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lasting, self._line = new_token(TENANT)
        self._write(self._line)

    def admit(self) -> str:
        """A new guest in place of the last one; returns the guest's token."""
        guest, line = new_token(TENANT)
        self._write(f"{self._line}\n{line}")
        return guest

    def spoil(self) -> None:
        """Puts something there that no daemon can use."""
        self._write(f"{self._line}\nnot a line of tokens")

    def _write(self, text: str) -> None:
        half = self.path.with_name(self.path.name + ".part")
        half.write_text(text + "\n", encoding="utf-8")
        half.chmod(0o600)
        half.replace(self.path)


class Reloads(Watch):
    """Changes the tokens and sends SIGHUP, every now and then, and looks whether that took hold."""

    def __init__(
        self, daemon: Daemon, address: str, tokens: TokensFile, every_s: float = _EVERY_S
    ) -> None:
        super().__init__(every_s)
        self._daemon = daemon
        self._address = address
        self._tokens = tokens
        self._ledger = Ledger()
        self._guest = ""
        self.done = 0
        self.wrong: list[str] = []

    def look(self) -> None:
        """One reload; every few times with a file that cannot be used, which must change nothing."""
        self.done += 1
        if self.done % _UNUSABLE_EVERY:
            withdrawn, self._guest = self._guest, self._tokens.admit()
            self._reload()
            self._expect("a new token", self._guest, "")
            if withdrawn:
                self._expect("a withdrawn token", withdrawn, "TOKEN_UNKNOWN")
        else:
            self._tokens.spoil()
            self._reload()
            self._expect("a token while the file is unusable", self._guest, "")
        self._expect("the lasting token", self._tokens.lasting, "")

    def _reload(self) -> None:
        self._daemon.family()[0].send_signal(signal.SIGHUP)

    def _expect(self, what: str, token: str, reason: str) -> None:
        try:
            with Caller(self._address, self._ledger, token, _TIMEOUT_S) as client:
                client.info()
            met = ""
        except ClientError as error:
            met = error.reason
        if met != reason:
            self.wrong.append(f"{what}: {met or 'accepted'}")
