"""Logging: structlog over the standard library, one line an event, and never any content.

Three nets hold content back. Our own events drop every key and value that could carry it; other
libraries' records keep their place in the code but lose their text; exceptions of either are told
by type and place, since their text may quote what they choked on.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from edge_clm.config import Log
from edge_clm.worker import frames

CONTENT_KEYS = frozenset(
    {
        *("answer", "correction", "delta", "lines", "page_text", "prompt", "question"),
        *("chunk", "content", "data", "file_name", "image", "suffix", "text", "words"),
        *("authorization", "exc_info", "exception", "stack", "token"),
    }
)
_LONGEST = 400
_PRIORITIES = {"debug": 7, "info": 6, "warning": 4, "error": 3, "critical": 2}


def configure(settings: Log, stream: TextIO) -> logging.Handler:
    """Sends every log line of this process to `stream`; returns the handler that does it."""
    ours: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        tell_error_by_place,
        refuse_content,
    ]
    foreign: list[Processor] = [
        structlog.stdlib.ExtraAdder(),
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        tell_record_by_place,
        tell_error_by_place,
        refuse_content,
    ]
    structlog.configure(
        processors=[*ours, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=foreign, processors=_rendering(settings, stream)
        )
    )
    _attach(handler, settings.level.upper())
    return handler


def refuse_content(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Drops keys that name content and values that could hold it, and says which it dropped."""
    refused = [key for key, value in event.items() if _refused(key, value)]
    for key in refused:
        del event[key]
    if refused:
        event["refused"] = refused
    return event


def tell_error_by_place(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replaces an exception by its type and the lines it came through."""
    given = event.pop("exc_info", None)
    if given is True:
        given = sys.exc_info()
    error = given[1] if isinstance(given, tuple) else given
    event.pop("stack_info", None)
    if isinstance(error, BaseException):
        event["error"] = type(error).__qualname__
        event["frames"] = frames(error)
    return event


def tell_record_by_place(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replaces another library's message by where it was logged; our own messages stay."""
    record: logging.LogRecord = event["_record"]
    event["logger"] = record.name
    if record.name.partition(".")[0] != "edge_clm":
        kept = {"_record", "_from_structlog", "timestamp", "level", "logger", "exc_info"}
        for key in set(event) - kept:
            del event[key]
        event["event"] = "library"
        event["place"] = f"{record.pathname}:{record.lineno} {record.funcName}"
    return event


class JournalPriority:
    """Puts the '<N>' that journald reads as priority before each rendered line."""

    def __call__(self, _logger: WrappedLogger, method: str, rendered: Any) -> str:
        """Prefixes a rendered line with the priority of the method that logged it."""
        return f"<{_PRIORITIES.get(method, 6)}>{rendered}"


def _refused(key: str, value: Any) -> bool:
    if key.startswith("_"):
        return False
    if key in CONTENT_KEYS:
        return True
    if isinstance(value, list | tuple):
        return not all(_harmless(item) for item in value)
    return not _harmless(value)


def _harmless(value: Any) -> bool:
    if isinstance(value, str):
        return len(value) <= _LONGEST
    return value is None or isinstance(value, bool | int | float)


def _rendering(settings: Log, stream: TextIO) -> Sequence[Processor]:
    console = settings.format == "console" or (settings.format == "auto" and stream.isatty())
    renderer: Processor = structlog.processors.JSONRenderer(ensure_ascii=False)
    if console:
        renderer = structlog.dev.ConsoleRenderer(colors=stream.isatty())
    chain: list[Processor] = [structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer]
    if not console and _is_journal(stream):
        chain.append(JournalPriority())
    return chain


def _is_journal(stream: TextIO) -> bool:
    """Whether `stream` is the very pipe that systemd connected to the journal."""
    named = os.environ.get("JOURNAL_STREAM", "")
    if not named:
        return False
    try:
        status = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return named == f"{status.st_dev}:{status.st_ino}"


def _attach(handler: logging.Handler, level: str) -> None:
    logging.captureWarnings(True)
    root = logging.getLogger()
    for old in list(root.handlers):
        root.removeHandler(old)
    root.addHandler(handler)
    # Other libraries' chatter below a warning says nothing once its text is gone.
    root.setLevel(logging.WARNING)
    logging.getLogger("edge_clm").setLevel(level)
