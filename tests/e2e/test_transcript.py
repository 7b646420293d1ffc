"""The transcript in docs/protocol.md matches the server, apart from random ids and times."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from protocol.commands import AnyCommand
from protocol.events import PublicEvent
from protocol.replies import AnyReply
from protocol.types import END_REASONS, ERROR_CODES
from tests.e2e.conftest import Start
from tests.e2e.guest import Guest

PAGE = (Path(__file__).parents[2] / "docs" / "protocol.md").read_text("utf-8")
TIMES = {"at", "took", "charged", "left", "created_at", "started_at", "elapsed"}
RANDOM = {"room", "session", "player", "previous", "next"}


def lines() -> list[tuple[str, str, dict[str, Any]]]:
    (block,) = re.findall(r"^```transcript\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    parts = [line.split(" ", 2) for line in block.splitlines()]
    return [(who, way, json.loads(body)) for who, way, body in parts]


class IdMap:
    """Maps the ids in the page to the ids of this run."""

    def __init__(self) -> None:
        self.actual: dict[str, str] = {}

    def send(self, tree: Any) -> Any:
        if isinstance(tree, dict):
            return {key: self.send(value) for key, value in tree.items()}
        return self.actual.get(tree, tree) if isinstance(tree, str) else tree

    def same(self, page: Any, real: Any, key: str = "") -> bool:
        if page == "…":
            return real is not None
        if isinstance(page, dict) and isinstance(real, dict):
            skip = TIMES if key != "clock" else set()
            return page.keys() - skip == real.keys() - skip and all(
                self.same(page[name], real[name], "player" if key == "you" and name == "id" else name)
                for name in page.keys() - skip
            )
        if isinstance(page, list) and isinstance(real, list):
            return len(page) == len(real) and all(map(self.same, page, real))
        if key in RANDOM and isinstance(real, str):
            return self.actual.setdefault(page, real) == real
        return bool(page == real)


async def test_transcript_matches_the_server(start: Start) -> None:
    server = await start()
    ids, guests = IdMap(), {}
    for who, way, page in lines():
        if who not in guests:
            guests[who] = await Guest.open(server.url, "json")
        if way == ">":
            await guests[who].send_tree(ids.send(page))
        else:
            real = await guests[who].receive()
            assert ids.same(page, real), f"the page says\n{page}\nthe server\n{real}"
    assert {page["type"] for _, _, page in lines()} >= {"welcome", "snapshot", "moved", "error", "ended"}
    for guest in guests.values():
        await guest.close()


def test_page_lists_every_command_event_error_code_and_end_reason() -> None:
    kinds = [*AnyCommand.__args__, *PublicEvent.__args__, *AnyReply.__args__]
    tags = {str(kind.__struct_config__.tag) for kind in kinds}
    missing = [word for word in (*sorted(tags), *ERROR_CODES, *END_REASONS) if f"`{word}`" not in PAGE]
    assert missing == []


def test_page_lists_every_field_of_every_command() -> None:
    for kind in AnyCommand.__args__:
        tag = kind.__struct_config__.tag
        (row,) = re.findall(rf"^\| `{tag}` \|([^|]*)\|", PAGE, re.MULTILINE)[:1]
        assert set(re.findall(r"`(\w+)\??`", row)) == set(kind.__struct_fields__) - {"id"}, tag
