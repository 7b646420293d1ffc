"""Structured logs: one event per line, as JSON for programs or as text for people.

Logs never contain tokens, secrets or chat.
"""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

from runtime.printable import printable, printable_lines

logger = logging.getLogger("parlour")

GREETED_EVENTS = frozenset({"listening", "house_bot"})  # `parlour serve` greets with the address and the house bots


class JsonFormatter(logging.Formatter):
    """Format an event as one JSON object."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, Any] = {
            "at": self.formatTime(record, "%Y-%m-%dT%H:%M:%S") + f".{int(record.msecs):03}",
            "level": record.levelname.lower(),
            "event": record.getMessage(),
            **getattr(record, "fields", {}),
        }
        if record.name != "parlour":
            line["logger"] = record.name
        if record.exc_info:
            line["trace"] = self.formatException(record.exc_info)
        return printable(json.dumps(line, ensure_ascii=False, default=str))


class TextFormatter(logging.Formatter):
    """Format an event for people: `22:45:10 WARNING house_bot_died bot=search status=1`."""

    def format(self, record: logging.LogRecord) -> str:
        level = "" if record.levelno == logging.INFO else f" {record.levelname}"
        fields = [f"{name}={quote(str(value))}" for name, value in getattr(record, "fields", {}).items()]
        event = printable(record.getMessage())
        line = " ".join([f"{self.formatTime(record, '%H:%M:%S')}{level} {event}", *fields])
        return f"{line}\n{printable_lines(self.formatException(record.exc_info))}" if record.exc_info else line


def quote(text: str) -> str:
    """Return the text without control characters, in quotes if it is empty or contains a space."""
    shown = printable(text)
    return shown if shown and " " not in shown else f'"{shown}"'


_context: dict[str, Any] = {}  # fields of every event of this process


def log(event: str, level: int = logging.INFO, trace: bool | BaseException = False, **fields: Any) -> None:
    """Log an event with its fields. `trace` adds the traceback of an exception; True stands for the current one."""
    if logger.isEnabledFor(level):
        logger.log(level, event, extra={"fields": _context | fields}, exc_info=trace)


def configure_logging(level: str, form: str = "json", greeted: bool = False, **context: Any) -> None:
    """Send events of `level` and above to standard error, each with the fields of `context`.

    `form` is json, text, or auto: text if standard error is a terminal, otherwise JSON.
    `greeted` leaves out the events that the greeting of `parlour serve` has already reported.
    """
    _context.clear()
    _context.update(context)
    text = form == "text" or (form == "auto" and is_terminal(sys.stderr))
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(TextFormatter() if text else JsonFormatter())
    if text and greeted:
        handler.addFilter(lambda record: record.getMessage() not in GREETED_EVENTS)
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logger.setLevel(level.upper())
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # it logs a client's mistakes as errors


def is_terminal(stream: Any) -> bool:
    return stream is not None and bool(stream.isatty())
