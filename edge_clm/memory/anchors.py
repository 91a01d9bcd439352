"""The pages that are known by an anchor, the captures that were proven to show them, and what holds there."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Coroutine
from dataclasses import replace
from typing import Any

import aiosqlite
import numpy as np

from edge_clm.features import Features, Points
from edge_clm.memory.database import Database, Row
from edge_clm.memory.groundings import encode_grounding
from edge_clm.memory.recall import Proposed, Recall, proposed
from edge_clm.types import Embedder, KnownPage, NewAnchor, Proof, View

log = logging.getLogger(__name__)

_FLOAT = np.dtype("<f4")
_PATIENCE_S = 0.4
"""Seconds in which points are compared: less than a look-up may take in all."""
_MOST = 4
"""Pages that are proposed at once, at most: siblings of one order are no more."""

_BY_NUMBER = (
    "SELECT number, page_key, handle, page, named FROM anchors WHERE tenant = ? AND number = ?"
)
# A page whose anchor another embedder has seen becomes known once more: by that one it would never be recalled.
_NAMED = """SELECT number, page_key, handle, page FROM anchors
    WHERE tenant = ? AND named = ? AND embedder = ? ORDER BY created DESC LIMIT ?"""
_FEATURES = "SELECT tenant, number, vector, points FROM anchors WHERE embedder = ?"
_ADOPTED = """SELECT a.number, a.page_key, a.handle, a.page FROM adoptions AS b
    JOIN anchors AS a ON a.number = b.anchor AND a.tenant = b.tenant
    WHERE b.tenant = ? AND b.page_key = ?"""
_PUT = """INSERT INTO anchors (tenant, page_key, handle, page, vector, points, embedder, named,
        created) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
    ON CONFLICT (tenant, page_key) DO UPDATE SET handle = excluded.handle, page = excluded.page,
        vector = excluded.vector, points = excluded.points, embedder = excluded.embedder,
        named = excluded.named, created = excluded.created
    RETURNING number"""
# What was seen of an anchor may be past: each statement names the page key that it is about.
_REPLACE = """UPDATE OR IGNORE anchors SET page_key = ?2, handle = ?3, page = ?4, vector = ?5, points = ?6,
    embedder = ?7, named = ?8, created = ?9
    WHERE tenant = ?1 AND number = ?10 AND page_key = ?11 RETURNING number"""
_FORGET = "DELETE FROM anchors WHERE tenant = ? AND number = ? AND page_key = ? RETURNING number"
# An anchor that was forgotten meanwhile adopts nothing, and the proof stands without it.
_ADOPT = """INSERT INTO adoptions (tenant, page_key, anchor)
    SELECT ?1, ?2, number FROM anchors WHERE number = ?3 AND tenant = ?1
    ON CONFLICT (tenant, page_key) DO UPDATE SET anchor = excluded.anchor"""
_PROVE = """INSERT INTO proofs
    (tenant, joint_hash, snapshot_id, grounding, turn, width, height, created)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant, joint_hash) DO UPDATE SET snapshot_id = excluded.snapshot_id,
        grounding = excluded.grounding, turn = excluded.turn, width = excluded.width,
        height = excluded.height, created = excluded.created"""


class Anchors:
    """Keeps anchors and proofs in the database, and the features of one embedder at hand besides."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._recall: Recall | None = None
        self._embedder = ""
        self._loading: asyncio.Task[None] | None = None
        self._changing = asyncio.Lock()

    async def recalled(
        self, tenant: str, features: Features, embedder: Embedder
    ) -> list[KnownPage]:
        """See `Store.recalled`."""
        recall = self._at_hand(embedder, len(features.vector))
        if recall is None:
            return []
        found: dict[int, KnownPage] = {}
        alike = recall.search(tenant, features.vector)
        shortlist = [one for one in alike if one.cosine >= embedder.least]
        for number, likeness in await _compared(features.points, shortlist):
            for *page, named in await self._database.read(_BY_NUMBER, (tenant, number)):
                for one in (KnownPage(*page), *await self.namesakes(tenant, named, embedder)):
                    found.setdefault(one.number, replace(one, likeness=likeness))
        return list(found.values())[:_MOST]

    async def namesakes(self, tenant: str, named: str, embedder: Embedder) -> list[KnownPage]:
        """See `Store.namesakes`."""
        rows = await self._database.read(_NAMED, (tenant, named, embedder.fingerprint, _MOST))
        return [KnownPage(*row) for row in rows]

    async def put(self, tenant: str, anchor: NewAnchor, embedder: Embedder) -> None:
        """See `Store.put_anchor`."""

        async def work() -> None:
            recall = await self._loaded(embedder, len(anchor.features.vector))
            row = _row(tenant, anchor, embedder)
            number = await self._database.write(lambda connection: _put(connection, row))
            recall.add(tenant, number, anchor.features)

        await self._alone(work)

    async def replace(
        self, tenant: str, page: KnownPage, anchor: NewAnchor, embedder: Embedder
    ) -> None:
        """See `Store.replace_anchor`."""
        row = (*_row(tenant, anchor, embedder), page.number, page.page_key)

        async def write(connection: aiosqlite.Connection) -> bool:
            changed = bool(list(await connection.execute_fetchall(_REPLACE, row)))
            if changed:
                await connection.execute_fetchall(_ADOPT, (tenant, page.page_key, page.number))
            return changed

        async def work() -> None:
            recall = await self._loaded(embedder, len(anchor.features.vector))
            if await self._database.write(write):
                recall.add(tenant, page.number, anchor.features)

        await self._alone(work)

    async def forget(self, tenant: str, page: KnownPage) -> None:
        """See `Store.forget_anchor`."""
        row = (tenant, page.number, page.page_key)

        async def write(connection: aiosqlite.Connection) -> bool:
            return bool(list(await connection.execute_fetchall(_FORGET, row)))

        async def work() -> None:
            if await self._database.write(write) and self._recall is not None:
                self._recall.remove(tenant, page.number)

        await self._alone(work)

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

    async def _alone(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Changes rows and index together, to the end, whatever becomes of the caller."""

        async def whole() -> None:
            async with self._changing:
                await work()

        await self._database.finish(whole)

    def _at_hand(self, embedder: Embedder, dimensions: int) -> Recall | None:
        """The index of that embedder's features; None until it is made, which begins now."""
        if self._recall is not None and self._embedder == embedder.fingerprint:
            return self._recall
        if self._loading is None or self._loading.done():

            async def work() -> None:
                await self._loaded(embedder, dimensions)

            self._loading = asyncio.create_task(self._alone(work))
            self._loading.add_done_callback(_report)
        return None

    async def _loaded(self, embedder: Embedder, dimensions: int) -> Recall:
        """The same, made from the database's rows where it is not there yet; the caller is alone."""
        if self._recall is None or self._embedder != embedder.fingerprint:
            rows = await self._database.read(_FEATURES, (embedder.fingerprint,))
            # Seconds for a hundred thousand pages: not in the event loop's time.
            self._recall = await asyncio.to_thread(_index, dimensions, rows)
            self._embedder = embedder.fingerprint
        return self._recall


def _index(dimensions: int, rows: list[Row]) -> Recall:
    # Loading it takes longer than a look-up may: not at the first one.
    import cv2  # noqa: F401

    return Recall(dimensions, map(_features, rows))


async def _compared(points: Points, shortlist: list[Proposed]) -> list[tuple[int, float]]:
    """The pages that have most points in common, with their share; none where a busy machine does not tell soon.

    Tens of milliseconds for hundreds of pages: not in the event loop's time, and no fault of the database's.
    """
    try:
        async with asyncio.timeout(_PATIENCE_S):
            return await asyncio.to_thread(proposed, points, shortlist, _MOST)
    except TimeoutError:
        log.info("known pages were not compared in time")
        return []


def _report(task: asyncio.Task[None]) -> None:
    error = None if task.cancelled() else task.exception()
    if error is not None:
        log.warning("the index of pages was not made: %s", type(error).__name__)


async def _put(connection: aiosqlite.Connection, row: tuple[Any, ...]) -> int:
    return int(next(iter(await connection.execute_fetchall(_PUT, row)))[0])


def _row(tenant: str, anchor: NewAnchor, embedder: Embedder) -> tuple[Any, ...]:
    view, features = anchor.view, anchor.features
    where = (tenant, view.page_key, view.handle, view.number)
    seen = (np.asarray(features.vector, _FLOAT).tobytes(), features.points.encoded())
    return (*where, *seen, embedder.fingerprint, anchor.named, time.time())


def _page(rows: list[Row]) -> KnownPage | None:
    return KnownPage(*rows[0]) if rows else None


def _features(row: Row) -> tuple[str, int, Features]:
    tenant, number, vector, points = row
    return tenant, number, Features(np.frombuffer(vector, _FLOAT), Points.decoded(points))
