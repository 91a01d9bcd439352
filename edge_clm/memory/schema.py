"""The tables, as the ordered steps that lead to them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path

import aiosqlite

from edge_clm.errors import ConfigInvalid

Migration = tuple[str, tuple[str, ...]]
"""A name, and the statements that take a database from the layout before to this one."""

CAPTURES: Migration = (
    "captures and their views",
    (
        """CREATE TABLE tenants (
            name TEXT PRIMARY KEY,
            key BLOB NOT NULL CHECK (length(key) = 32),
            created REAL NOT NULL
        ) STRICT""",
        """CREATE TABLE captures (
            tenant TEXT NOT NULL REFERENCES tenants (name),
            handle TEXT NOT NULL,
            bytes_sha256 TEXT NOT NULL,
            media_type TEXT NOT NULL,
            pages INTEGER NOT NULL,
            size INTEGER NOT NULL,
            kept INTEGER NOT NULL,
            created REAL NOT NULL,
            last_used REAL NOT NULL,
            PRIMARY KEY (tenant, handle),
            UNIQUE (tenant, bytes_sha256)
        ) STRICT""",
        "CREATE INDEX captures_kept ON captures (last_used, handle, tenant, size) WHERE kept",
        """CREATE TABLE views (
            tenant TEXT NOT NULL,
            handle TEXT NOT NULL,
            number INTEGER NOT NULL,
            pixels_sha256 TEXT NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            page_key TEXT NOT NULL,
            PRIMARY KEY (tenant, handle, number),
            FOREIGN KEY (tenant, handle) REFERENCES captures (tenant, handle) ON DELETE CASCADE
        ) STRICT""",
        "CREATE INDEX views_page ON views (tenant, page_key)",
    ),
)

ANSWERS: Migration = (
    "pages, snapshots and feedback",
    (
        """CREATE TABLE pages (
            tenant TEXT NOT NULL REFERENCES tenants (name),
            page_key TEXT NOT NULL,
            version INTEGER NOT NULL,
            text TEXT NOT NULL,
            ocr_fingerprint TEXT NOT NULL,
            created REAL NOT NULL,
            last_used REAL NOT NULL,
            PRIMARY KEY (tenant, page_key, version)
        ) STRICT""",
        """CREATE TABLE snapshots (
            tenant TEXT NOT NULL REFERENCES tenants (name),
            id TEXT NOT NULL,
            joint_hash TEXT NOT NULL,
            version INTEGER NOT NULL,
            page_key TEXT NOT NULL,
            page_version INTEGER NOT NULL,
            suffix TEXT NOT NULL,
            guard TEXT NOT NULL,
            text TEXT NOT NULL,
            tokens BLOB NOT NULL,
            outcome TEXT NOT NULL,
            fingerprint TEXT NOT NULL,
            prompt_tokens INTEGER NOT NULL,
            dropped_lines INTEGER NOT NULL,
            turn INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            created REAL NOT NULL,
            last_used REAL NOT NULL,
            uses INTEGER NOT NULL DEFAULT 0,
            verified_ok INTEGER NOT NULL DEFAULT 0,
            verified_bad INTEGER NOT NULL DEFAULT 0,
            disputed INTEGER NOT NULL DEFAULT 0,
            PRIMARY KEY (tenant, id),
            UNIQUE (tenant, joint_hash, version)
        ) STRICT""",
        "CREATE INDEX snapshots_page ON snapshots (tenant, page_key)",
        """CREATE TABLE feedback (
            tenant TEXT NOT NULL,
            answer_id TEXT NOT NULL,
            is_right INTEGER NOT NULL,
            correction TEXT NOT NULL,
            created REAL NOT NULL,
            PRIMARY KEY (tenant, answer_id, is_right),
            FOREIGN KEY (tenant, answer_id) REFERENCES snapshots (tenant, id) ON DELETE CASCADE
        ) STRICT""",
    ),
)

GROUNDINGS: Migration = (
    "what snapshots rest on",
    (
        """ALTER TABLE snapshots ADD COLUMN grounding TEXT NOT NULL
            DEFAULT '{"grounded":"unexamined","value":null,"evidence":[]}'""",
    ),
)

ANCHORS: Migration = (
    "anchors of pages, and what was proven of other captures",
    (
        """CREATE TABLE anchors (
            number INTEGER PRIMARY KEY AUTOINCREMENT,
            tenant TEXT NOT NULL,
            page_key TEXT NOT NULL,
            handle TEXT NOT NULL,
            page INTEGER NOT NULL,
            vector BLOB NOT NULL,
            embedder TEXT NOT NULL,
            named TEXT NOT NULL,
            created REAL NOT NULL,
            UNIQUE (tenant, page_key),
            FOREIGN KEY (tenant, handle) REFERENCES captures (tenant, handle) ON DELETE CASCADE
        ) STRICT""",
        "CREATE INDEX anchors_handle ON anchors (tenant, handle)",
        "CREATE INDEX anchors_named ON anchors (tenant, named)",
        """CREATE TABLE adoptions (
            tenant TEXT NOT NULL REFERENCES tenants (name),
            page_key TEXT NOT NULL,
            anchor INTEGER NOT NULL REFERENCES anchors (number) ON DELETE CASCADE,
            PRIMARY KEY (tenant, page_key)
        ) STRICT""",
        "CREATE INDEX adoptions_anchor ON adoptions (anchor)",
        """CREATE TABLE proofs (
            tenant TEXT NOT NULL,
            joint_hash TEXT NOT NULL,
            snapshot_id TEXT NOT NULL,
            grounding TEXT NOT NULL,
            turn INTEGER NOT NULL,
            width INTEGER NOT NULL,
            height INTEGER NOT NULL,
            created REAL NOT NULL,
            PRIMARY KEY (tenant, joint_hash),
            FOREIGN KEY (tenant, snapshot_id) REFERENCES snapshots (tenant, id) ON DELETE CASCADE
        ) STRICT""",
        "CREATE INDEX proofs_snapshot ON proofs (tenant, snapshot_id)",
        "CREATE INDEX snapshots_disputed ON snapshots (tenant, suffix) WHERE disputed",
    ),
)

SIGHTINGS: Migration = (
    "pages as they were first read, by what names them",
    (
        """CREATE TABLE sightings (
            tenant TEXT NOT NULL,
            page_key TEXT NOT NULL,
            handle TEXT NOT NULL,
            page INTEGER NOT NULL,
            named TEXT NOT NULL,
            kind TEXT NOT NULL,
            seen REAL NOT NULL,
            notices TEXT NOT NULL,
            PRIMARY KEY (tenant, page_key),
            FOREIGN KEY (tenant, handle) REFERENCES captures (tenant, handle) ON DELETE CASCADE
        ) STRICT""",
        "CREATE INDEX sightings_named ON sightings (tenant, named, seen)",
        "CREATE INDEX sightings_handle ON sightings (tenant, handle)",
    ),
)

POINTS: Migration = (
    "points of anchors",
    (
        # Without points no page is recalled: it becomes known again when it is read again.
        "DELETE FROM anchors",
        "ALTER TABLE anchors ADD COLUMN points BLOB NOT NULL DEFAULT x''",
    ),
)

VECTORS: Migration = (
    "vectors of snapshots",
    ("ALTER TABLE snapshots ADD COLUMN vector BLOB NOT NULL DEFAULT x''",),
)

MIGRATIONS: tuple[Migration, ...] = (
    *(CAPTURES, ANSWERS, GROUNDINGS, ANCHORS, SIGHTINGS, POINTS),
    VECTORS,
)
"""Every step there ever was, oldest first; a released one never changes."""

_RECORDS = """CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    applied REAL NOT NULL
) STRICT"""


async def migrate(
    connection: aiosqlite.Connection, path: Path, migrations: Sequence[Migration] = MIGRATIONS
) -> None:
    """Takes a database to the newest layout, each step in one transaction with the row that records it.

    A step that fails leaves the layout before it. Raises ConfigInvalid, having changed nothing, for a
    database that a newer edge_clm has written, and sqlite3.Error for what SQLite refuses.
    """
    done = await _layout(connection)
    if done > len(migrations):
        raise ConfigInvalid(
            f"{path} has layout {done}, written by a newer edge_clm; this one knows up to "
            f"{len(migrations)}: install that version, or set memory.directory to another one"
        )
    for number, migration in enumerate(migrations[done:], start=done + 1):
        await _apply(connection, number, migration)


async def _layout(connection: aiosqlite.Connection) -> int:
    tables = await connection.execute_fetchall(
        "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'migrations'"
    )
    if not list(tables):
        return 0
    rows = await connection.execute_fetchall("SELECT coalesce(max(number), 0) FROM migrations")
    return int(next(iter(rows))[0])


async def _apply(connection: aiosqlite.Connection, number: int, migration: Migration) -> None:
    name, statements = migration
    try:
        # Statement by statement: executescript would commit before it starts.
        for statement in ("BEGIN IMMEDIATE", _RECORDS, *statements):
            await connection.execute_fetchall(statement)
        await connection.execute_fetchall(
            "INSERT INTO migrations VALUES (?, ?, ?)", (number, name, time.time())
        )
        await connection.execute_fetchall("COMMIT")
    except BaseException:
        await connection.rollback()
        raise
