"""The pages that are known by an anchor, the captures that were proven to show them, and what holds there."""

from __future__ import annotations

import asyncio
import time
from typing import Any

import aiosqlite
import numpy as np

from edge_clm.memory.database import Database, Row
from edge_clm.memory.groundings import encode_grounding
from edge_clm.memory.recall import Recall
from edge_clm.types import Embedder, KnownPage, NewAnchor, Proof, Vector, View

_FLOAT = np.dtype("<f4")
_MOST = 4
"""Pages of one name that are proposed at once: siblings of one order, no more."""

# The page itself first, then those that bear the same names, the youngest first.
_WITH_NAMESAKES = """SELECT a.number, a.page_key, a.handle, a.page FROM anchors AS a
    JOIN anchors AS b ON b.tenant = a.tenant AND b.named = a.named
    WHERE b.tenant = ?1 AND b.number = ?2 ORDER BY a.number = ?2 DESC, a.created DESC LIMIT ?3"""
_NAMED = """SELECT number, page_key, handle, page FROM anchors WHERE tenant = ? AND named = ?
    ORDER BY created DESC LIMIT ?"""
_VECTORS = "SELECT tenant, number, vector FROM anchors WHERE embedder = ?"
_ADOPTED = """SELECT a.number, a.page_key, a.handle, a.page FROM adoptions AS b
    JOIN anchors AS a ON a.number = b.anchor WHERE b.tenant = ? AND b.page_key = ?"""
_PUT = """INSERT INTO anchors (tenant, page_key, handle, page, vector, embedder, named, created)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
    ON CONFLICT (tenant, page_key) DO UPDATE SET handle = excluded.handle, page = excluded.page,
        vector = excluded.vector, embedder = excluded.embedder, named = excluded.named,
        created = excluded.created
    RETURNING number"""
_REPLACE = """UPDATE OR IGNORE anchors SET page_key = ?2, handle = ?3, page = ?4, vector = ?5, embedder = ?6,
    named = ?7, created = ?8 WHERE tenant = ?1 AND number = ?9 RETURNING number"""
_FORGET = "DELETE FROM anchors WHERE tenant = ? AND number = ?"
# An anchor that was forgotten meanwhile adopts nothing, and the proof stands without it.
_ADOPT = """INSERT INTO adoptions (tenant, page_key, anchor)
    SELECT ?1, ?2, number FROM anchors WHERE number = ?3
    ON CONFLICT (tenant, page_key) DO UPDATE SET anchor = excluded.anchor"""
_PROVE = """INSERT INTO proofs
    (tenant, joint_hash, snapshot_id, grounding, turn, width, height, created)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant, joint_hash) DO UPDATE SET snapshot_id = excluded.snapshot_id,
        grounding = excluded.grounding, turn = excluded.turn, width = excluded.width,
        height = excluded.height, created = excluded.created"""


class Anchors:
    """Keeps anchors and proofs in the database, and the vectors of one embedder in an index besides."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._recall: Recall | None = None
        self._embedder = ""
        self._loading = asyncio.Lock()

    async def recalled(self, tenant: str, vector: Vector, embedder: Embedder) -> list[KnownPage]:
        """See `Store.recalled`."""
        recall = await self._loaded(embedder, len(vector))
        for proposed in recall.search(tenant, vector, most=1):
            if proposed.likeness >= embedder.least:
                where = (tenant, proposed.number, _MOST)
                return [
                    KnownPage(*row) for row in await self._database.read(_WITH_NAMESAKES, where)
                ]
        return []

    async def namesakes(self, tenant: str, named: str) -> list[KnownPage]:
        """See `Store.namesakes`."""
        rows = await self._database.read(_NAMED, (tenant, named, _MOST))
        return [KnownPage(*row) for row in rows]

    async def put(self, tenant: str, anchor: NewAnchor, embedder: Embedder) -> None:
        """See `Store.put_anchor`."""
        recall = await self._loaded(embedder, len(anchor.vector))
        number = await self._database.write(
            lambda connection: _put(connection, _row(tenant, anchor, embedder))
        )
        recall.add(tenant, number, anchor.vector)

    async def replace(
        self, tenant: str, page: KnownPage, anchor: NewAnchor, embedder: Embedder
    ) -> None:
        """See `Store.replace_anchor`."""
        recall = await self._loaded(embedder, len(anchor.vector))
        row = (*_row(tenant, anchor, embedder), page.number)

        async def work(connection: aiosqlite.Connection) -> bool:
            changed = bool(list(await connection.execute_fetchall(_REPLACE, row)))
            if changed:
                await connection.execute_fetchall(_ADOPT, (tenant, page.page_key, page.number))
            return changed

        if await self._database.write(work):
            recall.add(tenant, page.number, anchor.vector)

    async def forget(self, tenant: str, number: int) -> None:
        """See `Store.forget_anchor`."""

        async def work(connection: aiosqlite.Connection) -> None:
            await connection.execute_fetchall(_FORGET, (tenant, number))

        await self._database.write(work)
        if self._recall is not None:
            self._recall.remove(tenant, number)

    async def adopted(self, tenant: str, page_key: str) -> KnownPage | None:
        """See `Store.adopted`."""
        return _page(await self._database.read(_ADOPTED, (tenant, page_key)))

    async def adopt(self, tenant: str, view: View, page: KnownPage) -> None:
        """See `Store.adopt`."""

        async def work(connection: aiosqlite.Connection) -> None:
            await connection.execute_fetchall(_ADOPT, (tenant, view.page_key, page.number))

        await self._database.write(work)

    async def prove(self, tenant: str, view: View, page: KnownPage, proof: Proof) -> None:
        """See `Store.put_proof`."""
        frame = (proof.turn, proof.width, proof.height, time.time())
        row = (tenant, proof.joint_hash, proof.snapshot_id, encode_grounding(proof.grounding))

        async def work(connection: aiosqlite.Connection) -> None:
            await connection.execute_fetchall(_ADOPT, (tenant, view.page_key, page.number))
            await connection.execute_fetchall(_PROVE, (*row, *frame))

        await self._database.write(work)

    async def _loaded(self, embedder: Embedder, dimensions: int) -> Recall:
        """The index of that embedder's vectors, made from the database's rows at first."""
        async with self._loading:
            if self._recall is None or self._embedder != embedder.fingerprint:
                rows = await self._database.read(_VECTORS, (embedder.fingerprint,))
                self._recall = Recall(dimensions, [_vector(row) for row in rows])
                self._embedder = embedder.fingerprint
            return self._recall


async def _put(connection: aiosqlite.Connection, row: tuple[Any, ...]) -> int:
    return int(next(iter(await connection.execute_fetchall(_PUT, row)))[0])


def _row(tenant: str, anchor: NewAnchor, embedder: Embedder) -> tuple[Any, ...]:
    view, vector = anchor.view, np.asarray(anchor.vector, _FLOAT).tobytes()
    where = (tenant, view.page_key, view.handle, view.number)
    return (*where, vector, embedder.fingerprint, anchor.named, time.time())


def _page(rows: list[Row]) -> KnownPage | None:
    return KnownPage(*rows[0]) if rows else None


def _vector(row: Row) -> tuple[str, int, Vector]:
    tenant, number, vector = row
    return tenant, number, np.frombuffer(vector, _FLOAT)
