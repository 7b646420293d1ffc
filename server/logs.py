"""Structured logs: one line an event, one JSON object a line. No tokens, no secrets, nothing that was said."""

from __future__ import annotations

import json
import logging
import sys
from typing import Any

logger = logging.getLogger("parlour")


class JsonLines(logging.Formatter):
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
        return json.dumps(line, ensure_ascii=False, default=str)


def log(event: str, level: int = logging.INFO, trace: bool = False, **fields: Any) -> None:
    if logger.isEnabledFor(level):
        logger.log(level, event, extra={"fields": fields}, exc_info=trace)


def set_up(level: str) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logger.setLevel(level.upper())
    logging.getLogger("websockets").setLevel(logging.CRITICAL)  # it logs what strangers send as its own errors
