"""Tenants, and the key from which the names of everything of theirs are made."""

from __future__ import annotations

import secrets
import time

import aiosqlite

from edge_clm.memory.database import Database

KEY_BYTES = 32


class Tenants:
    """Keeps one random key for each tenant; those that were asked for stay in memory."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._known: dict[str, bytes] = {}

    async def key(self, tenant: str) -> bytes:
        """See `Store.tenant_key`."""
        known = self._known.get(tenant)
        if known is None:
            known = await self._read(tenant) or await self._make(tenant)
            self._known[tenant] = known
        return known

    async def _read(self, tenant: str) -> bytes | None:
        rows = await self._database.read("SELECT key FROM tenants WHERE name = ?", (tenant,))
        return bytes(rows[0][0]) if rows else None

    async def _make(self, tenant: str) -> bytes:
        async def work(connection: aiosqlite.Connection) -> bytes:
            # Two first uses at once: the first key stands, and both get it.
            rows = await connection.execute_fetchall(
                "INSERT INTO tenants (name, key, created) VALUES (?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET name = name RETURNING key",
                (tenant, secrets.token_bytes(KEY_BYTES), time.time()),
            )
            return bytes(next(iter(rows))[0])

        return await self._database.write(work, durable=True)
