"""The memory of the daemon: one database, and the files of kept captures beside it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Self

from edge_clm.config import Memory
from edge_clm.features import Features
from edge_clm.memory.anchors import Anchors
from edge_clm.memory.captures import Captures
from edge_clm.memory.counts import by_tenant
from edge_clm.memory.database import Database
from edge_clm.memory.failures import translated
from edge_clm.memory.files import CaptureFiles, close_to_others
from edge_clm.memory.lock import DirectoryLock
from edge_clm.memory.pages import Pages
from edge_clm.memory.sightings import Sightings
from edge_clm.memory.snapshots import Snapshots
from edge_clm.memory.tenants import Tenants
from edge_clm.memory.touches import Touches
from edge_clm.paper import PageText
from edge_clm.types import (
    Capture,
    Embedder,
    KnownPage,
    NewAnchor,
    Proof,
    Sighting,
    Snapshot,
    View,
)

DATABASE_NAME = "memory.sqlite3"
_COUNTED = """SELECT
    (SELECT count(*) FROM tenants) AS tenants,
    (SELECT count(*) FROM captures) AS captures,
    (SELECT count(*) FROM captures WHERE kept) AS captures_kept,
    (SELECT coalesce(sum(size), 0) FROM captures WHERE kept) AS capture_bytes,
    (SELECT count(*) FROM views) AS views,
    (SELECT count(*) FROM pages) AS pages,
    (SELECT count(*) FROM anchors) AS anchors,
    (SELECT count(*) FROM adoptions) AS adoptions,
    (SELECT count(*) FROM snapshots) AS snapshots,
    (SELECT count(*) FROM snapshots WHERE disputed) AS snapshots_disputed,
    (SELECT count(*) FROM feedback) AS feedback,
    (SELECT page_count * page_size FROM pragma_page_count, pragma_page_size) AS database_bytes"""
_COUNTS = (
    *("tenants", "captures", "captures_kept", "capture_bytes", "views", "pages"),
    *("anchors", "adoptions", "snapshots", "snapshots_disputed", "feedback", "database_bytes"),
)


class Store:
    """Captures, pages and snapshots of every tenant; only `open` makes one, and `async with` closes it.

    A tenant never sees another's rows: the tenant is part of every key. Every method raises
    StoreUnavailable when the database is locked for longer than its timeout, out of reach or closed
    (a look-up's caller treats that as a miss), and those that write raise DiskFull. What a method has
    returned from survives the death of the process; a caller cancelled in the middle of a write leaves
    it whole.
    """

    def __init__(self, database: Database, captures: Captures, touches: Touches) -> None:
        self._database = database
        self._captures = captures
        self._touches = touches
        self._tenants = Tenants(database)
        self._pages = Pages(database, touches)
        self._anchors = Anchors(database)
        self._snapshots = Snapshots(database, touches)
        self._sightings = Sightings(database)
        self._lifetime = AsyncExitStack()

    @classmethod
    async def open(cls, config: Memory, *, busy_timeout_ms: int = 5000) -> Store:
        """Opens the memory in `config.directory`, making it where there is none.

        A directory of this user's is closed to all others. Migrates the database and removes what a
        crash left behind. Raises AddressTaken while another process has it open, ConfigInvalid for a
        database of a newer edge_clm, StoreUnavailable for a damaged or unreachable one, DiskFull.
        """
        directory = Path(config.directory)
        async with AsyncExitStack() as stack:
            lock = await asyncio.to_thread(DirectoryLock.take, directory)
            stack.callback(lock.release)
            with translated(directory):
                await asyncio.to_thread(close_to_others, directory)
            database = await Database.open(
                directory / DATABASE_NAME, busy_timeout_ms=busy_timeout_ms
            )
            stack.push_async_callback(database.close)
            touches = Touches(database)
            stack.push_async_callback(touches.stop)
            files = CaptureFiles(directory / "captures")
            captures = Captures(database, files, touches, config.capture_bytes)
            await captures.sweep()
            store = cls(database, captures, touches)
            store._lifetime = stack.pop_all()
            return store

    async def close(self) -> None:
        """Writes what is waiting, empties the write-ahead log and lets the directory go; once or often."""
        await asyncio.shield(asyncio.create_task(self._lifetime.aclose()))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def tenant_key(self, tenant: str) -> bytes:
        """The tenant's 32 random bytes, made at first use and the same ever after."""
        return await self._tenants.key(tenant)

    async def put_capture(self, tenant: str, data: bytes, media_type: str, pages: int) -> Capture:
        """Keeps a file of `pages` pages; the same bytes always have the same handle.

        The file is on the disk when this returns, unless it alone is larger than the byte budget: then
        `kept` is False. Least recently used files make room; their captures stay known, and sending the
        bytes again keeps the file again. Raises DiskFull, having kept nothing.
        """
        key = await self._tenants.key(tenant)
        return await self._captures.put(tenant, key, data, media_type, pages)

    async def capture(self, tenant: str, handle: str) -> Capture | None:
        """The capture of that handle, if this tenant has it."""
        return await self._captures.by_handle(tenant, handle)

    async def capture_by_bytes(self, tenant: str, bytes_sha256: str) -> Capture | None:
        """The capture of the file with that hex SHA-256, if this tenant has sent it."""
        return await self._captures.by_bytes(tenant, bytes_sha256)

    async def capture_data(self, tenant: str, handle: str) -> bytes | None:
        """The capture's file as it came; None when it is unknown, no longer kept, or damaged."""
        return await self._captures.data(tenant, handle)

    async def view(self, tenant: str, handle: str, number: int) -> View | None:
        """What page `number` (from 1) of a capture shows, if it was looked at before."""
        return await self._pages.view(tenant, handle, number)

    async def put_view(self, tenant: str, view: View) -> None:
        """Keeps what a page of a capture shows; a later view of it takes its place.

        Raises InternalFault when this tenant has no such capture.
        """
        await self._pages.put_view(tenant, view)

    async def page_text(self, tenant: str, page_key: str, ocr_fingerprint: str) -> PageText | None:
        """The text of a page, if that very OCR has read it."""
        return await self._pages.text(tenant, page_key, ocr_fingerprint)

    async def put_page(
        self, tenant: str, page_key: str, text: PageText, ocr_fingerprint: str
    ) -> None:
        """Keeps the text of a page; another OCR's takes its place."""
        await self._tenants.key(tenant)
        await self._pages.put_text(tenant, page_key, text, ocr_fingerprint)

    async def recalled(
        self, tenant: str, features: Features, embedder: Embedder
    ) -> list[KnownPage]:
        """Known pages that look like it, those with most points in common first, each before those with its names.

        None where none has more in common than by chance, nor while the index is still being made after a start. Only
        features that this embedder has made are compared.
        """
        return await self._anchors.recalled(tenant, features, embedder)

    async def namesakes(self, tenant: str, named: str, embedder: Embedder) -> list[KnownPage]:
        """Known pages that bear these very names, the youngest first, as far as this embedder has seen them."""
        return await self._anchors.namesakes(tenant, named, embedder)

    async def put_anchor(self, tenant: str, anchor: NewAnchor, embedder: Embedder) -> None:
        """Makes a page known by the view that is its anchor; the same page key again changes that one.

        Raises InternalFault when this tenant has no such capture.
        """
        await self._anchors.put(tenant, anchor, embedder)

    async def replace_anchor(
        self, tenant: str, page: KnownPage, anchor: NewAnchor, embedder: Embedder
    ) -> None:
        """Lets another view stand for a known page; the one that did adopts it.

        Nothing changes where that view stands for a page already. Raises as `put_anchor` does.
        """
        await self._anchors.replace(tenant, page, anchor, embedder)

    async def adopt(self, tenant: str, view: View, page: KnownPage) -> None:
        """Keeps that a view was proven to show a known page."""
        await self._anchors.adopt(tenant, view, page)

    async def forget_anchor(self, tenant: str, page: KnownPage) -> None:
        """Takes a page for unknown; what was proven by it stands."""
        await self._anchors.forget(tenant, page)

    async def adopted(self, tenant: str, page_key: str) -> KnownPage | None:
        """The known page that captures with this page key of their own were proven to show."""
        return await self._anchors.adopted(tenant, page_key)

    async def put_proof(self, tenant: str, view: View, page: KnownPage, proof: Proof) -> None:
        """Keeps that a snapshot about a known page holds for a view that shows it, and that it does.

        Raises InternalFault when this tenant has no such snapshot.
        """
        await self._anchors.prove(tenant, view, page, proof)

    async def sighting(self, tenant: str, page_key: str) -> Sighting | None:
        """What is kept of when that page was first read."""
        return await self._sightings.one(tenant, page_key)

    async def sightings(self, tenant: str, named: str, view: View) -> Sequence[Sighting]:
        """The last few pages of exactly those names on other captures than a view's, the newest first.

        Only those of its page number: each page of a document bears the document's names.
        """
        return await self._sightings.named(tenant, named, view)

    async def put_sighting(self, tenant: str, sighting: Sighting) -> None:
        """Keeps that a page was read; one that is kept already stays as it is."""
        await self._sightings.put(tenant, sighting)

    async def snapshot(self, tenant: str, joint_hash: str) -> Snapshot | None:
        """The newest version under a joint hash; None when that one is disputed: older ones never replay.

        Where there is none, the snapshot that was proven to hold for it, with its evidence as it lies
        there; not once that one is disputed or has a younger version.
        """
        return await self._snapshots.newest(tenant, joint_hash)

    async def drafts(self, tenant: str, page_key: str) -> Sequence[Snapshot]:
        """The last undisputed snapshots of a page, every version and every model's, the newest first."""
        return await self._snapshots.about(tenant, page_key)

    async def put_snapshot(self, snapshot: Snapshot) -> Snapshot:
        """Keeps a snapshot as the newest version under its joint hash; returns the one that stands for it.

        Where the newest version says the same, that one stands and is as young as this; the same id
        again changes nothing. It is kept as disputed when a version that says the same was: the model
        that was wrong will be wrong again, and must not be replayed for it.
        """
        await self._tenants.key(snapshot.tenant)
        return await self._snapshots.put(snapshot)

    async def touch_snapshot(self, tenant: str, snapshot_id: str) -> None:
        """Counts a use; written within a second and at close, so that a replay never waits for it."""
        self._snapshots.touch(tenant, snapshot_id)

    async def feedback(self, tenant: str, answer_id: str, right: bool, correction: str) -> bool:
        """Keeps what a caller said of an answer; False when this tenant has no such snapshot.

        A wrong answer is disputed: no version that says the same is ever replayed. Saying it again
        changes nothing but an added correction. On the disk, power cut or not, when this returns.
        """
        return await self._snapshots.feedback(tenant, answer_id, right, correction)

    async def counts(self) -> dict[str, int]:
        """Rows of each kind, and bytes of kept files, database and write-ahead log, for metrics."""
        rows = await self._database.read(_COUNTED)
        counts = dict(zip(_COUNTS, map(int, rows[0]), strict=True))
        return counts | {"wal_bytes": await asyncio.to_thread(self._database.wal_bytes)}

    async def counts_by_tenant(self) -> dict[str, dict[str, int]]:
        """Rows of each kind and bytes of kept files for each tenant, by name; for operators alone."""
        return await by_tenant(self._database)
