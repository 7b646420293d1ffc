"""Places of a house bot: who gets them, and who waits."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from protocol.commands import Join, Resign
from protocol.types import Player
from server.domain.creation import create_room
from server.lobby.house_queue import ACCEPT_TIMEOUT_MS, HouseQueue
from server.rooms.live_room import LiveRoom
from tests.server.domain.helpers import created, do
from tests.server.fakes import ManualClock

BOT = Player(id="p-house", name="search", account=True)


class Setup:
    """A bot that accepts invitations when the test says so."""

    def __init__(self, places: int = 6) -> None:
        self.clock, self.rooms, self.playing = ManualClock(), dict[str, LiveRoom](), dict[str, LiveRoom]()
        self.queue = HouseQueue(places, self.rooms, self.clock)

    def add(self, id: str, player: str, address: str) -> LiveRoom:
        """Let a new room of a player wait for the bot."""
        guest = Player(id=player, name=player)
        live = LiveRoom(create_room(replace(created(by=player, invite=BOT.name), room=id), guest, 0).room, [])
        live.origin = address
        self.rooms[id] = live
        self.queue.add(live)
        return live

    def flood(self, rooms: int = 20, address: str = "flood") -> None:
        """Let rooms of one address wait, each of another guest."""
        for n in range(rooms):
            self.add(f"{address}{n}", f"p-{address}{n}", address)

    def accept(self) -> list[str]:
        """Let the bot accept all invitations. Return the ids of the rooms."""
        accepted = []
        while (live := self.queue.next(self.playing)) is not None:
            live.room = do(live.room, BOT, Join).room
            self.playing[live.room.id] = live
            accepted.append(live.room.id)
        return accepted

    def end(self, id: str) -> None:
        live = self.playing.pop(id)
        live.room = do(live.room, BOT, Resign).room


@pytest.mark.parametrize(("places", "most"), [(1, 1), (2, 1), (6, 5), (8, 6), (20, 15)])
def test_one_address_gets_all_places_but_the_reserved_ones(places: int, most: int) -> None:
    setup = Setup(places)
    setup.flood()
    assert setup.accept() == [f"flood{n}" for n in range(most)]
    assert setup.accept() == []


def test_one_player_gets_no_reserved_place_from_any_address() -> None:
    setup = Setup()
    for n in range(20):
        setup.add(f"r{n}", "p-ann", f"10.0.0.{n}")
    assert setup.accept() == [f"r{n}" for n in range(5)]


def test_players_of_a_classroom_get_their_places_in_turn() -> None:
    setup = Setup(places=8)
    for n in range(6):
        setup.add(f"ann{n}", "p-ann", "school")
    for name in ("ben", "eve", "fay"):
        setup.add(name, f"p-{name}", "school")
    assert setup.accept() == ["ann0", "ben", "eve", "fay", "ann1", "ann2"]


def test_address_gets_no_further_place_while_another_waits() -> None:
    setup = Setup(places=8)
    setup.flood(20)
    assert len(setup.accept()) == 6
    setup.flood(20, "second")
    assert setup.accept() == ["second0"]  # a reserved place; the other one is for a third address
    setup.end("flood0")
    setup.end("flood1")
    assert setup.accept() == ["second1"]
    setup.end("flood2")
    assert setup.accept() == ["second2"]


def test_newcomer_gets_a_place_although_the_games_of_a_flood_never_end() -> None:
    setup = Setup()
    setup.flood()
    setup.accept()
    for n in range(5):  # one after another
        setup.add(f"new{n}", f"p-new{n}", f"10.0.0.{n}")
        assert setup.accept() == [f"new{n}"]
        setup.end(f"new{n}")
        assert setup.accept() == []


def test_last_place_is_for_a_player_without_a_game() -> None:
    setup = Setup()
    setup.flood()
    setup.flood(address="second")
    assert len(setup.accept()) == 5
    setup.add("new", "p-new", "10.0.0.1")
    assert setup.accept() == ["new"]


def test_next_place_is_for_the_address_with_the_fewest_games() -> None:
    setup = Setup()
    setup.flood(3)
    assert len(setup.accept()) == 3
    setup.flood(3, "second")
    assert setup.accept() == ["second0", "second1"]
    setup.end("flood0")
    assert setup.accept() == ["second2"]


def test_players_of_a_quiet_address_are_served_in_turn() -> None:
    setup = Setup()
    setup.add("a1", "p-ann", "10.0.0.1")
    setup.add("a2", "p-ann", "10.0.0.1")
    setup.add("b1", "p-ben", "10.0.0.2")
    assert setup.accept() == ["a1", "b1", "a2"]


def test_unknown_addresses_count_as_one() -> None:
    setup = Setup()
    setup.flood(address="")
    assert len(setup.accept()) == 5


def test_invitation_that_the_bot_does_not_accept_gives_its_place_back() -> None:
    setup = Setup(places=1)
    setup.flood(2)
    first = setup.queue.next(setup.playing)
    assert first is not None
    setup.queue.add(first)  # the bot knows of it: it is not invited twice
    assert setup.queue.next(setup.playing) is None
    setup.clock.advance(ACCEPT_TIMEOUT_MS)
    assert setup.accept() == ["flood1"]


def test_room_that_has_ended_leaves_the_queue() -> None:
    setup = Setup(places=1)
    setup.flood(3)
    assert setup.accept() == ["flood0"]
    gone = setup.rooms["flood1"]
    setup.rooms["flood1"] = reloaded = LiveRoom(gone.room, [])  # it was evicted and loaded again
    reloaded.room = do(do(gone.room, BOT, Join).room, BOT, Resign).room
    setup.end("flood0")
    assert setup.accept() == ["flood2"]


def test_rematch_counts_while_it_is_being_written() -> None:
    setup = Setup(places=2)
    live = setup.add("r1", "p-ann", "10.0.0.1")
    setup.accept()
    setup.end("r1")
    assert setup.queue.has_place(live, setup.playing)
    live.busy = True
    setup.queue.accept_rematch(live)
    assert not setup.queue.has_place(live, setup.playing)
    live.busy = False
    assert setup.queue.has_place(live, setup.playing)
