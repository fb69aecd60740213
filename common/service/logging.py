"""Structured logs of every process: one line for each event, never with credentials or query strings."""

import logging
import re
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO

import structlog

_KEY = re.compile(r"\b((?:pk|sk|ak)_(?:test|live)_)[A-Za-z0-9]+([A-Za-z0-9]{4})\b")
_BEARER = re.compile(r"\b((?:cs|es|at|rt|st|pr|ev|iv)_)[A-Za-z0-9_\-]{8,}")
_TRACK_TOKEN = re.compile(r"[A-Za-z0-9_\-]{176}\.[A-Za-z0-9_\-]{28}")
_QUERY = re.compile(r"(?<=[\w/\-.~%])\?[^\s\"'<>]*+")
"""What follows a question mark; a query where it has an equals sign."""
_SECRET_NAMES = frozenset(
    {"key", "token", "secret", "password", "authorization", "cs", "client_secret", "refresh_token"}
)

_QUIET = ("sanic.root", "sanic.server", "sanic.access", "aiokafka", "asyncio", "alembic")
"""Loggers that log every connection; only their warnings are kept."""


def configure_logging(*, log_format: str = "json", stream: TextIO | None = None) -> None:
    """
    Call it first in a process: structlog and the standard library both write to *stream* (standard error by default).

    *log_format*: ``json`` for machines, ``console`` for people.
    """
    renderer: structlog.types.Processor
    if log_format == "console":
        renderer = structlog.dev.ConsoleRenderer(colors=False)
    else:
        renderer = structlog.processors.JSONRenderer(sort_keys=False)
    shared: list[structlog.types.Processor] = [
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
        redact,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.PositionalArgumentsFormatter(), *shared],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                redact,
                renderer,
            ],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    for name in _QUIET:
        logging.getLogger(name).setLevel(logging.WARNING)


def redact(_logger: Any, _method: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """A structlog processor: truncates credentials to their public part, in values and in prose."""
    for name, value in event.items():
        if name in _SECRET_NAMES and isinstance(value, str) and not _KEY.fullmatch(value):
            event[name] = "…"
        else:
            event[name] = _redacted(value)
    return event


def redacted_text(text: str) -> str:
    """Returns *text* with keys truncated to prefix and last four, tokens and secrets removed, query strings dropped."""
    text = _TRACK_TOKEN.sub("…", text)
    text = _QUERY.sub(lambda found: "?…" if "=" in found[0] else found[0], text)
    text = _KEY.sub(r"\1…\2", text)
    return _BEARER.sub(r"\1…", text)


def _redacted(value: Any) -> Any:
    if isinstance(value, str):
        return redacted_text(value)
    if isinstance(value, dict):
        return {name: _redacted(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_redacted(item) for item in value]
    return value
