"""Which page a capture shows: known bytes, then known pixels, else a page of its own."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from edge_clm.admission import Admission
from edge_clm.breaker import CacheBreaker
from edge_clm.config import Limits
from edge_clm.errors import (
    HandleUnknown,
    ImageMissing,
    ImageTooManyBytes,
    NoSuchPage,
    RequestInvalid,
)
from edge_clm.flight import Flights
from edge_clm.trace import Trace
from edge_clm.types import Capture, Engine, File, Memory, Seen, View

_HASH_IN_THREAD = 512 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """Where a page comes from: a file's bytes, or the handle of a capture sent before."""

    data: bytes | None
    handle: str = ""
    number: int = 0
    """Which page of the document, from 1; 0 means 1."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The page that a capture was found to show."""

    view: View
    pages: int
    file: Callable[[], Awaitable[File]]
    """Fetches the capture's file; raises HandleUnknown when it is no longer kept."""


class Identifier:
    """Finds the page of a capture, decoding only what has not been seen before."""

    def __init__(
        self,
        memory: Memory,
        engine: Engine,
        decoding: Admission,
        breaker: CacheBreaker,
        limits: Limits,
        page_key_of: Callable[[bytes, str], str],
    ) -> None:
        """`page_key_of` makes a page key from a tenant's key and a digest of canonical pixels."""
        self._memory = memory
        self._engine = engine
        self._decoding = decoding
        self._breaker = breaker
        self._limits = limits
        self._page_key_of = page_key_of
        self._flights: Flights[Seen] = Flights()
        self._stand_in_key = secrets.token_bytes(32)

    async def identify(
        self, tenant: str, source: Source, *, fresh: bool, keep: bool, deadline: float, trace: Trace
    ) -> Shown:
        """Finds or makes the view of a source.

        Raises the image errors, HandleUnknown, and those of admission; a memory that cannot be
        reached only costs a miss, except for a handle, which lives nowhere else.
        """
        number = self._number(source.number)
        with trace.stage("receive"):
            file, capture = await self._receive(tenant, source)
        handle = capture.handle if capture else ""
        with trace.stage("identify.hash"):
            view = await self._breaker.ask(self._known(tenant, capture, number), None)
        if view is not None and not fresh:
            pages = capture.pages if capture else 1
            return Shown(view, pages, lambda: self._file(tenant, handle, file))
        file = await self._file(tenant, handle, file)
        with trace.stage("decode_image"):
            seen = await self._decode(tenant, file, number, deadline)
        view = View(handle, number, seen.sha256, seen.width, seen.height, "")
        view = await self._adopt(tenant, view, file, seen, keep)
        return Shown(view, seen.pages, lambda: self._file(tenant, view.handle, file))

    async def put(self, tenant: str, data: bytes, deadline: float) -> Capture:
        """Keeps a file once it is known to be a document; raises DiskFull and StoreUnavailable too."""
        file, capture = await self._receive(tenant, Source(data))
        if capture is not None and capture.kept:
            return capture
        file = await self._file(tenant, "", file)
        seen = await self._decode(tenant, file, 1, deadline)
        capture = await self._memory.put_capture(tenant, data, seen.media_type, seen.pages)
        page_key = await self._page_key(tenant, seen)
        view = View(capture.handle, 1, seen.sha256, seen.width, seen.height, page_key)
        await self._memory.put_view(tenant, view)
        return capture

    def _number(self, number: int) -> int:
        if number < 0:
            raise RequestInvalid(
                f"page {number} cannot be; pages count from 1", field="page.number"
            )
        return number or 1

    async def _receive(self, tenant: str, source: Source) -> tuple[File | None, Capture | None]:
        if source.data is None:
            return None, await self._by_handle(tenant, source)
        size = len(source.data)
        if not size:
            raise ImageMissing("the image has no bytes", field="page.image")
        if size > self._limits.max_bytes:
            raise ImageTooManyBytes(f"{size} bytes; at most {self._limits.max_bytes} are read")
        file = File(await _sha256(source.data), source.data)
        return file, await self._breaker.ask(
            self._memory.capture_by_bytes(tenant, file.sha256), None
        )

    async def _by_handle(self, tenant: str, source: Source) -> Capture:
        if not source.handle:
            raise ImageMissing("neither image nor handle was given", field="page")
        capture = await self._memory.capture(tenant, source.handle)
        if capture is None:
            raise HandleUnknown("no such capture", field="page.handle")
        if source.number > capture.pages:
            raise NoSuchPage(f"page {source.number} of {capture.pages}", field="page.number")
        return capture

    async def _known(self, tenant: str, capture: Capture | None, number: int) -> View | None:
        return await self._memory.view(tenant, capture.handle, number) if capture else None

    async def _file(self, tenant: str, handle: str, file: File | None) -> File:
        if file is not None:
            return file
        data = await self._memory.capture_data(tenant, handle)
        if data is None:
            raise HandleUnknown("the capture's file is no longer kept", field="page.handle")
        return File(await _sha256(data), data)

    async def _decode(self, tenant: str, file: File, number: int, deadline: float) -> Seen:
        async def work() -> Seen:
            async with self._decoding.slot(tenant, deadline):
                return await self._engine.decode(file, number)

        return await self._flights.once((tenant, file.sha256, number), work)

    async def _adopt(self, tenant: str, view: View, file: File, seen: Seen, keep: bool) -> View:
        page_key = await self._page_key(tenant, seen)
        handle = view.handle
        if keep:
            handle = await self._breaker.ask(self._keep(tenant, file, seen), handle)
        view = View(handle, view.number, view.pixels_sha256, view.width, view.height, page_key)
        if keep and handle:
            await self._breaker.ask(self._memory.put_view(tenant, view), None)
        return view

    async def _keep(self, tenant: str, file: File, seen: Seen) -> str:
        capture = await self._memory.put_capture(tenant, file.data, seen.media_type, seen.pages)
        return capture.handle

    async def _page_key(self, tenant: str, seen: Seen) -> str:
        # Without the tenant's key the page still has a name of its own, good until the daemon ends.
        key = await self._breaker.ask(self._memory.tenant_key(tenant), self._stand_in_key)
        return self._page_key_of(key, seen.sha256)


async def _sha256(data: bytes) -> str:
    if len(data) < _HASH_IN_THREAD:
        return hashlib.sha256(data).hexdigest()
    digest = await asyncio.to_thread(hashlib.sha256, data)
    return digest.hexdigest()
