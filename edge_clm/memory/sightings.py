"""Which pages were read, what names them, and what was to be said of them then."""

from __future__ import annotations

import json

import aiosqlite

from edge_clm.memory.database import Database, Row
from edge_clm.paper import Difference, Notice, NoticeKind, PageKind
from edge_clm.types import Sighting, View

_MOST = 3
"""Earlier pages of the same names that are told of."""

_COLUMNS = "page_key, handle, page, named, kind, seen, notices"
_ONE = f"SELECT {_COLUMNS} FROM sightings WHERE tenant = ? AND page_key = ?"  # noqa: S608
_NAMED = f"""SELECT {_COLUMNS} FROM sightings WHERE tenant = ? AND named = ?
    AND page = ? AND handle != ? ORDER BY seen DESC LIMIT ?"""  # noqa: S608
_PUT = """INSERT INTO sightings (tenant, page_key, handle, page, named, kind, seen, notices)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (tenant, page_key) DO NOTHING"""


class Sightings:
    """Keeps sightings: one a page, never changed."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def one(self, tenant: str, page_key: str) -> Sighting | None:
        """See `Store.sighting`."""
        rows = await self._database.read(_ONE, (tenant, page_key))
        return _sighting(rows[0]) if rows else None

    async def named(self, tenant: str, named: str, view: View) -> list[Sighting]:
        """See `Store.sightings`."""
        row = (tenant, named, view.number, view.handle, _MOST)
        return [*map(_sighting, await self._database.read(_NAMED, row))]

    async def put(self, tenant: str, sighting: Sighting) -> None:
        """See `Store.put_sighting`."""
        where = (tenant, sighting.page_key, sighting.handle, sighting.page)
        told = (sighting.named, sighting.kind.value, sighting.seen)
        row = (*where, *told, encode_notices(sighting.notices))

        async def work(connection: aiosqlite.Connection) -> None:
            await connection.execute_fetchall(_PUT, row)

        await self._database.write(work)


def encode_notices(notices: tuple[Notice, ...]) -> str:
    """Notices as JSON."""
    told = [
        [one.kind.value, one.handle, one.page, one.seen, [_plain(each) for each in one.differences]]
        for one in notices
    ]
    return json.dumps(told, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def decode_notices(encoded: str) -> tuple[Notice, ...]:
    """The inverse of `encode_notices`."""
    return tuple(
        Notice(NoticeKind(kind), handle, page, seen, tuple(Difference(*one) for one in differences))
        for kind, handle, page, seen, differences in json.loads(encoded)
    )


def _plain(difference: Difference) -> list[str]:
    return [difference.field, difference.before, difference.now]


def _sighting(row: Row) -> Sighting:
    page_key, handle, page, named, kind, seen, notices = row
    told = decode_notices(notices)
    return Sighting(page_key, handle, page, named, PageKind(kind), seen, told)
