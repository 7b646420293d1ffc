"""Seats: join, leave, presence, and the start of a game."""

from __future__ import annotations

import pytest

from protocol.commands import Join, Leave, Resign
from protocol.events import Ended, Presence, Rematched, Seated, Started, Unseated
from protocol.types import Player, Seat, TimeControl
from server.domain import creation
from server.domain.decision import Refusal
from server.domain.seating import (
    ACCOUNT_NEEDED,
    awaits_pairing,
    find_invitation,
    invited_names,
    needs_code,
    redirect,
    require_access,
    set_presence,
)
from tests.server.domain.helpers import (
    ANN,
    BEN,
    EVE,
    MINUTE_MS,
    NOW,
    arbitrated,
    created,
    do,
    refused,
    running,
    waiting,
)

OTHER_BEN = Player(id="p-other", name="ben")  # a later guest of the same name


def test_game_starts_when_both_players_are_online() -> None:
    room = waiting().room
    assert room.status == "waiting"
    events = do(room, BEN, Join).events
    assert [type(event) for event in events] == [Seated, Started]


def test_game_does_not_start_while_a_player_is_away() -> None:
    room = set_presence(waiting().room, 0, False, NOW).room
    joined = do(room, BEN, Join)
    assert joined.room.status == "waiting"
    assert set_presence(joined.room, 0, True, NOW).room.status == "running"


def test_start_shows_the_full_clocks() -> None:
    clock = TimeControl(kind="fischer", base=5000)
    started = do(waiting(clock=clock).room, BEN, Join).events[-1]
    assert isinstance(started, Started)
    assert (started.left, started.turn) == ((5000, 5000), 0)


def test_seat_can_be_chosen_and_is_taken_once() -> None:
    room = waiting().room
    assert refused(room, BEN, Join, seat=0).code == "seat_taken"
    assert refused(room, ANN, Join).code == "already_seated"
    assert do(room, BEN, Join, seat=1).room.seats[1] == Seat(player=BEN.id, name="ben")
    assert refused(running(), EVE, Join).code == "seat_taken"


def test_private_room_needs_its_code_unless_the_player_is_invited() -> None:
    room = waiting(private=True, code="sesame").room
    assert refused(room, BEN, Join, code="wrong").code == "bad_code"
    assert do(room, BEN, Join, code="sesame").room.status == "running"
    invited = waiting(private=True, code="sesame", invite="Ben", invited_ids=(BEN.id,)).room
    assert do(invited, BEN, Join).room.status == "running"
    refusal = refused(invited, EVE, Join, code="sesame")
    assert (refusal.code, str(refusal)) == ("not_invited", "this room is reserved for Ben")


def test_rated_room_needs_an_account() -> None:
    refusal = refused(waiting(rated=True).room, BEN, Join)
    assert (refusal.code, str(refusal)) == ("account_needed", ACCOUNT_NEEDED)


def test_each_player_gets_the_seat_that_the_arbiter_assigned() -> None:
    room = do(arbitrated(), BEN, Join, seat=0).room
    assert room.seats == (None, Seat(player=BEN.id, name="ben"))
    assert refused(room, EVE, Join).code == "not_invited"
    assert do(room, ANN, Join).room.status == "running"


def test_names_that_a_room_keeps_seats_for() -> None:
    assert invited_names(running().setup) == ()
    assert invited_names(waiting(invite="ben").room.setup) == ("ben",)
    assert invited_names(arbitrated().setup) == ("Ann", "Ben")


def test_assigned_seat_belongs_to_the_player_who_took_it() -> None:
    away = set_presence(do(arbitrated(), BEN, Join).room, 1, False, NOW).room
    assert refused(away, OTHER_BEN, Join).code == "seat_taken"
    assert set_presence(away, 1, True, NOW).room.away == (None, None)


def test_seat_of_an_invited_player_belongs_to_the_player_who_took_it() -> None:
    waits = set_presence(waiting(invite="ben").room, 0, False, NOW).room
    gone = set_presence(do(waits, BEN, Join).room, 1, False, NOW).room
    assert refused(gone, OTHER_BEN, Join).code == "seat_taken"


def test_invitation_is_for_the_player_who_had_the_name() -> None:
    room = waiting(invite="ben", invited_ids=(BEN.id,)).room
    assert refused(room, OTHER_BEN, Join).code == "not_invited"
    renamed = Player(id=BEN.id, name="ben~2")
    assert do(room, renamed, Join).room.status == "running"
    arranged = creation.create_arbitrated_room(created(by=EVE.id, players=("Ann", "Ben"), invited_ids=("", BEN.id)))
    assert refused(arranged.room, OTHER_BEN, Join).code == "not_invited"
    assert find_invitation(arranged.room.setup, BEN) == 1
    assert find_invitation(arranged.room.setup, ANN) == 0  # was not connected: the name decides


def test_name_alone_does_not_open_a_private_room() -> None:
    for terms in ({"invite": "ben"}, {"players": ("ann", "ben"), "by": EVE.id}):
        room = creation.create_arbitrated_room(created(private=True, code="sesame", **terms)).room
        assert refused(room, BEN, Join).code == "bad_code"
        assert do(room, BEN, Join, code="sesame").room.seat_of(BEN.id) is not None
        account = Player(id="p-account", name="Ben", account=True)
        assert do(room, account, Join).room.seat_of("p-account") is not None
    assert not needs_code(waiting(invite="ben").room, BEN)


def test_last_player_who_leaves_a_waiting_room_ends_it() -> None:
    left = do(waiting().room, ANN, Leave)
    assert [type(event) for event in left.events] == [Unseated, Ended]


def test_room_with_an_arbiter_stays_open_without_players() -> None:
    room = do(do(arbitrated(), BEN, Join).room, BEN, Leave).room
    assert (room.status, room.seats) == ("waiting", (None, None))


def test_player_who_leaves_a_game_is_away() -> None:
    assert do(running(), ANN, Leave).room.away == (NOW, None)


def test_presence_tells_when_the_game_can_be_claimed() -> None:
    room = running(clock=TimeControl(kind="fischer", base=5 * MINUTE_MS))
    (away,), after = set_presence(room, 1, False, NOW)
    assert isinstance(away, Presence)
    assert (away.online, away.claim_at) == (False, NOW + 30_000)
    (back,), _ = set_presence(after, 1, True, NOW + 1)
    assert isinstance(back, Presence)
    assert (back.online, back.claim_at) == (True, None)


def test_presence_that_does_not_change_has_no_events() -> None:
    assert set_presence(running(), 0, True, NOW).events == ()
    over = do(running(), ANN, Resign).room
    assert set_presence(over, 0, False, NOW).events == ()


def test_room_that_awaits_pairing_ends_when_its_player_disconnects() -> None:
    room = waiting(paired=True).room
    assert awaits_pairing(room)
    assert set_presence(room, 0, False, NOW).room.status == "ended"
    started = do(room, BEN, Join).room
    assert not awaits_pairing(started)
    assert set_presence(started, 0, False, NOW).room.status == "running"


def test_redirect_ends_the_room_and_names_the_next_one() -> None:
    (rematched, end), room = redirect(waiting(paired=True).room, "r2", NOW)
    assert isinstance(rematched, Rematched)
    assert isinstance(end, Ended)
    assert (rematched.next, end.reason, end.seq) == ("r2", "aborted", rematched.seq + 1)
    assert (room.next, room.status) == ("r2", "ended")


def test_private_room_is_open_to_its_players_and_to_clients_with_the_code() -> None:
    room = running(private=True, code="secret")
    for player, code in ((ANN, ""), (BEN, "wrong"), (EVE, "secret")):
        require_access(room, player, code)
    with pytest.raises(Refusal) as refusal:
        require_access(room, EVE, "wrong")
    assert refusal.value.code == "bad_code"


def test_invited_player_may_look_at_a_private_room_until_it_starts() -> None:
    waits = waiting(private=True, code="secret", invite="Ben", invited_ids=(BEN.id,)).room
    require_access(waits, BEN, "")
    started = do(waits, BEN, Join).room
    require_access(started, BEN, "")
    with pytest.raises(Refusal):
        require_access(started, OTHER_BEN, "")
