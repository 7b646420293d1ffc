"""Players who abort rated games again and again."""

from __future__ import annotations

from protocol.commands import Abort, Create, Join, Pair, Rematch
from protocol.replies import Ok
from server.domain.pauses import FIRST_PAUSE_MS, FREE_ABORTS
from server.rooms.abort_pauses import AbortPauses
from server.rooms.live_room import LiveRoom
from tests.server.domain.helpers import do, running, waiting
from tests.server.fakes import Harness, ManualClock, RecordingClient
from tests.server.rooms.helpers import ANN_ACCOUNT, BEN_ACCOUNT, BLITZ, create, start_game


async def abort_often(server: Harness) -> tuple[LiveRoom, RecordingClient, RecordingClient]:
    """Let ann abort one game too many. Return the last game, and new clients of ann and ben."""
    for _ in range(FREE_ABORTS + 1):
        live, ann, _ = await start_game(server, rated=True)
        assert isinstance(await server.ask(ann, Abort, room=live.room.id), Ok)
    return live, server.connect(ANN_ACCOUNT), server.connect(BEN_ACCOUNT)


async def test_player_who_aborts_often_cannot_start_rated_games(server: Harness) -> None:
    over, ann, ben = await abort_often(server)
    offered = (await create(server, ben, rated=True)).room.id
    replies = [
        await server.ask(ann, Create, game="cohcoh", rated=True, clock=BLITZ),
        await server.ask(ann, Pair, game="cohcoh", rated=True, clock=BLITZ),
        await server.ask(ann, Join, room=offered),
        await server.ask(ann, Rematch, room=over.room.id),
    ]
    assert {(reply.code, reply.retry_after) for reply in replies} == {("too_early", FIRST_PAUSE_MS // 1000)}
    server.clock.advance(FIRST_PAUSE_MS)
    assert isinstance(await server.ask(ann, Join, room=offered), Ok)


async def test_pause_concerns_neither_casual_games_nor_the_opponent(server: Harness) -> None:
    _, ann, ben = await abort_often(server)
    assert isinstance(await server.ask(ann, Create, game="cohcoh"), Ok)
    assert isinstance(await server.ask(ben, Create, game="cohcoh", rated=True, clock=BLITZ), Ok)


async def test_player_can_still_play_and_be_the_arbiter_of_arranged_games(server: Harness) -> None:
    _, ann, ben = await abort_often(server)
    players = {"players": ("ann", "eve"), "seat": None}
    arranged = await create(server, ben, rated=True, **players)
    assert isinstance(await server.ask(ann, Join, room=arranged.room.id), Ok)
    assert isinstance(await server.ask(ann, Create, game="cohcoh", rated=True, clock=BLITZ, players=("ben", "eve")), Ok)


def test_only_aborted_rated_games_count(clock: ManualClock) -> None:
    pauses = AbortPauses(clock)
    for room in (running(), running(rated=False), waiting(rated=True).room):
        for _ in range(FREE_ABORTS + 1):
            pauses.ended(LiveRoom(do(room, ANN_ACCOUNT, Abort).room, []))
    pauses.check(ANN_ACCOUNT.id)


def test_abort_at_another_node_counts(clock: ManualClock) -> None:
    pauses = AbortPauses(clock)
    aborted = do(running(rated=True), ANN_ACCOUNT, Abort)
    pauses.caught_up(LiveRoom(aborted.room, []), list(aborted.events))
    pauses.caught_up(LiveRoom(running(rated=True), []), [])
    assert len(pauses._aborts[ANN_ACCOUNT.id]) == 1


def test_abort_at_another_worker_counts_once(clock: ManualClock) -> None:
    shared: list[tuple[str, str, float]] = []
    here, there = AbortPauses(clock), AbortPauses(clock)
    here.share = lambda *abort: shared.append(abort)
    aborted = do(running(rated=True), ANN_ACCOUNT, Abort)
    here.ended(LiveRoom(aborted.room, []))
    there.caught_up(LiveRoom(aborted.room, []), list(aborted.events))
    for _, key, at in shared:
        there.note_elsewhere({key: at})
    assert there._aborts == here._aborts == {ANN_ACCOUNT.id: {aborted.room.id: aborted.room.ended.at}}  # type: ignore[union-attr]
