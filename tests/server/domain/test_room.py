"""Room: copies, replay, deadline, watcher horizon, repetition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from engine.errors import GameError
from engine.record import verify
from engine.registry import GAMES
from protocol.commands import Join, Resign, Say
from protocol.events import Ended, Resumed, TakenBack
from protocol.types import TimeControl
from server.domain import snapshots
from server.domain.clock import MAX_QUOTA_MS, QUOTA_REGAIN_PER_MOVE_MS
from server.domain.room import (
    BOTH_AWAY_TIMEOUT_MS,
    MAX_CHAT_MESSAGES,
    POSITION_MARK_BYTES,
    Room,
    apply,
    count_occurrences,
    replay,
    state_at,
    states,
)
from server.domain.seating import set_presence
from tests.server.domain.helpers import ANN, BEN, EVE, MINUTE_MS, NOW, do, move, play, running, waiting

SHUFFLE = ("a4a3", "d1d2", "a3a4", "d2d1")  # both sides move and return: the position after it is the start again
ONE_STONE = {"stones": 1, "start": "b1,.,.,./.,.,.,./.,.,.,./.,.,.,w1 b"}


def test_copy_has_every_field() -> None:
    room = running()
    copy = room.copy()
    assert all(getattr(copy, name) is getattr(room, name) for name in Room.__slots__)


def test_rooms_are_equal_by_value() -> None:
    assert running() == running()
    assert play(running(), "a4b4") != running()
    assert running() != "a room"


@pytest.mark.parametrize("game", GAMES)
def test_position_is_the_text_of_the_state(game: str) -> None:
    room = running(game)
    assert room.position == room.game.dump(room.state)
    while room.ply < 3:
        room = play(room, room.game.legal(room.state)[0])
        assert room.position == room.game.dump(room.state)
    back = apply(room, TakenBack(**room.event_fields(NOW), ply=1, position="", turn=0))
    assert back.position == back.game.dump(back.state)


@given(steps=st.lists(st.tuples(st.integers(0, 30), st.integers(-1, 15)), max_size=40))
def test_later_versions_do_not_change_earlier_ones(steps: list[tuple[int, int]]) -> None:
    """Versions share their list of moves. One room can continue in several ways, as after a conflict."""
    versions: list[tuple[Room, list[str]]] = [(running("cohcoh", options={"n": 4, "k": 4}), [])]
    for pick, cell in steps:
        room, moves = versions[pick % len(versions)]
        if room.status == "ended":
            continue
        if cell < 0 and moves:
            back = TakenBack(room="r1", seq=room.seq + 1, at=NOW, ply=len(moves) // 2, position="", turn=0)
            versions.append((apply(room, back), moves[: len(moves) // 2]))
        else:
            texts = room.game.legal(room.state)
            text = texts[cell % len(texts)]
            versions.append((play(room, text), [*moves, text]))
        for known, expected in versions:
            assert [moved.move for moved in known.moves] == expected
            assert known.ply == len(expected)


def test_replay_applies_a_whole_log() -> None:
    first = waiting()
    second = do(first.room, BEN, Join)
    third = move(second.room, ANN, "a4b4")
    assert replay([*first.events, *second.events, *third.events]) == third.room


def test_replay_rejects_a_log_without_its_first_event() -> None:
    with pytest.raises(ValueError, match="the first event of a log must be created, not Seated"):
        replay(waiting().events[1:])


def test_apply_finds_the_state_after_a_move_by_itself() -> None:
    room = running()
    decision = move(room, ANN, "a4b4")
    assert apply(room, decision.events[0]) == decision.room


def test_seat_of_knows_the_players_only() -> None:
    room = running()
    assert [room.seat_of(player.id) for player in (ANN, BEN, EVE)] == [0, 1, None]


def test_deadline_of_a_waiting_room_is_its_expiry() -> None:
    assert waiting(expiry=MINUTE_MS).room.deadline == NOW + MINUTE_MS


def test_deadline_of_a_running_game_is_the_flag() -> None:
    assert running(clock=TimeControl(kind="fischer", base=1000)).deadline == NOW + 1000 + 500
    assert running().deadline is None, "there are no clocks"


def test_deadline_without_players_comes_from_the_later_departure() -> None:
    room = set_presence(set_presence(running(), 0, False, NOW).room, 1, False, NOW + 5).room
    assert room.deadline == NOW + 5 + BOTH_AWAY_TIMEOUT_MS


def test_ended_room_has_no_deadline() -> None:
    assert do(running(clock=TimeControl(kind="fischer", base=1000)), ANN, Resign).room.deadline is None


def test_watchers_with_a_delay_see_the_game_some_plies_late() -> None:
    room = running(delay=2)
    assert room.horizon == room.seq
    room = play(room, "a4b4", "d1c1")
    assert room.horizon == room.moves[0].seq - 1
    room = play(room, "d4c4")
    assert room.horizon == room.moves[1].seq - 1
    over = do(room, ANN, Resign).room
    assert over.horizon == over.seq


def test_watchers_without_a_delay_see_everything() -> None:
    room = play(running(), "a4b4")
    assert room.horizon == room.seq


def test_room_keeps_the_last_chat_messages() -> None:
    room = running()
    for number in range(MAX_CHAT_MESSAGES + 3):
        room = do(room, ANN, Say, text=str(number)).room
    assert [said.text for said in room.chat] == [str(number) for number in range(3, MAX_CHAT_MESSAGES + 3)]


def test_credited_lag_uses_up_the_quota() -> None:
    room = move(running(clock=TimeControl(kind="fischer", base=9000)), ANN, "a4b4", NOW + 1000, lag=300).room
    assert room.clocks == ((8300, 9000), (MAX_QUOTA_MS - 300 + QUOTA_REGAIN_PER_MOVE_MS, MAX_QUOTA_MS), NOW + 1000)


def test_loss_on_time_leaves_no_time() -> None:
    room = running(clock=TimeControl(kind="fischer", base=9000))
    end = Ended(room="r1", seq=room.seq + 1, at=NOW, result="0-1", reason="time", winner=1)
    assert apply(room, end).clocks[0] == (0, 9000)


def test_resumed_room_has_no_player_online() -> None:
    room = waiting().room
    resumed = Resumed(room="r1", seq=room.seq + 1, at=NOW + MINUTE_MS, credit=0)
    assert apply(room, resumed).away == (NOW + MINUTE_MS, None), "the second seat is empty"


def test_earlier_states_are_replayed() -> None:
    room = play(running(), "a4b4", "d1c1")
    assert [state_at(room, ply) for ply in range(3)] == list(states(room))
    assert state_at(room, 0) == room.game.start()
    assert state_at(room, 2) == room.state


def test_occurrences_of_a_position_are_counted() -> None:
    room = running(options=ONE_STONE)
    assert count_occurrences(room, 3) == 1
    room = play(room, *SHUFFLE)
    assert count_occurrences(room, 3) == 2


def test_takeback_forgets_the_later_positions() -> None:
    room = play(running(options=ONE_STONE), *SHUFFLE)
    back = apply(room, TakenBack(room="r1", seq=room.seq + 1, at=NOW, ply=0, position="", turn=0))
    assert len(back.position_marks) == POSITION_MARK_BYTES
    assert count_occurrences(back, 3) == 1


def test_equal_marks_of_different_states_do_not_count() -> None:
    room = play(running(options=ONE_STONE), "a4a3", "d1d2")
    room.position_marks = room.position_marks[-POSITION_MARK_BYTES:] * 3
    assert count_occurrences(room, 3) == 1


@pytest.mark.parametrize("game", GAMES)
def test_every_game_can_be_played_to_its_end(game: str) -> None:
    room: Room = running(game, options={"max_plies": 30} if game == "conga" else {})
    while room.status == "running":
        room = play(room, room.game.legal(room.state)[0])
    assert room.ended is not None
    verify(snapshots.record(room))


def test_event_fields_number_the_next_event() -> None:
    room = running()
    assert room.event_fields(NOW + 7) == {"room": "r1", "seq": room.seq + 1, "at": NOW + 7}


def test_log_with_a_move_after_the_end_is_refused() -> None:
    room = play(running("cohcoh", options={"n": 4, "k": 3}), "a1", "d4", "a2", "d2", "a3")
    assert room.status == "ended"
    free = next(text for text in ("c2", "b4", "c4") if text not in {made.move for made in room.moves})
    after = room.moves[-1]
    move_after_end = replace(after, seq=room.seq + 1, ply=room.ply + 1, side=1, move=free)
    with pytest.raises(GameError):
        apply(room, move_after_end)
