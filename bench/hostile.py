"""Calls that a daemon must refuse, each with the reasons it may give."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from dataclasses import dataclass

from PIL import Image

from edge_clm.client import Client

_BYTES_TOO_MANY = 33 * 2**20
_BOMB_SIDE = 30_000
_NOISE = bytes(range(256)) * 40
_UNKNOWN = "c_" + "0" * 32


@dataclass(frozen=True, slots=True)
class Hostile:
    """A bad call."""

    name: str
    call: Callable[[Client], object]
    reasons: frozenset[str]
    """Any of these is right."""


def hostile_calls(picture: bytes, handle: str) -> list[Hostile]:
    """Bad calls around a good `picture` (a JPEG) and its `handle`."""
    return [
        *_bad_pictures(picture),
        *_bad_requests(handle),
        *_bad_readings(picture, handle),
        *_bad_feedback(),
    ]


def _bad_pictures(picture: bytes) -> list[Hostile]:
    too_many = bytes(_BYTES_TOO_MANY)
    pictures = {
        "empty picture": (b"", "IMAGE_MISSING"),
        "noise": (_NOISE, "IMAGE_NOT_RECOGNISED"),
        "web page": (b"<!doctype html><title>not found</title>", "IMAGE_NOT_RECOGNISED"),
        "half a picture": (picture[: len(picture) // 2], "IMAGE_TRUNCATED"),
        "a PDF's first line": (b"%PDF-1.7\n", "IMAGE_TRUNCATED"),
        "a PDF of noise": (b"%PDF-1.7\n" + _NOISE + b"\n%%EOF", "IMAGE_TRUNCATED"),
        "one pixel": (_png(1, 1), "IMAGE_SHAPE_UNUSABLE"),
        "decompression bomb": (_bomb(), "IMAGE_TOO_MANY_PIXELS"),
    }
    calls = [_hostile(name, _ask_with(data), reason) for name, (data, reason) in pictures.items()]
    upload = _hostile("33 MiB", lambda client: client.put_capture(too_many), "IMAGE_TOO_MANY_BYTES")
    return [*calls, upload]


def _bad_requests(handle: str) -> list[Hostile]:
    ask = "What is the total?"
    return [
        _hostile("no question", lambda c: c.ask(" ", handle=handle), "QUESTION_MISSING"),
        _hostile(
            "long question", lambda c: c.ask("why " * 2000, handle=handle), "QUESTION_TOO_LONG"
        ),
        _hostile("no page", lambda c: c.ask(ask), "IMAGE_MISSING"),
        _hostile("unknown handle", lambda c: c.ask(ask, handle=_UNKNOWN), "HANDLE_UNKNOWN"),
        _hostile("page 99", lambda c: c.ask(ask, handle=handle, page=99), "NO_SUCH_PAGE"),
        _hostile("page -1", lambda c: c.ask(ask, handle=handle, page=-1), "REQUEST_INVALID"),
        _hostile("hot", lambda c: c.ask(ask, handle=handle, temperature=99.0), "REQUEST_INVALID"),
        _hostile(
            "minus tokens", lambda c: c.ask(ask, handle=handle, max_tokens=-1), "REQUEST_INVALID"
        ),
        _hostile(
            "no time",
            lambda c: c.ask(ask, handle=handle, fresh=True, timeout_s=0.02),
            "DEADLINE_EXCEEDED",
            "DEADLINE_TOO_SHORT",
        ),
    ]


def _bad_readings(picture: bytes, handle: str) -> list[Hostile]:
    """Through the calls that ask no question, or ask it piece by piece."""
    half = picture[: len(picture) // 2]
    return [
        _hostile("extract noise", lambda c: c.extract(image=_NOISE), "IMAGE_NOT_RECOGNISED"),
        _hostile("extract half a picture", lambda c: c.extract(image=half), "IMAGE_TRUNCATED"),
        _hostile("extract nothing", lambda c: c.extract(), "IMAGE_MISSING"),
        _hostile("extract unknown", lambda c: c.extract(handle=_UNKNOWN), "HANDLE_UNKNOWN"),
        _hostile("extract page 99", lambda c: c.extract(handle=handle, page=99), "NO_SUCH_PAGE"),
        _hostile("describe noise", lambda c: c.describe(image=_NOISE), "IMAGE_NOT_RECOGNISED"),
        _hostile("describe unknown", lambda c: c.describe(handle=_UNKNOWN), "HANDLE_UNKNOWN"),
        _hostile("stream nothing", lambda c: list(c.ask_stream("Why?")), "IMAGE_MISSING"),
        _hostile(
            "stream unknown",
            lambda c: list(c.ask_stream("Why?", handle=_UNKNOWN)),
            "HANDLE_UNKNOWN",
        ),
        _hostile("upload nothing", lambda c: c.put_capture(b""), "IMAGE_MISSING"),
        _hostile("upload noise", lambda c: c.put_capture(_NOISE), "IMAGE_NOT_RECOGNISED"),
        _hostile("upload half", lambda c: c.put_capture(half), "IMAGE_TRUNCATED"),
    ]


def _bad_feedback() -> list[Hostile]:
    return [
        _hostile("unknown answer", lambda c: c.feedback("a_" + "0" * 32, True), "ANSWER_UNKNOWN"),
        _hostile("no answer", lambda c: c.feedback("", True), "REQUEST_INVALID"),
    ]


def _ask_with(picture: bytes) -> Callable[[Client], object]:
    return lambda client: client.ask("What is the total?", image=picture)


def _hostile(name: str, call: Callable[[Client], object], *reasons: str) -> Hostile:
    return Hostile(name, call, frozenset(reasons))


def _png(width: int, height: int) -> bytes:
    file = io.BytesIO()
    Image.new("RGB", (width, height), "white").save(file, "PNG")
    return file.getvalue()


def _bomb() -> bytes:
    """A small PNG that says it is huge; what unpacks it before looking runs out of memory or data."""
    header = struct.pack(">IIBBBBB", _BOMB_SIDE, _BOMB_SIDE, 8, 2, 0, 0, 0)
    data = zlib.compress(bytes(100_000))
    parts = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, body) for kind, body in parts)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
