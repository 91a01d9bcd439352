"""The one place that knows every part: from a configuration to a daemon's parts."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass

from edge_clm.admission import Admission
from edge_clm.answer import Answerer
from edge_clm.breaker import CacheBreaker
from edge_clm.config import Config
from edge_clm.document import Documents
from edge_clm.drafts import Drafts
from edge_clm.engine import EngineProcess
from edge_clm.extractor import Extractor
from edge_clm.identify import Identifier
from edge_clm.idle import Idle
from edge_clm.knownpages import KnownPages
from edge_clm.memory.keys import joint_hash_of, page_key_of
from edge_clm.memory.store import Store
from edge_clm.notices import Notices
from edge_clm.pagetext import PageTexts
from edge_clm.question.field import asked_field
from edge_clm.question.suffix import suffix_of
from edge_clm.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Parts:
    """What a daemon is made of."""

    config: Config
    answerer: Answerer
    extractor: Extractor
    admission: Admission
    decoding: Admission
    store: Store
    engine: EngineProcess
    breaker: CacheBreaker
    idle: Idle


@asynccontextmanager
async def build(config: Config) -> AsyncIterator[Parts]:
    """Opens memory, starts the engine and wires the rest; closes all of it in reverse.

    The engine goes on loading in the background: `Parts.engine.wait_ready()` tells when it can
    answer. Raises StoreUnavailable and AddressTaken where the memory cannot be had.
    """
    async with await Store.open(config.memory) as store, AsyncExitStack() as stack:
        engine = EngineProcess(config)
        engine.start()
        stack.push_async_callback(engine.close)
        parts = _wire(config, store, engine)
        stack.push_async_callback(parts.idle.aclose)
        yield parts


def _wire(config: Config, store: Store, engine: EngineProcess) -> Parts:
    limits = config.limits
    admission = Admission(limits.concurrency, limits.queue, limits.queue_per_tenant)
    idle = Idle(admission)
    decoding = Admission(1, limits.queue, limits.queue_per_tenant)
    breaker = CacheBreaker()
    identifier = Identifier(store, engine, decoding, breaker, limits, page_key_of)
    texts = PageTexts(store, engine, breaker)
    documents = Documents(identifier, texts, admission, limits)
    notices = Notices(store, engine, breaker)
    extractor = Extractor(documents, engine, admission, notices)
    pages = KnownPages(store, engine, breaker, idle, always=config.recall.always)
    drafts = Drafts(store, breaker, asked_field)
    bench = Workbench(store, engine, admission, breaker, texts, pages, drafts, notices)
    answerer = Answerer(
        config, store, engine, admission, documents, bench, breaker, suffix_of, joint_hash_of
    )
    return Parts(config, answerer, extractor, admission, decoding, store, engine, breaker, idle)
