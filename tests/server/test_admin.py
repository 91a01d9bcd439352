"""The admin service over a real daemon: what its numbers are, and when they can be had."""

from __future__ import annotations

import signal
import time
from pathlib import Path
from typing import Any

from edge_clm import __version__
from edge_clm.errors import QueueFull
from edge_clm.server.call import ADMIN
from edge_clm.v1.admin_pb2 import KeptStats, StatsRequest, StatsResponse, TenantStats
from tests.certificates import Authority
from tests.server.house import House, asking, house, refused
from tests.server.test_daemon import hang


async def stats(at: House, **wish: Any) -> StatsResponse:
    response: StatsResponse = await at.admin().Stats(StatsRequest(**wish))
    return response


async def test_the_numbers_are_the_parts_own(tmp_path: Path) -> None:
    """Engine, queues, breaker, memory and calls are told as they are."""
    async with house(tmp_path) as at:
        parts = at.parts
        await at.stub().Ask(asking())
        await refused(at.stub().Ask(asking("")))
        parts.engine.restarts, parts.engine.silent_s = 2, 1.5
        parts.breaker.faults, parts.breaker.writing_stopped = 4, True
        async with parts.admission.slot("acme", float("inf")):
            seen = await stats(at)
    assert (seen.version, seen.engine.ready) == (__version__, True)
    assert (seen.engine.restarts, seen.engine.silent_s) == (2, 1.5)
    assert (seen.answering.running, seen.answering.waiting, seen.decoding.running) == (1, 0, 0)
    assert (seen.breaker.faults, seen.breaker.reading_stopped, seen.breaker.writing_stopped) == (
        4,
        False,
        True,
    )
    assert seen.kept == KeptStats(captures=3, snapshots=4)
    calls = {(call.method, call.code): call.count for call in seen.calls}
    assert (calls["Ask", "OK"], calls["Ask", "INVALID_ARGUMENT"]) == (1, 1)
    assert 0 <= seen.uptime_s < time.time() - seen.started.ToSeconds() + 1
    assert not seen.HasField("certificate_until")


async def test_tenants_are_told_only_when_asked_for(tmp_path: Path) -> None:
    """Their names are in the answer only where an operator wants them."""
    async with house(tmp_path) as at:
        assert not (await stats(at)).tenants
        seen = await stats(at, by_tenant=True)
    assert list(seen.tenants) == [
        TenantStats(tenant="acme", captures=2),
        TenantStats(tenant="shop", captures=1),
    ]


async def test_a_memory_out_of_reach_takes_nothing_else_away(tmp_path: Path) -> None:
    """What is kept is left out rather than guessed, and the rest is told."""
    async with house(tmp_path) as at:
        at.parts.store.fails = True
        seen = await stats(at, by_tenant=True)
        assert not seen.HasField("kept") and not seen.tenants
        assert seen.engine.ready


async def test_they_can_be_had_while_models_load(tmp_path: Path) -> None:
    """When questions are turned away is when an operator wants to know most."""
    async with house(tmp_path, ready=False) as at:
        assert (await refused(at.stub().Ask(asking()))).reason == "NOT_READY"
        assert not (await stats(at)).engine.ready
        await at.parts.engine.set(True)
        await at.serving()
        assert (await stats(at)).engine.ready


async def test_they_can_be_had_while_the_daemon_is_full(tmp_path: Path) -> None:
    """Callers that take up every place keep no operator out."""
    async with house(tmp_path, hang, limits={"calls": 1}) as at:
        call = at.stub().Ask(asking())
        await at.parts.answerer.has_open(1)
        assert (await refused(at.stub().Ask(asking()))).reason == QueueFull.reason
        assert (await stats(at)).engine.ready
        call.cancel()


async def test_a_daemon_that_drains_takes_no_operator_in(tmp_path: Path) -> None:
    """Nothing new begins once it stops."""
    async with house(tmp_path, hang, server={"grace_s": 30}) as at:
        call = at.stub().Ask(asking())
        await at.parts.answerer.has_open(1)
        signal.raise_signal(signal.SIGTERM)
        assert (await refused(at.stub().Ask(asking()))).reason == "DRAINING"
        assert (await refused(at.admin().Stats(StatsRequest()))).reason == "DRAINING"
        call.cancel()


async def test_the_end_of_the_certificate_is_told(tmp_path: Path) -> None:
    """An operator can see it coming without looking at the files."""
    own = Authority(tmp_path).sign("daemon")
    files = {"tls_certificate": str(own.certificate), "tls_key": str(own.key)}
    async with house(tmp_path, server=files) as at:
        seen = await stats(at)
    assert seen.certificate_until.ToSeconds() == int(own.parsed.not_valid_after_utc.timestamp())


def test_what_is_kept_has_the_store_s_own_names() -> None:
    """Whatever the store counts has a field here, so that nothing is left out unnoticed."""
    from edge_clm.memory import counts, store

    assert set(store._COUNTS) | {"wal_bytes"} == set(KeptStats.DESCRIPTOR.fields_by_name)
    assert {"tenant", *counts._COUNTED} == set(TenantStats.DESCRIPTOR.fields_by_name)
    assert (
        ADMIN.strip("/")
        == StatsRequest.DESCRIPTOR.file.services_by_name["EdgeClmAdminService"].full_name
    )
