"""A server continues with the database of an older one: running games, sessions, accounts and ratings.

data/older.sql is the database of a server that was killed during a game, as SQL.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from engine.registry import create
from server.rooms.timers import now
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.play import move

OLDER = Path(__file__).parent / "data" / "older.sql"
RUNNING_ROOM, ENDED_ROOM = "1rgrft42qtb", "1rgrfs56ma8"
TOKEN_OF_ALICE = "36d1f9dda9af4fe937ee05c80f478cd4cb0bd01d3c8a1032"
SESSION_OF_VISITOR = "9941ae998dd945dd4ceace45fa50b8c0bdb5d92b694c8fe0"
KILLED_AT = 1794959228174
OUTAGE_MS = 600_000  # longer than the time on the clocks


async def test_games_of_older_server_continue(tmp_path: Path, start: Start, connect_guest: ConnectGuest) -> None:
    connection = sqlite3.connect(tmp_path / "parlour.db")
    connection.executescript(OLDER.read_text(encoding="utf-8"))
    connection.close()
    shift = KILLED_AT + OUTAGE_MS - now()
    server = await start(clock=lambda: now() + shift)
    alice = await connect_guest(server.url, token=TOKEN_OF_ALICE)
    visitor = await connect_guest(server.url, resume=SESSION_OF_VISITOR)
    assert (alice.you["name"], visitor.you["name"]) == ("alice", "visitor")
    snapshot = await alice.find(type="snapshot", room=RUNNING_ROOM)
    assert (snapshot["status"], snapshot["your_seat"], snapshot["game"]) == ("running", 0, "conga")
    assert min(snapshot["left"]) > 250_000, "the outage is not charged"
    player = (alice, visitor)[snapshot["turn"]]
    game = create("conga")
    state = game.load(snapshot["position"])
    await move(player, RUNNING_ROOM, snapshot["ply"], game.format(state, game.moves(state)[0]))
    leaders = (await alice.ask("leaderboard", game="cohcoh"))["leaders"]
    assert [entry["name"] for entry in leaders] == ["alice", "bob"]
    assert "result: 0-1" in (await alice.ask("export", room=ENDED_ROOM))["text"]
