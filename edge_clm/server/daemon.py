"""The daemon: takes its addresses, serves, drains, and ends with a code that systemd understands."""

from __future__ import annotations

import asyncio
import resource
import signal
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import Any

import grpc
import structlog
from grpc_reflection.v1alpha import reflection

from edge_clm.build import Parts, build
from edge_clm.config import MIB, Config, Server
from edge_clm.errors import ConfigInvalid, EdgeClmError
from edge_clm.heap import map_large_blocks, tend
from edge_clm.server import listen, logs, tls
from edge_clm.server.accounts import Accounts
from edge_clm.server.admin import Admin, Gauges
from edge_clm.server.auth import Authenticator, Caller, Tokens
from edge_clm.server.call import ADMIN
from edge_clm.server.errors import veil
from edge_clm.server.gate import Gate
from edge_clm.server.health import SERVICES, Health
from edge_clm.server.interceptors import layers
from edge_clm.server.listen import Bound
from edge_clm.server.metrics import Metrics
from edge_clm.server.notify import Notifier
from edge_clm.server.roles import Role
from edge_clm.server.service import Service
from edge_clm.server.tls import Certificates
from edge_clm.server.watchdog import Watchdog
from edge_clm.v1 import admin_pb2_grpc, edge_clm_pb2_grpc

EX_OK, EX_FAULT = 0, EdgeClmError.exit_code

_LAST_WORDS_S = 0.5
"""How long gRPC may take to flush answers that are already made."""

Ready = Callable[[Bound], None]
"""Told once, when questions are answered."""

log = structlog.get_logger(__name__)


async def serve(config: Config, ready: Ready | None = None) -> int:
    """Serves until told to stop; returns the exit code of the process.

    0 after a drain, 1 for a fault of the daemon's own, otherwise the `exit_code` of what ended it:
    69, 70 or 71 for an engine that was given up, 75 for what may pass by itself, 78 for what whoever
    runs the daemon must put right. Every reason is logged with its remedy.
    """
    logs.configure(config.log, sys.stderr)
    _take_descriptors()
    map_large_blocks(MIB)  # files come and go by the megabyte
    try:
        examine(config.server)
        with _claim(config.server.socket):
            async with build(config) as parts:
                return await Daemon(config, parts).run(ready)
    except EdgeClmError as error:
        return _refuse(error)
    except Exception as error:
        veil(error)
        return EX_FAULT


def examine(settings: Server) -> None:
    """Checks addresses, certificates and tokens before anything heavy is started.

    Raises ConfigInvalid, CertificateUnusable, and AddressUnsafe for an address beyond this machine
    that is not guarded.
    """
    examine_addresses(settings)
    if settings.tcp and tls.wanted(settings):
        tls.read(settings, time.time())
    if settings.tokens:
        Tokens(Path(settings.tokens))


def examine_addresses(settings: Server) -> None:
    """Checks where the daemon would listen; raises ConfigInvalid and AddressUnsafe."""
    if not settings.socket and not settings.tcp:
        raise ConfigInvalid("neither server.socket nor server.tcp names an address")
    if settings.tcp:
        listen.guarded(settings)
    if settings.metrics:
        listen.loopback(settings.metrics, "server.metrics")


class Daemon:
    """One run of the daemon over parts that are already built."""

    def __init__(self, config: Config, parts: Parts) -> None:
        settings = config.server
        self._config = config
        self._parts = parts
        self._tokens = Tokens(Path(settings.tokens) if settings.tokens else None)
        secret = settings.tcp and tls.wanted(settings)
        self._certificates = Certificates(settings) if secret else None
        self._gate = Gate(config.limits.max_deadline_s, config.limits.calls)
        self._health = Health()
        self._metrics = Metrics()
        self._metrics.watch(
            queue_depth=lambda: parts.admission.waiting + parts.decoding.waiting,
            engine_restarts=lambda: parts.engine.restarts,
            memory_faults=lambda: parts.breaker.faults,
        )
        self._notifier = Notifier.from_environment()
        self._watchdog = Watchdog.from_environment(self._notifier, lambda: parts.engine.silent_s)
        self._told = asyncio.Event()
        self._told_twice = asyncio.Event()

    async def run(self, ready: Ready | None = None) -> int:
        """Serves until a signal or until the engine is given up; returns the exit code."""
        async with AsyncExitStack() as stack:
            stack.enter_context(self._signals())
            stack.push_async_callback(_end, asyncio.create_task(self._watchdog.run()))
            stack.push_async_callback(_end, asyncio.create_task(tend()))
            server, bound = await stack.enter_async_context(self._listening())
            log.info("listening", socket=bound.socket, tcp=bound.tcp, metrics=bound.metrics)
            if bound.tcp and not self._known():
                log.warning("no tokens: every call over TCP but health will be refused")
            minding = asyncio.create_task(self._mind_engine(bound, ready))
            told = asyncio.create_task(self._told.wait())
            await asyncio.wait({minding, told}, return_when=asyncio.FIRST_COMPLETED)
            code = self._verdict(minding)
            # An engine that becomes ready from here on must not be announced any more.
            await _end(minding, told)
            await self._drain(server)
            return code

    def _known(self) -> bool:
        """Whether anybody can prove over TCP who they are."""
        return bool(self._config.server.tokens or self._config.server.tls_client_ca)

    async def _mind_engine(self, bound: Bound, ready: Ready | None) -> None:
        """Keeps health true to the engine; raises what keeps the engine from coming back."""
        self._notifier.tell(STATUS="loading models")
        first = True
        while True:
            await self._parts.engine.wait_ready()
            self._gate.open()
            await self._health.serving()
            log.info("serving")
            if first:
                self._notifier.tell(READY="1", STATUS="serving")
                self._watchdog.started()
                if ready:
                    ready(bound)
                first = False
            await self._parts.engine.wait_lost()
            await self._health.not_serving()
            log.error("engine lost")

    def _verdict(self, minding: asyncio.Task[None]) -> int:
        error = minding.exception() if minding.done() else None
        if isinstance(error, EdgeClmError):
            return _refuse(error)
        if isinstance(error, Exception):
            veil(error)
            return EX_FAULT
        return EX_OK

    async def _drain(self, server: grpc.aio.Server) -> None:
        """Turns new calls away and lets those inside end, as long as `server.grace_s` allows."""
        log.info("draining", grace_s=self._config.server.grace_s)
        await self._health.drain()
        self._gate.shut()
        self._notifier.tell(STOPPING="1", STATUS="draining")
        self._parts.admission.close()
        self._parts.decoding.close()
        emptied = asyncio.create_task(self._gate.emptied())
        hurried = asyncio.create_task(self._told_twice.wait())
        await asyncio.wait(
            {emptied, hurried},
            timeout=self._config.server.grace_s,
            return_when=asyncio.FIRST_COMPLETED,
        )
        # Health watchers never leave by themselves, so gRPC gets no long grace of its own.
        await server.stop(_LAST_WORDS_S if emptied.done() else None)
        log.info("stopped", emptied=emptied.done())
        await _end(emptied, hurried)

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[tuple[grpc.aio.Server, Bound]]:
        settings = self._config.server
        async with AsyncExitStack() as stack:
            metrics = ""
            if settings.metrics:
                serving = self._metrics.serving(settings.metrics, self._parts.store.counts)
                metrics = await stack.enter_async_context(serving)
            server = await self._server()
            # Whatever happens while binding, the server must not be left to the collector.
            stack.push_async_callback(server.stop, None)
            credentials = self._certificates.credentials() if self._certificates else None
            tcp = listen.bind_tcp(server, settings, credentials) if settings.tcp else ""
            if settings.socket:
                mode = listen.mode_of(settings.socket_mode)
                listen.bind_socket(server, Path(settings.socket), mode)
            await server.start()
            yield server, Bound(settings.socket, tcp, metrics)

    async def _server(self) -> grpc.aio.Server:
        settings, limits = self._config.server, self._config.limits
        at_socket = Caller(settings.socket_tenant, Role(settings.socket_role))
        authenticator = Authenticator(self._tokens, at_socket)
        server = grpc.aio.server(
            interceptors=layers(self._metrics, authenticator, self._gate),
            options=listen.options(limits.max_bytes),
        )
        parts = self._parts
        accounts = Accounts()
        service = Service(
            parts.answerer, parts.extractor, parts.engine, limits, self._metrics, accounts
        )
        edge_clm_pb2_grpc.add_EdgeClmServiceServicer_to_server(service, server)  # type: ignore[no-untyped-call]
        gauges = Gauges(self._health, self._metrics, accounts, self._certificate_until)
        admin = Admin(self._parts, gauges)
        admin_pb2_grpc.add_EdgeClmAdminServiceServicer_to_server(admin, server)  # type: ignore[no-untyped-call]
        await self._health.register(server)
        if settings.reflection:
            ours = (*SERVICES[1:], ADMIN.strip("/"))
            names = (*ours, "grpc.health.v1.Health", reflection.SERVICE_NAME)
            reflection.enable_server_reflection(names, server)
        return server

    @contextmanager
    def _signals(self) -> Iterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop)
        loop.add_signal_handler(signal.SIGHUP, self._reload)
        try:
            yield
        finally:
            for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
                loop.remove_signal_handler(number)

    def _reload(self) -> None:
        self._tokens.reload()
        if self._certificates:
            self._certificates.reload()

    def _certificate_until(self) -> float | None:
        return self._certificates.until if self._certificates else None

    def _stop(self) -> None:
        if self._told.is_set():
            self._told_twice.set()
        self._told.set()


def _take_descriptors() -> None:
    """Every connection takes one, and clients must not use up those that the engine's start needs."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def _claim(socket: str) -> Any:
    return listen.claimed(Path(socket)) if socket else nullcontext()


def _refuse(error: EdgeClmError) -> int:
    log.error("ended", reason=error.reason, message=error.message, remedy=error.remedy)
    return error.exit_code


async def _end(*tasks: asyncio.Task[Any]) -> None:
    for task in tasks:
        task.cancel()
        with suppress(asyncio.CancelledError, Exception):
            await task
