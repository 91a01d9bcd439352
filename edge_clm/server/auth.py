"""Who is calling: bearer tokens, kept hashed, and the default tenant of the unix socket."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import structlog

from edge_clm.errors import ConfigInvalid, TokenMissing, TokenUnknown
from edge_clm.server.call import HEALTH, Context, current, header

log = structlog.get_logger(__name__)

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_OTHERS = 0o007


def new_token(name: str) -> tuple[str, str]:
    """Makes a token for tenant `name`: the token itself, and the line for the tokens file.

    Raises ConfigInvalid for a name that a tenant cannot have.
    """
    if not _NAME.fullmatch(name):
        raise ConfigInvalid("a tenant's name is letters, digits, '.', '_' and '-', at most 64")
    token = "eclm_" + secrets.token_urlsafe(32)
    return token, f"{name} {_hash(token)}"


def _hash(token: str) -> str:
    # A token is 256 random bits, so one plain hash is enough: there is nothing to guess.
    return hashlib.sha256(token.encode()).hexdigest()


class Tokens:
    """The accepted tokens, from a file of 'NAME SHA256-HEX' lines that is read again when it changes."""

    def __init__(self, path: Path | None) -> None:
        """Without a path no token is accepted; raises ConfigInvalid for a file that cannot be used."""
        self._path = path
        self._known: tuple[tuple[str, str], ...] = ()
        self._stamp: tuple[int, ...] = ()
        if path is not None:
            self._stamp = _stamp(path)
            self._known = _read(path)

    def tenant(self, token: str) -> str | None:
        """Whose token this is; takes equally long whether and where it matches."""
        self._follow()
        digest, found = _hash(token), None
        for name, known in self._known:
            if hmac.compare_digest(known, digest):
                found = name
        return found

    def reload(self) -> None:
        """Reads the file again; a file that cannot be used is reported and the old tokens stay."""
        if self._path is None:
            return
        try:
            self._stamp = _stamp(self._path)
            self._known = _read(self._path)
            log.info("tokens reloaded", count=len(self._known))
        except ConfigInvalid as error:
            log.warning("tokens not reloaded", reason=error.reason, message=error.message)

    def _follow(self) -> None:
        if self._path is None:
            return
        try:
            changed = _stamp(self._path) != self._stamp
        except ConfigInvalid:
            changed = bool(self._stamp)
            self._stamp = ()
        if changed:
            self.reload()


def _stamp(path: Path) -> tuple[int, ...]:
    try:
        status = path.stat()
    except OSError as error:
        raise ConfigInvalid(f"{path}: {error.strerror}", field="server.tokens") from error
    return status.st_ino, status.st_mtime_ns, status.st_size, status.st_mode


def _read(path: Path) -> tuple[tuple[str, str], ...]:
    try:
        with path.open(encoding="utf-8") as file:
            if os.fstat(file.fileno()).st_mode & _OTHERS:
                raise ConfigInvalid(
                    f"{path} is open to every user; chmod it to 0640 or less", field="server.tokens"
                )
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigInvalid(f"{path} cannot be read", field="server.tokens") from error
    entries = [_entry(path, number, line) for number, line in enumerate(lines, 1) if _counts(line)]
    if len({digest for _, digest in entries}) != len(entries):
        raise ConfigInvalid(f"{path} has the same token twice", field="server.tokens")
    return tuple(entries)


def _counts(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def _entry(path: Path, number: int, line: str) -> tuple[str, str]:
    parts = line.split()
    if len(parts) == 2 and _NAME.fullmatch(parts[0]) and _DIGEST.fullmatch(parts[1].lower()):
        return parts[0], parts[1].lower()
    # The line itself is not shown: somebody may have pasted a bare token.
    raise ConfigInvalid(f"{path} line {number} is not 'NAME SHA256-HEX'", field="server.tokens")


class Authenticator:
    """Names the tenant of a call."""

    def __init__(self, tokens: Tokens, socket_tenant: str) -> None:
        self._tokens = tokens
        self._socket_tenant = socket_tenant

    @asynccontextmanager
    async def around(self, method: str, context: Context) -> AsyncIterator[None]:
        """Lets the call in under its tenant; health needs none.

        Raises TokenMissing or TokenUnknown. A wrong token is refused on the unix socket too.
        """
        if not method.startswith(HEALTH):
            current().tenant = self._identify(context)
        yield

    def _identify(self, context: Context) -> str:
        given = header(context, "authorization")
        if not given:
            if context.peer().startswith("unix:"):
                return self._socket_tenant
            raise TokenMissing("the call came without a bearer token")
        scheme, _, token = given[0].partition(" ")
        if len(given) > 1 or scheme.lower() != "bearer" or not token.strip():
            raise TokenMissing("the call's authorization is no single bearer token")
        tenant = self._tokens.tenant(token.strip())
        if tenant is None:
            raise TokenUnknown("the bearer token is not known here")
        return tenant
