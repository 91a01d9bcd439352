"""Snapshots of answers in their versions, and what callers said of them."""

from __future__ import annotations

import json
import time
from dataclasses import replace

import aiosqlite
import numpy as np

from edge_clm.memory.database import Database, Row
from edge_clm.memory.groundings import decode_grounding, encode_grounding
from edge_clm.memory.touches import Touches, Used
from edge_clm.types import PAGE_VERSION, Outcome, Snapshot, Suffix

_TOKEN = np.dtype("<u4")

_COLUMNS = """id, joint_hash, tenant, page_key, suffix, guard, text, tokens, outcome, fingerprint,
    prompt_tokens, dropped_lines, created, turn, width, height, grounding, disputed, vector"""
_NEWEST = f"""SELECT {_COLUMNS} FROM snapshots
    WHERE tenant = ? AND joint_hash = ? ORDER BY version DESC LIMIT 1"""  # noqa: S608
_ABOUT = f"""SELECT {_COLUMNS} FROM snapshots
    WHERE tenant = ? AND page_key = ? AND NOT disputed ORDER BY created DESC, version DESC LIMIT ?"""  # noqa: S608
_DRAFTS = 16
"""Answers about one page that are looked through for a draft."""
# It holds for another capture until it has a younger version, and until the like was found to be wrong,
# whichever photograph of whatever page it was said of; and it is as old as the older of answer and proof.
_PROVEN = """SELECT s.id, s.joint_hash, s.tenant, s.page_key, s.suffix, s.guard, s.text, s.tokens, s.outcome,
    s.fingerprint, s.prompt_tokens, s.dropped_lines, min(s.created, p.created), p.turn, p.width, p.height,
    p.grounding, 0, s.vector FROM proofs AS p JOIN snapshots AS s ON s.tenant = p.tenant AND s.id = p.snapshot_id
    WHERE p.tenant = ? AND p.joint_hash = ?
        AND s.version = (SELECT max(version) FROM snapshots AS v
            WHERE v.tenant = s.tenant AND v.joint_hash = s.joint_hash)
        AND NOT EXISTS (SELECT 1 FROM snapshots AS w WHERE w.tenant = s.tenant AND w.disputed
            AND w.suffix = s.suffix AND w.guard = s.guard AND w.text = s.text)"""
_STATE = """SELECT
    coalesce(max(version), 0) AS version,
    coalesce(max(disputed AND text = ?3), 0) AS barred
    FROM snapshots WHERE tenant = ?1 AND joint_hash = ?2"""
_CONFIRM = "UPDATE snapshots SET created = ? WHERE tenant = ? AND id = ?"
_INSERT = """INSERT INTO snapshots (id, joint_hash, tenant, page_key, suffix, guard, text, tokens,
    outcome, fingerprint, prompt_tokens, dropped_lines, created, turn, width, height, grounding,
    disputed, vector, version, page_version, last_used)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20,
    ?21, ?13)
    ON CONFLICT (tenant, id) DO NOTHING"""
_EXISTS = "SELECT 1 FROM snapshots WHERE tenant = ? AND id = ?"
_SAY = """INSERT INTO feedback (tenant, answer_id, is_right, correction, created)
    VALUES (?, ?, ?, ?, ?) ON CONFLICT (tenant, answer_id, is_right)
    DO UPDATE SET correction = excluded.correction WHERE excluded.correction != ''"""
# Every version that says the same is as wrong as the one that was reported.
_DISPUTE = """UPDATE snapshots SET disputed = 1 FROM
    (SELECT joint_hash, text FROM snapshots WHERE tenant = ?1 AND id = ?2) AS wrong
    WHERE tenant = ?1 AND snapshots.joint_hash = wrong.joint_hash AND snapshots.text = wrong.text"""


class Snapshots:
    """Keeps snapshots: added as new versions, never changed but for their counts and disputes."""

    def __init__(self, database: Database, touches: Touches) -> None:
        self._database = database
        self._touches = touches

    async def newest(self, tenant: str, joint_hash: str) -> Snapshot | None:
        """See `Store.snapshot`."""
        where = (tenant, joint_hash)
        rows = await self._database.read(_NEWEST, where)
        rows = rows or await self._database.read(_PROVEN, where)
        snapshot = _snapshot(rows[0]) if rows else None
        return None if snapshot is None or snapshot.disputed else snapshot

    async def about(self, tenant: str, page_key: str) -> list[Snapshot]:
        """See `Store.drafts`."""
        return [*map(_snapshot, await self._database.read(_ABOUT, (tenant, page_key, _DRAFTS)))]

    async def put(self, snapshot: Snapshot) -> Snapshot:
        """See `Store.put_snapshot`."""
        return await self._database.write(lambda connection: _put(connection, snapshot))

    def touch(self, tenant: str, snapshot_id: str) -> None:
        """See `Store.touch_snapshot`."""
        self._touches.add(Used.SNAPSHOT, tenant, snapshot_id)

    async def feedback(self, tenant: str, answer_id: str, right: bool, correction: str) -> bool:
        """See `Store.feedback`."""

        async def work(connection: aiosqlite.Connection) -> bool:
            if not list(await connection.execute_fetchall(_EXISTS, (tenant, answer_id))):
                return False
            said = (tenant, answer_id, right, correction, time.time())
            await connection.execute_fetchall(_SAY, said)
            if not right:
                await connection.execute_fetchall(_DISPUTE, (tenant, answer_id))
            return True

        # A power cut must not bring a wrong answer back.
        return await self._database.write(work, durable=True)


async def _put(connection: aiosqlite.Connection, snapshot: Snapshot) -> Snapshot:
    where = (snapshot.tenant, snapshot.joint_hash)
    for found in await connection.execute_fetchall(_NEWEST, where):
        newest = _snapshot(found)
        if newest.text == snapshot.text:
            # The model has just said the same again: no new version, but a younger one.
            created = max(newest.created, snapshot.created)
            await connection.execute_fetchall(_CONFIRM, (created, newest.tenant, newest.id))
            return replace(newest, created=created)
    version, barred = next(iter(await connection.execute_fetchall(_STATE, (*where, snapshot.text))))
    kept = replace(snapshot, disputed=snapshot.disputed or bool(barred))
    row = (*_columns(kept), kept.disputed, kept.vector, version + 1, PAGE_VERSION)
    await connection.execute_fetchall(_INSERT, row)
    return kept


def _columns(snapshot: Snapshot) -> tuple[str | int | float | bytes, ...]:
    return (
        snapshot.id,
        snapshot.joint_hash,
        snapshot.tenant,
        snapshot.page_key,
        snapshot.suffix.text,
        json.dumps(snapshot.suffix.guard, ensure_ascii=False),
        snapshot.text,
        np.asarray(snapshot.tokens, dtype=_TOKEN).tobytes(),
        snapshot.outcome.value,
        snapshot.fingerprint,
        snapshot.prompt_tokens,
        snapshot.dropped_lines,
        snapshot.created,
        snapshot.turn,
        snapshot.width,
        snapshot.height,
        encode_grounding(snapshot.grounding),
    )


def _snapshot(row: Row) -> Snapshot:
    snapshot_id, joint_hash, tenant, page_key, suffix, guard, text, tokens, outcome, *rest = row
    fingerprint, prompt_tokens, dropped_lines, created, *frame, grounding, disputed, vector = rest
    turn, width, height = frame
    return Snapshot(
        id=snapshot_id,
        joint_hash=joint_hash,
        tenant=tenant,
        page_key=page_key,
        suffix=Suffix(suffix, tuple(json.loads(guard))),
        text=text,
        tokens=tuple(np.frombuffer(tokens, dtype=_TOKEN).tolist()),
        outcome=Outcome(outcome),
        fingerprint=fingerprint,
        prompt_tokens=prompt_tokens,
        dropped_lines=dropped_lines,
        created=created,
        turn=turn,
        width=width,
        height=height,
        grounding=decode_grounding(grounding),
        disputed=bool(disputed),
        vector=vector,
    )
