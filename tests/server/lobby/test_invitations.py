from __future__ import annotations

from protocol.replies import Invited
from protocol.types import Player
from runtime.tasks import BackgroundTasks
from server.lobby.invitations import Invitations
from server.rooms.live_room import LiveRoom
from server.rooms.presence import PresenceTracker
from tests.server.domain.helpers import ANN, BEN, arbitrated, waiting
from tests.server.fakes import ManualBus, RecordingClient, SteppedStore


class Setup:
    def __init__(self) -> None:
        self.bus, self.presence = ManualBus(), PresenceTracker(SteppedStore(), "n1", BackgroundTasks())
        self.invitations = Invitations(self.presence, self.bus)

    def connect(self, *clients: RecordingClient) -> None:
        for client in clients:
            self.presence.add(client)


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
