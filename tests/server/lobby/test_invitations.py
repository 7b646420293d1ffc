from __future__ import annotations

import pytest
from msgspec.structs import replace

from protocol.commands import Abort, Join, Rematch, Resign
from protocol.replies import Invited
from protocol.types import BotInfo, Player
from runtime.tasks import BackgroundTasks
from server.domain.creation import create_room
from server.domain.decision import Refusal
from server.lobby.feed import LobbyFeed
from server.lobby.invitations import Invitations
from server.lobby.watcher_counts import WatcherCounts
from server.rooms.live_room import LiveRoom
from server.rooms.presence import PresenceTracker
from tests.server.domain.helpers import ANN, BEN, arbitrated, created, do, running, waiting
from tests.server.fakes import ManualBus, ManualClock, RecordingClient, SteppedStore

HOUSE = Player(id="p-house", name="search", account=True)


class Setup:
    def __init__(self) -> None:
        self.bus, self.presence = ManualBus(), PresenceTracker(SteppedStore(), "n1", BackgroundTasks())
        self.feed, self.rooms = LobbyFeed(0.0, WatcherCounts({})), dict[str, LiveRoom]()
        self.invitations = Invitations(
            presence=self.presence, bus=self.bus, feed=self.feed, rooms=self.rooms, now=ManualClock()
        )

    def connect(self, *clients: RecordingClient) -> None:
        for client in clients:
            self.presence.add(client)

    def connect_house_bot(self, places: int = 6) -> RecordingClient:
        bot = RecordingClient(HOUSE)
        self.connect(bot)
        info = BotInfo(name=HOUSE.name, plays=("conga",), account=True, house=True, concurrent=places)
        self.feed.add_bot(bot, info)
        return bot


def test_every_client_of_a_player_is_invited_here_and_at_other_nodes() -> None:
    setup, live = Setup(), LiveRoom(waiting(invite="ben").room, [])
    first, second = RecordingClient(BEN), RecordingClient(BEN)
    setup.connect(first, second)
    setup.invitations.send(live, "Ben")
    for client in (first, second):
        (invited,) = client.of(Invited)
        assert (invited.by, invited.room.room) == ("ann", "r1")
    assert setup.bus.invited == [("r1", "Ben")]


def test_invitation_from_another_node_is_not_announced_again() -> None:
    setup, live, ben = Setup(), LiveRoom(waiting(invite="ben").room, []), RecordingClient(BEN)
    setup.connect(ben)
    setup.invitations.send_here(live, "ben")
    assert (ben.kinds(), setup.bus.invited) == (["Invited"], [])


def test_seated_player_is_not_invited() -> None:
    setup, live, ann = Setup(), LiveRoom(waiting().room, []), RecordingClient(ANN)
    setup.invitations.send_to(live, ann)
    assert ann.messages == []


def test_arbiter_invites_players() -> None:
    setup, live, ann = Setup(), LiveRoom(arbitrated(), []), RecordingClient(ANN)
    setup.invitations.send_to(live, ann)
    assert [invited.by for invited in ann.of(Invited)] == ["eve"]


def test_only_the_player_who_had_the_name_is_invited() -> None:
    setup, other = Setup(), RecordingClient(Player(id="p-other", name="ben"))
    setup.connect(other)
    setup.invitations.send_here(LiveRoom(waiting(invite="ben", invited_ids=(BEN.id,)).room, []), "ben")
    assert other.messages == []


def test_guest_known_only_by_name_is_not_invited_to_a_private_room() -> None:
    setup, ben = Setup(), RecordingClient(BEN)
    setup.connect(ben)
    for ids, invitations in (((), 0), ((BEN.id,), 1)):
        room = waiting(private=True, code="sesame", invite="ben", invited_ids=ids).room
        setup.invitations.send_here(LiveRoom(room, []), "ben")
        assert len(ben.of(Invited)) == invitations


def test_bot_that_a_room_was_not_created_for_can_be_invited() -> None:
    setup, ben = Setup(), RecordingClient(BEN)
    setup.connect(ben)
    setup.invitations.send_here(LiveRoom(waiting(paired=True).room, []), "ben")
    assert ben.kinds() == ["Invited"]


# -- house bots


def room_of(player: str, id: str, address: str = "10.0.0.1") -> LiveRoom:
    """Return a room that a player has created for the house bot."""
    guest = Player(id=player, name=player)
    live = LiveRoom(create_room(replace(created(by=player, invite=HOUSE.name), room=id), guest, 0).room, [])
    live.origin = address
    return live


def join(live: LiveRoom, bot: RecordingClient) -> LiveRoom:
    """Let the house bot accept an invitation."""
    live.room = do(live.room, HOUSE, Join).room
    live.attach(bot)
    return live


def invited(bot: RecordingClient) -> list[str]:
    return [message.room.room for message in bot.of(Invited)]


def test_invitations_of_a_house_bot_wait_for_a_place() -> None:
    setup = Setup()
    bot = setup.connect_house_bot()
    rooms = [room_of(f"p{n}", f"r{n}") for n in range(10)]
    for live in rooms:
        setup.invitations.send(live, HOUSE.name)
    assert invited(bot) == ["r0", "r1", "r2", "r3", "r4"]
    setup.invitations.send(room_of("p-new", "new", "10.0.0.2"), HOUSE.name)
    assert invited(bot)[5:] == ["new"]
    join(rooms[0], bot)
    setup.invitations.sweep()
    assert len(invited(bot)) == 6
    rooms[0].room = do(rooms[0].room, HOUSE, Resign).room
    setup.invitations.sweep()
    assert len(invited(bot)) == 6  # the last place is reserved
    rooms[1].room = do(rooms[1].room, Player(id="p1", name="p1"), Abort).room
    setup.invitations.sweep()
    assert invited(bot)[6:] == ["r5"]


def test_bot_that_does_not_say_how_many_games_it_plays_has_no_queue() -> None:
    setup = Setup()
    bot = setup.connect_house_bot(places=0)
    for n in range(10):
        setup.invitations.send(room_of(f"p{n}", f"r{n}"), HOUSE.name)
    assert len(invited(bot)) == 10


def test_returning_house_bot_gets_its_invitations_again() -> None:
    setup, live = Setup(), room_of("p-ann", "r1")
    for _ in range(2):
        bot = setup.connect_house_bot(places=1)
        setup.invitations.send_to(live, bot)
        assert invited(bot) == ["r1"]
        setup.invitations.disconnect(bot)


def test_rematches_with_a_house_bot_need_a_place() -> None:
    setup, ann = Setup(), RecordingClient(Player(id="p-ann", name="p-ann"))
    bot = setup.connect_house_bot(places=2)
    old = join(room_of("p-ann", "old", address=""), bot)
    old.room = do(old.room, HOUSE, Resign).room
    setup.invitations.check_rematch(old, ann)
    assert old.origin == ann.address
    game = join(room_of("p-other", "r1", address=ann.address), bot)
    for client in (ann, bot):
        with pytest.raises(Refusal, match="search has no place for you now") as refused:
            setup.invitations.check_rematch(old, client)
        assert refused.value.code == "too_many_rooms"
    game.room = do(game.room, HOUSE, Resign).room
    setup.invitations.check_rematch(old, ann)


def test_rooms_that_wait_come_before_a_rematch() -> None:
    setup, ann = Setup(), RecordingClient(Player(id="p-ann", name="p-ann"))
    bot = setup.connect_house_bot(places=1)
    old = join(room_of("p-ann", "old"), bot)
    setup.invitations.send(room_of("p-new", "new", "10.0.0.2"), HOUSE.name)
    old.room = do(old.room, HOUSE, Resign).room
    with pytest.raises(Refusal, match="no place for you"):
        setup.invitations.check_rematch(old, ann)
    assert invited(bot) == ["new"]


def test_rematches_accepted_at_once_count() -> None:
    setup, bots_rooms = Setup(), [room_of("p-ann", f"r{n}") for n in range(4)]
    bot = setup.connect_house_bot(places=4)
    for live in bots_rooms:
        join(live, bot)
        live.room = do(do(live.room, HOUSE, Resign).room, Player(id="p-ann", name="p-ann"), Rematch).room
    for live in bots_rooms[:3]:
        setup.invitations.check_rematch(live, bot)
        live.busy = True  # the acceptance is being written
    with pytest.raises(Refusal):
        setup.invitations.check_rematch(bots_rooms[3], bot)


def test_rematch_of_people_needs_no_place() -> None:
    setup, live = Setup(), LiveRoom(do(running(), ANN, Resign).room, [])
    setup.connect(RecordingClient(BEN))
    setup.invitations.check_rematch(live, RecordingClient(ANN))
