"""Which page a capture shows: known bytes, then known pixels, else a page of its own."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from edge_clm.admission import Admission
from edge_clm.breaker import CacheBreaker
from edge_clm.config import Limits
from edge_clm.errors import (
    CapturesNotKept,
    HandleUnknown,
    ImageMissing,
    ImageTooManyBytes,
    NoSuchPage,
    RequestInvalid,
)
from edge_clm.flight import Flights
from edge_clm.ports import Engine, Memory
from edge_clm.trace import Trace
from edge_clm.types import Capture, File, Seen, Stage, View

_HASH_IN_THREAD = 512 * 1024


@dataclass(frozen=True, slots=True)
class Source:
    """Where a page comes from: a file's bytes, or the handle of a capture sent before."""

    data: bytes | None
    handle: str = ""
    number: int = 0
    """Which page of the document, from 1; 0 where none is named, which `identify` takes for 1."""


@dataclass(frozen=True, slots=True)
class Shown:
    """The page that a capture was found to show."""

    view: View
    pages: int
    file: Callable[[], Awaitable[File]]
    """Fetches the capture's file; raises HandleUnknown when it is no longer kept."""
    keepable: bool
    """False when the page has no lasting name, so that nothing may be kept under it."""


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
        self._flights: Flights[tuple[Seen, float]] = Flights()
        self._tenant_keys: dict[str, bytes] = {}
        self._stand_in = secrets.token_bytes(32)

    async def identify(
        self, tenant: str, source: Source, *, fresh: bool, keep: bool, deadline: float, trace: Trace
    ) -> Shown:
        """Finds or makes the view of a source.

        Raises the image errors, HandleUnknown, and those of admission; a memory that cannot be
        reached only costs a miss, except for a handle, which lives nowhere else.
        """
        number = _number(source.number)
        with trace.stage("receive"):
            file, capture = await self._receive(tenant, source)
        with trace.stage("identify.hash"):
            view = await self._known(tenant, capture, number)
        if capture and view and not fresh:
            return Shown(view, capture.pages, lambda: self._file(tenant, capture, file), True)
        file = await self._file(tenant, capture, file)
        with trace.waiting():
            seen, ms = await self._decode(tenant, file, number, deadline)
            trace.add([Stage("decode_image", ms)])
        view, keepable = await self._name(tenant, seen, number)
        if keep and keepable and not (capture and capture.kept):
            work = self._memory.put_capture(tenant, file.data, seen.media_type, seen.pages)
            capture = await self._breaker.write(work, capture)
        if capture:
            view = replace(view, handle=capture.handle)
            if keep and keepable:
                await self._breaker.write(self._memory.put_view(tenant, view), None)
        return Shown(view, seen.pages, lambda: self._file(tenant, capture, file), keepable)

    async def put(self, tenant: str, data: bytes, deadline: float) -> Capture:
        """Keeps a file once it is known to be a document.

        Raises the image errors, CapturesNotKept, DiskFull and StoreUnavailable.
        """
        file, known = await self._receive(tenant, Source(data))
        if known is not None and known.kept:
            return known
        file = await self._file(tenant, None, file)
        seen, _ = await self._decode(tenant, file, 1, deadline)
        capture = await self._memory.put_capture(tenant, data, seen.media_type, seen.pages)
        if not capture.kept:
            raise CapturesNotKept(f"{capture.size} bytes are more than all captures may take")
        view, keepable = await self._name(tenant, seen, 1)
        if keepable:
            await self._memory.put_view(tenant, replace(view, handle=capture.handle))
        return capture

    async def _receive(self, tenant: str, source: Source) -> tuple[File | None, Capture | None]:
        if source.data is None:
            return None, await self._by_handle(tenant, source)
        size = len(source.data)
        if not size:
            raise ImageMissing("the image has no bytes", field="page.image")
        if size > self._limits.max_bytes:
            limit = self._limits.max_bytes
            raise ImageTooManyBytes(f"{size} bytes; at most {limit} are read", field="page.image")
        file = File(await _sha256(source.data), source.data)
        look_up = self._memory.capture_by_bytes(tenant, file.sha256)
        return file, await self._breaker.read(look_up, None)

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
        if capture is None:
            return None
        return await self._breaker.read(self._memory.view(tenant, capture.handle, number), None)

    async def _file(self, tenant: str, capture: Capture | None, file: File | None) -> File:
        if file is not None:
            return file
        data = await self._memory.capture_data(tenant, capture.handle) if capture else None
        if capture is None or data is None:
            raise HandleUnknown("the capture's file is no longer kept", field="page.handle")
        return File(capture.bytes_sha256, data)

    async def _decode(
        self, tenant: str, file: File, number: int, deadline: float
    ) -> tuple[Seen, float]:
        async def work() -> tuple[Seen, float]:
            async with self._decoding.slot(tenant, deadline):
                return await self._engine.decode(file, number)

        return await self._flights.once((tenant, file.sha256, number), work)

    async def _name(self, tenant: str, seen: Seen, number: int) -> tuple[View, bool]:
        """The view, still without a handle, and whether its page key will last."""
        key = self._tenant_keys.get(tenant)
        if key is None:
            # The first time it is made, which is a write.
            key = await self._breaker.write(self._memory.tenant_key(tenant), None)
        if key is not None:
            self._tenant_keys[tenant] = key
        # Without the tenant's key the page has a name of its own until the daemon ends, and of this
        # tenant alone: no two tenants ever share a page state.
        lasting = key or hmac.digest(self._stand_in, tenant.encode(), "sha256")
        page_key = self._page_key_of(lasting, seen.sha256)
        view = View("", number, seen.sha256, seen.width, seen.height, page_key)
        return view, key is not None


def _number(number: int) -> int:
    if number < 0:
        raise RequestInvalid(f"page {number} cannot be; pages count from 1", field="page.number")
    return number or 1


async def _sha256(data: bytes) -> str:
    if len(data) < _HASH_IN_THREAD:
        return hashlib.sha256(data).hexdigest()
    digest = await asyncio.to_thread(hashlib.sha256, data)
    return digest.hexdigest()
