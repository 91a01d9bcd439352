"""Who is calling: bearer tokens, kept hashed, client certificates, and those at the unix socket."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import structlog

from edge_clm.errors import (
    CertificateRefused,
    ConfigInvalid,
    TenantsDiffer,
    TokenMissing,
    TokenUnknown,
)
from edge_clm.server import roles
from edge_clm.server.call import HEALTH, Context, current, header
from edge_clm.server.passport import NAME, certified
from edge_clm.server.roles import Role

log = structlog.get_logger(__name__)

_DIGEST = re.compile(r"[0-9a-f]{64}")
_ROLES = {role.value: role for role in Role}
_OTHERS = 0o007
_CERTIFICATE = "certificate"
"""Stands where a token's hash would: this tenant may call by its client certificate."""


@dataclass(frozen=True, slots=True)
class Caller:
    """Whose memory a call works with, and what it may do."""

    tenant: str
    role: Role


def new_token(name: str, role: Role = Role.DEVICE) -> tuple[str, str]:
    """Makes a token for tenant `name`: the token itself, and the line for the tokens file.

    Raises ConfigInvalid for a name that a tenant cannot have.
    """
    if not NAME.fullmatch(name):
        raise ConfigInvalid("a tenant's name is letters, digits, '.', '_' and '-', at most 64")
    token = "eclm_" + secrets.token_urlsafe(32)
    # Left out where it is the usual one: such a line is read by daemons that know no roles, too.
    said = "" if role is Role.DEVICE else f" {role.value}"
    return token, f"{name} {_hash(token)}{said}"


def _hash(token: str) -> str:
    # A token is 256 random bits, so one plain hash is enough: there is nothing to guess.
    return hashlib.sha256(token.encode()).hexdigest()


class Tokens:
    """Who may call, from a file that is read again when it changes.

    Its lines are 'NAME SHA256-HEX [ROLE]' for a token and 'NAME certificate [ROLE]' for a tenant
    that may call by its client certificate.
    """

    def __init__(self, path: Path | None) -> None:
        """Without a path no token is accepted; raises ConfigInvalid for a file that cannot be used."""
        self._path = path
        self._known: tuple[tuple[Caller, str], ...] = ()
        self._stamp: tuple[int, ...] = ()
        if path is not None:
            self._stamp = _stamp(path)
            self._known = _read(path)

    def caller(self, token: str) -> Caller | None:
        """Whose token this is; takes equally long whether and where it matches."""
        self._follow()
        digest, found = _hash(token), None
        for caller, known in self._known:
            if hmac.compare_digest(known, digest):
                found = caller
        return found

    def certified(self, tenant: str) -> Caller | None:
        """A caller with a certificate of that tenant, if it is listed; without a file, a device."""
        if self._path is None:
            return Caller(tenant, Role.DEVICE)
        self._follow()
        listed = (caller for caller, known in self._known if known == _CERTIFICATE)
        return next((caller for caller in listed if caller.tenant == tenant), None)

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


def _read(path: Path) -> tuple[tuple[Caller, str], ...]:
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
    if len({(digest, _name_of(caller, digest)) for caller, digest in entries}) != len(entries):
        raise ConfigInvalid(f"{path} has the same token or name twice", field="server.tokens")
    return tuple(entries)


def _name_of(caller: Caller, digest: str) -> str:
    """What else tells an entry from another: a token has one owner, and many have certificates."""
    return caller.tenant if digest == _CERTIFICATE else ""


def _counts(line: str) -> bool:
    stripped = line.strip()
    return bool(stripped) and not stripped.startswith("#")


def _entry(path: Path, number: int, line: str) -> tuple[Caller, str]:
    name, digest, role = (*line.split(maxsplit=2), "", "")[:3]
    known = _ROLES.get(role.strip() or Role.DEVICE.value)
    proof = digest == _CERTIFICATE or _DIGEST.fullmatch(digest.lower())
    if NAME.fullmatch(name) and proof and known:
        return Caller(name, known), digest.lower()
    # The line itself is not shown: somebody may have pasted a bare token.
    raise ConfigInvalid(
        f"{path} line {number} is not NAME, then a token's SHA-256 in hex or '{_CERTIFICATE}', then"
        f" nothing or {' or '.join(_ROLES)}",
        field="server.tokens",
    )


class Authenticator:
    """Names the tenant and the role of a call."""

    def __init__(self, tokens: Tokens, at_socket: Caller) -> None:
        """`at_socket` is whoever calls over the unix socket without a token."""
        self._tokens = tokens
        self._at_socket = at_socket

    @asynccontextmanager
    async def around(self, method: str, context: Context) -> AsyncIterator[None]:
        """Lets the call in under its tenant, if its role may make it; health needs neither.

        Raises TokenMissing, TokenUnknown, CertificateRefused, TenantsDiffer and RoleTooLow. A wrong
        token is refused on the unix socket and beside a certificate too.
        """
        if not method.startswith(HEALTH):
            caller = self._identify(context)
            current().tenant = caller.tenant
            roles.ensure(caller.role, method)
        yield

    def _identify(self, context: Context) -> Caller:
        if context.peer().startswith("unix:"):
            return self._bearer(context) or self._at_socket
        tenant, bearer = certified(context), self._bearer(context)
        if tenant is None and bearer is None:
            raise TokenMissing("the call came without a bearer token")
        if tenant and bearer and bearer.tenant != tenant:
            raise TenantsDiffer("the token is of another tenant than the certificate")
        return bearer or self._listed(tenant)

    def _listed(self, tenant: str | None) -> Caller:
        caller = self._tokens.certified(tenant) if tenant else None
        if caller is None:
            raise CertificateRefused("the certificate's tenant is not listed here")
        return caller

    def _bearer(self, context: Context) -> Caller | None:
        given = header(context, "authorization")
        if not given:
            return None
        scheme, _, token = given[0].partition(" ")
        if len(given) > 1 or scheme.lower() != "bearer" or not token.strip():
            raise TokenMissing("the call's authorization is no single bearer token")
        caller = self._tokens.caller(token.strip())
        if caller is None:
            raise TokenUnknown("the bearer token is not known here")
        return caller
