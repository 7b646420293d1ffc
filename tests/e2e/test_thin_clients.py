"""Thin clients: they know no rules, and draw and play every game with what the server tells them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from engine.registry import GAMES, create
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest, Message
from tests.e2e.play import play, room_of
from tests.engine.example_game import example_installed

WANTS = ["board", "legal", "preview"]
Cells = dict[str, tuple[int | None, int]]


class ThinClient:
    """A client that keeps a board by applying what it is sent. It imports nothing of the engine."""

    def __init__(self, guest: Guest, room: str) -> None:
        self.guest, self.room = guest, room
        self.names: list[str] = []
        self.cells: Cells = {}
        self.legal: list[Message] = []
        self.last: list[str] = []
        self.decisive: list[str] = []
        self.ply, self.seat, self.over = 0, None, False

    def board_of(self, cells: list[Any]) -> Cells:
        assert len(cells) == len(self.names)
        return {name: (owner, count) for name, (owner, count) in zip(self.names, cells, strict=True)}

    def take(self, message: Message) -> None:
        """Apply a message of the room."""
        kind = message["type"]
        if kind == "snapshot":
            self.names = [name for row in message["layout"]["rows"] for name in row if name is not None]
            self.seat, self.ply = message["your_seat"], message["ply"]
            self.decisive = message.get("decisive", [])
            self.over = message["status"] == "ended"
        elif kind == "ended":
            self.decisive, self.over = message.get("decisive", []), True
        if "board" in message:
            board = self.board_of(message["board"])
            if kind in ("moved", "taken_back"):
                changed = [name for name in self.names if board[name] != self.cells[name]]
                assert message.get("changed", []) == changed
            self.cells, self.last = board, message.get("last", [])
            self.legal = message.get("legal", [])
            self.ply = message.get("ply", self.ply)

    async def read(self, **wanted: Any) -> Message:
        """Apply messages up to one with these fields."""
        message = await self.guest.find(room=self.room, **wanted)
        self.take(message)
        return message

    async def play(self, rng: random.Random) -> None:
        """Play a random legal move, and read the moved event."""
        chosen = rng.choice(self.legal)
        preview = self.board_of(chosen["board"]) if "board" in chosen else None
        await self.guest.ask("move", room=self.room, ply=self.ply, move=chosen["move"])
        await self.read(type="moved", ply=self.ply + 1)
        assert preview in (None, self.cells)
        assert self.last[: len(chosen["path"])] == chosen["path"]


def engine_cells(game: str, options: Message, position: str) -> Cells:
    rules = create(game, options)
    return {
        cell.name: (cell.owner, cell.count if cell.owner is not None else 0)
        for cell in rules.draw(rules.load(position)).cells()
    }


async def start_thin(
    url: str, connect_guest: ConnectGuest, game: str, watcher: bool = True, **terms: Any
) -> tuple[str, list[ThinClient]]:
    """Start a game of two thin players, one per encoding, with a thin watcher. Return the room and the clients."""
    ann, ben, eve = [
        await connect_guest(url, name, codec, wants=WANTS)
        for name, codec in (("ann", "json"), ("ben", "msgpack"), ("eve", "json"))
    ]
    created = await ann.ask("create", game=game, seat=0, **terms)
    room: str = created["room"]
    first, second, third = [ThinClient(guest, room) for guest in (ann, ben, eve)]
    await first.read(type="snapshot")
    assert first.legal == [], "the game has not started"
    await ben.ask("join", room=room)
    await second.read(type="snapshot")
    await first.read(type="started")
    if watcher:
        await eve.ask("watch", room=room)
        await third.read(type="snapshot")
    return room, [first, second, third]


async def play_out(clients: list[ThinClient], rng: random.Random, plies: int = 500) -> list[Message]:
    """Play random moves until the game is over. All clients see the same board. Return the moved events."""
    events: list[Message] = []
    while not clients[0].over and len(events) < plies:
        (mover,) = [client for client in clients if client.legal]
        await mover.play(rng)
        for client in clients:
            if client is not mover:
                event = await client.read(type="moved", ply=mover.ply)
            assert client.cells == mover.cells
            assert client.last == mover.last
        events.append(event)  # as the watcher sees it
        if not any(client.legal for client in clients):
            for client in clients:
                await client.read(type="ended")
    return events


@pytest.mark.parametrize("game", sorted(GAMES))
async def test_thin_clients_play_every_game(start: Start, connect_guest: ConnectGuest, game: str) -> None:
    server = await start(watch_tick=0.0, rate=1e5, burst=10_000)
    options = {"max_plies": 60} if game == "conga" else {}
    _, clients = await start_thin(server.url, connect_guest, game, options=options)
    events = await play_out(clients, random.Random(3))
    for event in events:
        drawn = engine_cells(game, options, event["position"])
        assert [tuple(cell) for cell in event["board"]] == list(drawn.values())
    rules = create(game, options)
    expected = list(rules.decisive(rules.load(events[-1]["position"])))
    assert [client.decisive for client in clients] == [expected] * 3


async def test_new_game_is_playable_without_a_change_of_the_client(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    with example_installed(tmp_path):
        server = await start(watch_tick=0.0)
        _, clients = await start_thin(server.url, connect_guest, "apart")
        events = await play_out(clients, random.Random(1))
        assert clients[0].over
        assert events
        snapshot = await snapshot_of(clients[2])
    assert snapshot["layout"]["kind"] == "marbles"
    assert snapshot["layout"]["colours"] == ["black", "white"]


async def snapshot_of(client: ThinClient) -> Message:
    await client.guest.ask("watch", room=client.room)
    return await client.read(type="snapshot")


async def test_plain_clients_get_no_boards(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.0)
    room, (first, second, _) = await start_thin(server.url, connect_guest, "cohcoh")
    plain = await connect_guest(server.url, "cid", wants=["fortune"])
    await plain.ask("watch", room=room)
    seen = [await plain.find(type="snapshot")]
    await first.play(random.Random(1))
    await second.read(type="moved")
    seen.append(await plain.find(type="moved"))
    assert all(not {"board", "layout", "legal", "changed", "last"} & message.keys() for message in seen)


async def test_boards_follow_takebacks_and_rematches(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.0)
    room, clients = await start_thin(server.url, connect_guest, "mancala")
    first, second, watcher = clients
    rng, before = random.Random(2), dict(first.cells)
    await play_out(clients, rng, plies=1)
    asker = first
    await asker.guest.ask("takeback", room=room)
    await second.guest.find(type="takeback_offered")
    await second.guest.ask("takeback", room=room)
    for client in clients:
        await client.read(type="taken_back")
        assert (client.cells, client.last, client.ply) == (before, [], 0)
    assert first.legal
    assert not second.legal
    await first.guest.ask("resign", room=room)
    for client in clients:
        await client.read(type="ended")
    assert watcher.decisive == []
    await first.guest.ask("rematch", room=room)
    await second.guest.find(type="rematch_offered")
    await second.guest.ask("rematch", room=room)
    for client in (first, second):
        client.room = (await client.guest.find(type="rematched"))["next"]
        await client.read(type="snapshot")
        assert client.cells == before
    assert (bool(first.legal), bool(second.legal)) == (False, True)


async def test_reconnected_player_gets_the_missed_boards(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.0)
    room, clients = await start_thin(server.url, connect_guest, "cohcoh")
    first, second, watcher = clients
    await first.play(random.Random(5))
    await second.read(type="moved")
    await second.play(random.Random(6))
    await first.read(type="moved")
    back = await connect_guest(server.url, "", "json", resume=first.guest.session, wants=WANTS)
    again = ThinClient(back, room)
    await again.read(type="snapshot")
    assert (again.cells, again.last, again.legal) == (first.cells, first.last, first.legal)
    await back.ask("watch", room=room, after=4)
    missed = [await back.find(type="moved") for _ in range(2)]
    again.cells = watcher.cells
    assert "legal" not in missed[0], "only the newest position can be answered"
    again.take(missed[0])
    again.take(missed[1])
    assert (again.cells, again.legal) == (first.cells, first.legal)


async def test_delayed_watcher_sees_no_board_of_the_future(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.0)
    room, (first, second, watcher) = await start_thin(server.url, connect_guest, "cohcoh", delay=2)
    stones = []
    for ply in range(6):
        mover, other = (first, second) if ply % 2 == 0 else (second, first)
        text = ("a1", "b1", "d1", "c2", "a3", "d4")[ply]
        await mover.guest.ask("move", room=room, ply=ply, move=text)
        await mover.read(type="moved", ply=ply + 1)
        await other.read(type="moved", ply=ply + 1)
        if ply >= 2:
            await watcher.read(type="moved", ply=ply - 1)
        snapshot = await snapshot_of(watcher)
        stones.append(sum(owner is not None for owner, _ in watcher.cells.values()))
        assert stones[-1] == snapshot["ply"] == max(0, ply - 1)
        answer = await watcher.guest.ask("boards", room=room)
        assert len(answer["boards"]) == max(0, ply - 1) + 1
        assert len((await mover.guest.ask("boards", room=room))["boards"]) == ply + 2
    await first.guest.ask("takeback", room=room)
    await second.guest.ask("takeback", room=room)
    assert len((await watcher.guest.ask("boards", room=room))["boards"]) == 5, "the takeback is in the future, too"


async def test_late_watcher_gets_the_boards_of_a_finished_game(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start(watch_tick=0.0)
    room, clients = await start_thin(server.url, connect_guest, "mancala")
    events = await play_out(clients, random.Random(9))
    for client in clients:
        await client.guest.close()
    late = await connect_guest(server.url, "late", "json")
    answer = await late.ask("boards", room=room)
    assert answer["boards"][1:] == [event["board"] for event in events]
    assert answer["lasts"] == [[], *(event["last"] for event in events)]
    rest = await late.ask("boards", room=room, ply=5)
    assert rest["boards"] == answer["boards"][5:]
    assert (await late.ask("boards", room=room, ply=10**6))["boards"] == []
    assert room not in server.app.registry.rooms


async def test_boards_of_a_private_room_need_its_code(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann, ben, eve = [await connect_guest(server.url, name) for name in ("ann", "ben", "eve")]
    room = await room_of(ann, ben, private=True)
    await play(ann, ben, room, "a1")
    code = server.app.registry.rooms[room].room.setup.code
    assert (await eve.refused("boards", room=room))["code"] == "bad_code"
    assert (await eve.refused("boards", room="nowhere"))["code"] == "no_room"
    assert len((await eve.ask("boards", room=room, code=code))["boards"]) == 2
    assert len((await ann.ask("boards", room=room))["boards"]) == 2


async def test_seats_and_lists_say_which_program_plays(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    ann = await connect_guest(server.url, "ann")
    bot = await connect_guest(server.url, "bot", plays=["cohcoh"], engine="parlour search", version="1.2")
    plain = await connect_guest(server.url, "other", bot=True)
    room = await room_of(ann, bot)
    await plain.ask("watch", room=room)
    program = {"bot": True, "engine": "parlour search", "version": "1.2"}
    human, seat = (await plain.find(type="snapshot"))["seats"]
    assert program.items() <= seat.items()
    assert not {"bot", "engine", "version"} & human.keys()
    assert program.items() <= (await ann.find(type="seated", seat=1)).items()
    (listed,) = (await ann.ask("list"))["rooms"]
    assert program.items() <= listed["seats"][1].items()
    await ann.ask("lobby", on=True)
    (info,) = (await ann.find(type="lobby"))["bots"]
    assert (info["engine"], info["version"]) == ("parlour search", "1.2")
    assert plain.you["bot"] is True
    await ann.ask("resign", room=room)
    await bot.ask("rematch", room=room)
    await ann.ask("rematch", room=room)
    again = await ann.find(type="rematched")
    assert program.items() <= (await ann.find(type="snapshot", room=again["next"]))["seats"][0].items()


@pytest.mark.parametrize("field", ["engine", "version"])
@pytest.mark.parametrize("text", ["x" * 41, "two\nlines", "\x1b[2J"])
async def test_hello_with_a_bad_program_name_is_refused(start: Start, field: str, text: str) -> None:
    server = await start()
    guest = await Guest.open(server.url, "json")
    error = await guest.refused("hello", name="ann", **{field: text})
    assert (error["code"], field in error["text"]) == ("bad_request", True)
    await guest.hello("ann")
    await guest.close()
