#!/usr/bin/env python
"""Write docs/asyncapi.yaml: the AsyncAPI 3 description of the protocol, generated from protocol/."""

from __future__ import annotations

import json
import sys
from inspect import cleandoc
from pathlib import Path
from typing import Any, get_args

HOME = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(HOME))

from protocol import codec  # noqa: E402
from protocol.commands import AnyCommand  # noqa: E402
from protocol.events import PublicEvent  # noqa: E402
from protocol.replies import AnyReply  # noqa: E402

TARGET = HOME / "docs" / "asyncapi.yaml"
ABOUT = "A server where board-game bots and people play. See docs/protocol.md; this file lists every message and field."
COMMANDS = (
    "Commands from clients. Each gets one ok or error; hello gets welcome or error. "
    f"At most {codec.MAX_MESSAGE_BYTES} bytes and {codec.MAX_MESSAGE_DEPTH} levels of nested maps or lists."
)


def document() -> dict[str, Any]:
    """Return the AsyncAPI document."""
    commands = get_args(AnyCommand)
    outgoing = get_args(PublicEvent) + get_args(AnyReply)
    _, schemas = codec.schemas([*commands, *outgoing])
    for schema in schemas.values():
        if "description" in schema:  # a docstring, which Python 3.13 and later strip of its indentation
            schema["description"] = cleandoc(schema["description"])
    kinds = [*commands, *outgoing]
    return {
        "asyncapi": "3.0.0",
        "info": {"title": "Parlour", "version": "1", "description": ABOUT, "license": {"name": "MIT"}},
        "servers": {"local": {"host": "127.0.0.1:8765", "pathname": "/ws", "protocol": "ws"}},
        "defaultContentType": "application/json",
        "channels": {
            "socket": {
                "address": "/ws",
                "description": "Subprotocol parlour.v1.json (text frames) or parlour.v1.msgpack (binary frames).",
                "messages": {kind.__name__: {"$ref": f"#/components/messages/{kind.__name__}"} for kind in kinds},
            }
        },
        "operations": {
            "commands": operation("receive", COMMANDS, commands),
            "messages": operation("send", "Messages from the server: replies, snapshots, events.", outgoing),
        },
        "components": {"messages": {kind.__name__: message(kind) for kind in kinds}, "schemas": schemas},
    }


def operation(action: str, summary: str, kinds: tuple[type[Any], ...]) -> dict[str, Any]:
    refs = [{"$ref": f"#/channels/socket/messages/{kind.__name__}"} for kind in kinds]
    return {"action": action, "summary": summary, "channel": {"$ref": "#/channels/socket"}, "messages": refs}


def message(kind: type[Any]) -> dict[str, Any]:
    tag = str(kind.__struct_config__.tag)
    payload = {"$ref": f"#/components/schemas/{kind.__name__}"}
    return {"name": tag, "title": tag.replace("_", " ").capitalize(), "payload": payload}


def yaml(value: Any, indent: int = 0) -> str:
    """Return a value as YAML. Texts and empty collections are written as JSON, which is also YAML."""
    space = "  " * indent
    if isinstance(value, dict) and value:
        return "".join(f"\n{space}{json.dumps(key)}:{yaml(child, indent + 1)}" for key, child in value.items())
    if isinstance(value, list) and value:
        return "".join(f"\n{space}-{yaml(child, indent + 1)}" for child in value)
    return " " + json.dumps(value, ensure_ascii=False)


def main() -> None:
    TARGET.write_text(yaml(document()).lstrip("\n") + "\n", "utf-8")


if __name__ == "__main__":
    main()
