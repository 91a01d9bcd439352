"""What captures show: the page behind each page of a capture, and the text of pages."""

from __future__ import annotations

import json
import time
from dataclasses import astuple
from typing import Any

import aiosqlite

from edge_clm.memory.database import Database
from edge_clm.memory.touches import Touches, Used
from edge_clm.paper import Flaw, Line, PageText, Point
from edge_clm.types import PAGE_VERSION, View

_VIEW = """SELECT handle, number, pixels_sha256, width, height, page_key FROM views
    WHERE tenant = ? AND handle = ? AND number = ?"""
_PUT_VIEW = """INSERT INTO views
    (tenant, handle, number, pixels_sha256, width, height, page_key) VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (tenant, handle, number) DO UPDATE SET pixels_sha256 = excluded.pixels_sha256,
        width = excluded.width, height = excluded.height, page_key = excluded.page_key"""
_TEXT = """SELECT text FROM pages
    WHERE tenant = ? AND page_key = ? AND version = ? AND ocr_fingerprint = ?"""
_PUT_TEXT = """INSERT INTO pages
    (tenant, page_key, version, text, ocr_fingerprint, created, last_used)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)
    ON CONFLICT (tenant, page_key, version) DO UPDATE SET text = excluded.text,
        ocr_fingerprint = excluded.ocr_fingerprint, last_used = excluded.last_used"""


class Pages:
    """Keeps views and page texts."""

    def __init__(self, database: Database, touches: Touches) -> None:
        self._database = database
        self._touches = touches

    async def view(self, tenant: str, handle: str, number: int) -> View | None:
        """See `Store.view`."""
        rows = await self._database.read(_VIEW, (tenant, handle, number))
        return View(*rows[0]) if rows else None

    async def put_view(self, tenant: str, view: View) -> None:
        """See `Store.put_view`."""
        await self._write(_PUT_VIEW, (tenant, *astuple(view)))

    async def text(self, tenant: str, page_key: str, ocr_fingerprint: str) -> PageText | None:
        """See `Store.page_text`."""
        rows = await self._database.read(_TEXT, (tenant, page_key, PAGE_VERSION, ocr_fingerprint))
        if not rows:
            return None
        self._touches.add(Used.PAGE, tenant, page_key)
        return decode_text(rows[0][0])

    async def put_text(
        self, tenant: str, page_key: str, text: PageText, ocr_fingerprint: str
    ) -> None:
        """See `Store.put_page`."""
        encoded = encode_text(text)
        row = (tenant, page_key, PAGE_VERSION, encoded, ocr_fingerprint, time.time())
        await self._write(_PUT_TEXT, row)

    async def _write(self, sql: str, row: tuple[Any, ...]) -> None:
        async def work(connection: aiosqlite.Connection) -> None:
            await connection.execute_fetchall(sql, row)

        await self._database.write(work)


def encode_text(text: PageText) -> str:
    """A page text as JSON; every number comes back as it was."""
    lines = [[line.text, line.quad, line.confidence] for line in text.lines]
    whole: dict[str, Any] = {"turn": text.turn, "width": text.width, "height": text.height}
    whole |= {"lines": lines, "flaws": list(text.flaws)}
    return json.dumps(whole, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def decode_text(encoded: str) -> PageText:
    """The inverse of `encode_text`; texts that were kept before flaws were have none."""
    whole = json.loads(encoded)
    lines = tuple(_line(*line) for line in whole["lines"])
    flaws = tuple(Flaw(name) for name in whole.get("flaws", ()))
    return PageText(lines, whole["turn"], whole["width"], whole["height"], flaws)


def _line(text: str, corners: list[list[float]], confidence: float) -> Line:
    a, b, c, d = (_point(*corner) for corner in corners)
    return Line(text, (a, b, c, d), confidence)


def _point(x: float, y: float) -> Point:
    return x, y
