"""Which bots of a server take part in a ladder."""

from __future__ import annotations

from client.ladder.lobby import LadderLobby
from client.ladder.state import LadderGame, LadderState, Version, apply_entry, created_entry, paired_entry
from protocol.replies import LobbyUpdate
from protocol.types import BotInfo, RoomInfo, Seat, Status, TimeControl
from tests.client.ladder.night import with_anchors

SETTINGS = with_anchors({"search@3": 1248.0})


def bot(name: str, version: str = "1", **more: object) -> BotInfo:
    given = {"plays": ("conga",), "account": True, "ladder": True, "concurrent": 4, **more}
    return BotInfo(name=name, version=version, **given)  # type: ignore[arg-type]


def lobby(*bots: BotInfo, guests: bool = False, reserved: int = 0, rooms: tuple[RoomInfo, ...] = ()) -> LadderLobby:
    found = LadderLobby(SETTINGS, "Arbiter", guests=guests, reserved=reserved, new_versions=3)
    found.update(LobbyUpdate(rooms=rooms, full=True, bots=bots))
    return found


def names(found: LadderLobby) -> set[str]:
    return {contender.player.name for contender in found.contenders(LadderState(SETTINGS), 0.0)}


def room(id: str, *players: str, status: Status = "running") -> RoomInfo:
    first, second = (Seat(player=name, name=name) for name in players)
    return RoomInfo(
        room=id, game="mancala", options={}, clock=TimeControl(), status=status, seats=(first, second), created_at=0
    )


def test_only_bots_that_opted_in_are_paired() -> None:
    found = lobby(
        bot("ann"), bot("quiet", ladder=False), bot("other", plays=("mancala",)), bot("guest", account=False),
        bot("arbiter"),
    )  # fmt: skip
    assert names(found) == {"ann"}
    assert names(lobby(bot("ann"), bot("guest", account=False), guests=True)) == {"ann", "guest"}


def test_anchor_is_a_house_bot_or_at_least_an_account() -> None:
    assert names(lobby(bot("search@3", ladder=False, house=True))) == {"search@3"}
    assert names(lobby(bot("search@3", account=False), guests=True)) == set()
    assert names(lobby(bot("search@4", ladder=False, house=True))) == set()


def test_games_of_people_take_places() -> None:
    found = lobby(bot("ann"), reserved=1, rooms=(room("r1", "Ann", "eve"), room("r2", "eve", "tom")))
    assert [contender.places for contender in found.contenders(LadderState(SETTINGS), 0.0)] == [2]
    found.update(LobbyUpdate(rooms=(room("r1", "Ann", "eve", status="ended"),)))
    assert [contender.places for contender in found.contenders(LadderState(SETTINGS), 0.0)] == [3]


def test_own_games_are_not_counted_twice() -> None:
    state = LadderState(SETTINGS)
    apply_entry(state, paired_entry(LadderGame(1, (Version("ann", "1"), Version("ben", "1")), 1, 0.0)))
    apply_entry(state, created_entry(1, "r1"))
    found = lobby(bot("ann"), rooms=(room("r1", "ann", "ben"),))
    assert [contender.places for contender in found.contenders(state, 0.0)] == [3]


def test_bot_that_brings_many_versions_has_to_wait() -> None:
    state = LadderState(SETTINGS)
    for number in range(3):
        game = LadderGame(number + 1, (Version("flood", str(number)), Version("ben", "1")), 1, 10.0)
        apply_entry(state, paired_entry(game))
    assert lobby(bot("flood", "3")).contenders(state, 20.0) == []
    assert lobby(bot("flood", "3")).refused(state, 20.0) == [Version("flood", "3")]
    assert lobby(bot("flood", "1")).contenders(state, 20.0) != []  # a known version goes on
    assert lobby(bot("flood", "3")).contenders(state, 90_000.0) != []
