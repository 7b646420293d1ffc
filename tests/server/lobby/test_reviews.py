from __future__ import annotations

from typing import Any

import pytest

from client.bots.reviewer import MAX_WORDS_CHARS, MOVES_PER_PART
from engine.record import parse
from protocol.codec import JSON, MAX_MESSAGE_BYTES, MSGPACK
from protocol.commands import Abort, Move, Resign, Review, SubmitReview, TakeReview, Watch
from protocol.replies import Ok, ReviewTask, ReviewUpdate
from protocol.types import Player, ReviewedMove, ReviewSummary
from server.lobby import reviews
from server.lobby.reviews import CHECK_INTERVAL_MS, LEASE_MS, MAX_ATTEMPTS
from tests.server.conftest import Build
from tests.server.domain.helpers import ANN, EVE
from tests.server.fakes import Harness, RecordingClient
from tests.server.rooms.helpers import disconnect, start_game

REVIEWER = Player(id="p-reviewer", name="reviewer", account=True, bot=True)
SUMMARY = ReviewSummary(accuracy=(97.5, None))
MOVES = ("a1", "b1", "c1", "e1")


def reviewed(move: str, ply: int, **more: Any) -> ReviewedMove:
    fields = {
        "side": (ply - 1) % 2, "best": move, "line": (move,), "value": 0.0, "value_proved": False, "played": 0.0,
        "played_proved": False, "loss": 0.0, "chance": 0.5, "cost": 0.0, "judgement": "best", "depth": 4,
    }  # fmt: skip
    return ReviewedMove(ply=ply, move=move, **{**fields, **more})


async def finished_game(server: Harness) -> tuple[str, RecordingClient, RecordingClient]:
    """Play four moves, and resign. Return the room and the players' clients."""
    live, ann, ben = await start_game(server, options={"n": 5, "k": 4})
    for ply, move in enumerate(MOVES):
        await server.ask((ann, ben)[ply % 2], Move, room=live.room.id, ply=ply, move=move)
    await server.ask(ann, Resign, room=live.room.id)
    return live.room.id, ann, ben


async def reviewer_of(server: Harness) -> RecordingClient:
    client = server.connect(REVIEWER)
    assert isinstance(await server.ask(client, TakeReview), Ok)
    return client


async def submit(server: Harness, reviewer: RecordingClient, room: str, **more: Any) -> Any:
    moves = tuple(reviewed(move, ply) for ply, move in enumerate(MOVES, 1))
    return await server.ask(reviewer, SubmitReview, room=room, **{"moves": moves, "summary": SUMMARY, **more})


def states(client: RecordingClient) -> list[str]:
    return [update.state for update in client.of(ReviewUpdate)]


async def test_review_reaches_the_client_that_asked_and_is_kept(server: Harness) -> None:
    reviewer = await reviewer_of(server)
    room, ann, ben = await finished_game(server)
    eve = server.connect(EVE)
    await server.ask(eve, Watch, room=room)
    assert await server.ask(ann, Review, room=room) == Ok(id=ann.of(Ok)[-1].id, room=room)
    (task,) = reviewer.of(ReviewTask)
    assert [played.move for played in parse(task.record).moves] == list(MOVES)
    assert states(ann) == ["queued", "running"]
    await submit(server, reviewer, room, moves=(reviewed("e1", 4),), summary=None)
    assert (ann.of(ReviewUpdate)[-1].done, ann.of(ReviewUpdate)[-1].total) == (1, 4)
    assert isinstance(await submit(server, reviewer, room), Ok)
    for client in (ann, ben, eve):
        update = client.of(ReviewUpdate)[-1]
        assert (update.state, update.summary, len(update.moves)) == ("done", SUMMARY, 4)
    fay = server.connect(Player(id="p-fay", name="fay"))
    await server.ask(fay, Review, room=room)
    assert fay.of(ReviewUpdate) == ann.of(ReviewUpdate)[-1:]
    assert len(reviewer.of(ReviewTask)) == 1


async def test_second_request_waits_for_the_same_review(server: Harness) -> None:
    reviewer = await reviewer_of(server)
    room, ann, ben = await finished_game(server)
    for _ in range(2):
        assert isinstance(await server.ask(ann, Review, room=room), Ok)
    assert isinstance(await server.ask(ben, Review, room=room), Ok)
    await submit(server, reviewer, room)
    assert [states(client).count("done") for client in (ann, ben)] == [1, 1]


async def test_player_asks_for_one_new_review_a_minute(server: Harness) -> None:
    await reviewer_of(server)
    first, ann, _ = await finished_game(server)
    second, again, _ = await finished_game(server)
    assert isinstance(await server.ask(ann, Review, room=first), Ok)
    refused = await server.ask(again, Review, room=second)
    assert (refused.code, refused.retry_after) == ("rate_limited", 60.0)
    assert isinstance(await server.ask(again, Review, room=first), Ok), "it is under way, so it costs nothing"
    server.clock.advance(60_000)
    assert isinstance(await server.ask(again, Review, room=second), Ok)


async def test_address_asks_for_a_limited_number(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server.app.reviews._addresses, "_burst", 1.0)
    await reviewer_of(server)
    room, ann, _ = await finished_game(server)
    other, _, ben = await finished_game(server)
    await server.ask(ann, Review, room=room)
    assert (await server.ask(ben, Review, room=other)).code == "rate_limited"


async def test_full_queue_is_an_error(server: Harness, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reviews, "MAX_QUEUED", 1)
    await reviewer_of(server)
    room, ann, _ = await finished_game(server)
    other, _, ben = await finished_game(server)
    await server.ask(ann, Review, room=room)
    refused = await server.ask(ben, Review, room=other)
    assert (refused.code, str(refused.text)) == ("queue_full", "1 games wait for the reviewer: try again later")


async def test_request_needs_a_reviewer_and_a_finished_game(server: Harness) -> None:
    room, ann, _ = await finished_game(server)
    assert (await server.ask(ann, Review, room=room)).code == "no_reviewer"
    await reviewer_of(server)
    live, ann, _ = await start_game(server)
    assert (await server.ask(ann, Review, room=live.room.id)).code == "too_early"
    await server.ask(ann, Abort, room=live.room.id)
    assert (await server.ask(ann, Review, room=live.room.id)).code == "bad_request"
    assert (await server.ask(ann, Review, room="nothing")).code == "no_room"


async def test_review_of_a_private_room_is_for_its_players(server: Harness) -> None:
    live, ann, _ = await start_game(server, private=True)
    await server.ask(ann, Resign, room=live.room.id)
    assert (await server.ask(server.connect(EVE), Review, room=live.room.id)).code == "bad_code"


@pytest.mark.parametrize("player", [ANN, Player(id="p-guest", name="reviewer"), Player(id="p", name="x", account=True)])
async def test_only_accounts_with_the_right_take_and_submit_reviews(server: Harness, player: Player) -> None:
    client = server.connect(player)
    room, _, _ = await finished_game(server)
    assert (await server.ask(client, TakeReview)).code == "bad_request"
    assert (await submit(server, client, room)).code == "bad_request"


async def test_reviewer_submits_only_what_it_has_taken(server: Harness) -> None:
    reviewer = await reviewer_of(server)
    room, ann, _ = await finished_game(server)
    other, _, _ = await finished_game(server)
    assert (await submit(server, reviewer, room)).code == "stale"
    await server.ask(ann, Review, room=room)
    assert (await submit(server, reviewer, other)).code == "stale"
    assert (await server.ask(reviewer, TakeReview)).code == "bad_request"


@pytest.mark.parametrize(
    ("move", "wrong"),
    [
        (reviewed("a1", 5), "there is no ply 5"),
        (reviewed("b1", 1), "another move was played"),
        (reviewed("a1", 1, side=1), "another move was played"),
        (reviewed("a1", 1, best="b2"), "the line does not begin with it"),
        (reviewed("a1", 1, line=()), "the line is empty"),
        (reviewed("a1", 1, best="z9", line=("z9",)), "not legal"),
        (reviewed("a1", 1, line=("a1", "a1")), "not legal"),
        (reviewed("a1", 1, also=("b2", "z9")), "not legal"),
        (reviewed("a1", 1, also=("b2",) * 17), "too many moves"),
        (reviewed("a1", 1, line=tuple(f"{file}{rank}" for rank in (1, 2, 3) for file in "abcde")), "too long"),
        (reviewed("a1", 1, words="x" * 201), "too long"),
        (reviewed("a1", 1, words="\x1b[2J"), "not printable"),
        (reviewed("a1", 1, depth=None), "an estimate without a depth"),
        (reviewed("a1", 1, depth=5000), "too deep"),
    ],
)
async def test_wrong_reviews_are_refused(server: Harness, move: ReviewedMove, wrong: str) -> None:
    reviewer = await reviewer_of(server)
    room, ann, _ = await finished_game(server)
    await server.ask(ann, Review, room=room)
    assert (await submit(server, reviewer, room, moves=(move,), summary=None)).code == "bad_request", wrong
    assert isinstance(await submit(server, reviewer, room), Ok)


async def test_incomplete_reviews_are_refused(server: Harness) -> None:
    reviewer = await reviewer_of(server)
    room, ann, _ = await finished_game(server)
    await server.ask(ann, Review, room=room)
    assert (await submit(server, reviewer, room, moves=())).code == "bad_request"
    far = ReviewSummary(accuracy=(1.0, 2.0), turning_points=(5,))
    assert (await submit(server, reviewer, room, summary=far)).code == "bad_request"
    assert states(ann)[-1] == "running"


async def test_better_move_comes_with_its_cells(server: Harness) -> None:
    reviewer = await reviewer_of(server)
    room, ann, _ = await finished_game(server)
    await server.ask(ann, Review, room=room)
    better = reviewed("b1", 2, best="c3", line=("c3", "d4"), path=("z9",), judgement="mistake")
    await submit(server, reviewer, room, moves=(better,), summary=None)
    await submit(server, reviewer, room, moves=tuple(reviewed(MOVES[ply - 1], ply) for ply in (1, 3, 4)))
    moves = ann.of(ReviewUpdate)[-1].moves
    assert [move.path for move in moves] == [(), ("c3",), (), ()]


async def test_game_of_a_lost_reviewer_goes_to_the_next(server: Harness) -> None:
    first = await reviewer_of(server)
    room, ann, _ = await finished_game(server)
    await server.ask(ann, Review, room=room)
    disconnect(server, first)
    await server.settle()
    second = await reviewer_of(server)
    assert [task.room for task in second.of(ReviewTask)] == [room]
    await submit(server, second, room)
    assert states(ann)[-1] == "done"


async def test_game_that_crashes_reviewers_is_given_up(server: Harness) -> None:
    room, ann, _ = await finished_game(server)
    for _ in range(MAX_ATTEMPTS):
        reviewer = await reviewer_of(server)
        if states(ann) == []:
            await server.ask(ann, Review, room=room)
        assert len(reviewer.of(ReviewTask)) == 1
        disconnect(server, reviewer)
        await server.settle()
    await reviewer_of(server)
    assert ann.of(ReviewUpdate)[-1].state == "failed"
    assert "3 times" in ann.of(ReviewUpdate)[-1].why
    assert await server.store.review(room) is None


async def test_problem_ends_the_review(server: Harness) -> None:
    reviewer = await reviewer_of(server)
    room, ann, _ = await finished_game(server)
    await server.ask(ann, Review, room=room)
    assert (await submit(server, reviewer, room, problem="\n")).code == "bad_request"
    await submit(server, reviewer, room, problem="the record is wrong")
    assert (ann.of(ReviewUpdate)[-1].state, ann.of(ReviewUpdate)[-1].why) == ("failed", "the record is wrong")
    assert isinstance(await server.ask(reviewer, TakeReview), Ok)


async def test_accepted_request_survives_a_restart_of_the_server(build: Build) -> None:
    before = await build()
    reviewer = await reviewer_of(before)
    room, ann, _ = await finished_game(before)
    await before.ask(ann, Review, room=room)
    assert len(reviewer.of(ReviewTask)) == 1
    after = await build()
    await after.app.server.start()
    reviewer = await reviewer_of(after)
    assert [task.room for task in reviewer.of(ReviewTask)] == [room]
    await submit(after, reviewer, room)
    ann = after.connect(ANN)
    await after.ask(ann, Review, room=room)
    assert states(ann) == ["done"]


async def test_silent_reviewer_loses_its_game(build: Build) -> None:
    """With several nodes, another one may give the game to its own reviewer."""
    server = await build(shared=True)
    first, second = await reviewer_of(server), await reviewer_of(server)
    room, ann, _ = await finished_game(server)
    await server.ask(ann, Review, room=room)
    server.clock.advance(LEASE_MS + 1)
    server.app.reviews.sweep()
    await server.settle()
    assert [len(client.of(ReviewTask)) for client in (first, second)] == [1, 1]


async def test_lost_news_of_the_bus_is_found_in_the_store(build: Build) -> None:
    server = await build(shared=True)
    await reviewer_of(server)
    room, ann, _ = await finished_game(server)
    await server.ask(ann, Review, room=room)
    done = ReviewUpdate(room=room, state="done", summary=SUMMARY)
    await server.store.save_review(room, MSGPACK.encode(done))  # as another node does
    server.clock.advance(CHECK_INTERVAL_MS)
    server.app.reviews.sweep()
    await server.settle()
    assert ann.of(ReviewUpdate)[-1] == done


async def test_waiting_clients_may_stay_silent(server: Harness) -> None:
    reviewer = await reviewer_of(server)
    room, ann, ben = await finished_game(server)
    await server.ask(ann, Review, room=room)
    waiting = server.app.reviews.is_waiting
    assert [waiting(client) for client in (reviewer, ann, ben)] == [True, True, False]
    disconnect(server, ann)
    assert not waiting(ann)


def test_part_of_a_review_fits_into_a_message() -> None:
    longest = reviewed("a1-b2", 999, line=("a1-b2-c3",) * 12, words="é" * MAX_WORDS_CHARS, judgement="inaccuracy")
    part = SubmitReview(id=2**53, room="r" * 20, moves=(longest,) * MOVES_PER_PART, summary=SUMMARY)
    data = JSON.encode(part)
    assert len(data) < MAX_MESSAGE_BYTES
    assert JSON.decode_command(data) == part
