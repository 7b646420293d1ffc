from __future__ import annotations

from protocol.replies import Invited
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
