"""The TV: it follows live games by itself, shows results, and watches only what it shows."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from textual.pilot import Pilot

from client.tui.models.move_picker import cells
from client.tui.models.tv_places import RESULT_S, TvPlaces, grid_shape
from client.tui.render.appearance import Appearance
from client.tui.screens.table import TableScreen
from client.tui.screens.tv import NO_GAMES, TvScreen
from client.tui.widgets.board_tile import BoardTile
from engine.registry import GAMES
from protocol.commands import Leave, Lobby, Watch
from protocol.events import Ended
from protocol.replies import LobbyUpdate, Snapshot
from tests.tui.lobby_samples import room
from tests.tui.offline_app import AT, MONO, OfflineApp, moved, picture_of, snapshot_of


def live(*games: str) -> LobbyUpdate:
    """Return a lobby with running games. Their rooms are g0, g1, …, in the order of the TV."""
    rooms = (
        room(f"g{n}", game, f"first{n}", f"second{n}", status="running", created_at=AT - n)
        for n, game in enumerate(games)
    )
    return LobbyUpdate(full=True, rooms=tuple(rooms))


def snapshots(*games: str) -> list[Snapshot]:
    return [
        snapshot_of(game, room=f"g{n}", seat=None, names=(f"first{n}", f"second{n}")) for n, game in enumerate(games)
    ]


@asynccontextmanager
async def tv(
    *games: str, size: tuple[int, int] = (80, 24), appearance: Appearance = MONO
) -> AsyncIterator[tuple[OfflineApp, Pilot[str], TvScreen]]:
    app = OfflineApp(appearance=appearance)
    async with app.run_test(size=size) as pilot:
        screen = TvScreen()
        await app.show(screen)
        app.deliver(live(*games))
        screen.flush()
        for snapshot in snapshots(*games):
            if snapshot.room in screen.places.rooms:
                app.deliver(snapshot)
        screen.flush()
        await pilot.pause()
        yield app, pilot, screen


def watched(app: OfflineApp) -> list[str]:
    return [command.room for command in app.sent if isinstance(command, Watch)]


def left(app: OfflineApp) -> list[str]:
    return [command.room for command in app.sent if isinstance(command, Leave)]


def ended(app: OfflineApp, name: str, scores: tuple[int, int], winner: int) -> Ended:
    table = app.table(name)
    assert table is not None
    result = "1-0" if winner == 0 else "0-1"
    return Ended(room=name, seq=table.seq + 1, at=AT, result=result, winner=winner, reason="score", scores=scores)  # type: ignore[arg-type]


# -- places


def test_ended_game_stays_for_its_result_then_the_next_one_comes() -> None:
    places = TvPlaces()
    places.arrange(["a", "b", "c"], 2, now=0)
    assert places.rooms == ["a", "b"]
    assert places.has_next
    places.end("a", 10)
    places.arrange(["b", "c"], 2, now=10 + RESULT_S - 0.1)
    assert places.rooms == ["a", "b"]
    places.arrange(["b", "c"], 2, now=10 + RESULT_S)
    assert places.rooms == ["c", "b"]
    places.end("b", 20)
    places.arrange(["c"], 2, now=99)  # no other game: the result stays
    assert places.rooms == ["c", "b"]
    places.arrange(["c", "d"], 2, now=99)
    assert places.rooms == ["c", "d"]


def test_held_games_keep_their_places() -> None:
    places = TvPlaces()
    places.arrange(["a", "b"], 1, now=0)
    places.held = True
    places.end("a", 0)
    places.arrange(["b"], 1, now=99)
    assert places.rooms == ["a"]
    places.held = False
    places.arrange(["b"], 1, now=99)
    assert places.rooms == ["b"]


def test_ended_game_that_the_lobby_still_lists_does_not_return() -> None:
    places = TvPlaces()
    places.arrange(["a", "b"], 1, now=0)
    places.end("a", 0)
    places.arrange(["a", "b"], 1, now=RESULT_S)
    assert places.rooms == ["b"]
    places.arrange(["a", "b"], 2, now=RESULT_S)
    assert places.rooms == ["b"]


def test_pages_go_through_all_games_and_around() -> None:
    places, rooms = TvPlaces(), list("abcde")
    places.arrange(rooms, 2, now=0)
    seen = []
    for _ in range(3):
        places.turn_page(rooms, 2, 1)
        seen.append("".join(places.rooms))
    assert seen == ["cd", "ea", "bc"]
    places.turn_page(rooms, 2, -1)
    assert places.rooms == ["e", "a"]
    places.turn_page(rooms, 5, 1)
    assert len(places.rooms) == 2


@pytest.mark.parametrize(
    ("games", "shape"), [(0, (1, 1)), (1, (1, 1)), (2, (2, 1)), (3, (2, 2)), (5, (3, 2)), (6, (3, 2)), (9, (3, 3))]
)
def test_grid_has_a_place_for_each_game(games: int, shape: tuple[int, int]) -> None:
    assert grid_shape(games) == shape


# -- the screen


@pytest.mark.parametrize(("size", "boards"), [((80, 24), 4), ((100, 30), 4), ((120, 40), 9)])
async def test_tv_watches_only_the_games_it_shows(size: tuple[int, int], boards: int) -> None:
    async with tv(*["conga"] * 14, size=size) as (app, _, screen):
        assert [type(app.sent[0])] == [Lobby]
        assert watched(app) == screen.places.rooms == [f"g{n}" for n in range(boards)]
        assert f"TV  ·  {boards} of 14 live games" in picture_of(app)


async def test_new_game_appears_by_itself() -> None:
    async with tv() as (app, pilot, screen):
        assert NO_GAMES in picture_of(app)
        app.deliver(live("conga"))
        screen.flush()
        app.deliver(snapshots("conga")[0])
        screen.flush()
        await pilot.pause()
        assert NO_GAMES not in picture_of(app)
        assert "first0" in picture_of(app)
        assert "1 live game" in picture_of(app)


async def test_result_stays_and_is_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("client.tui.screens.tv.monotonic", lambda: now)
    async with tv("mancala", "conga", "conga", "conga", "cohcoh") as (app, pilot, screen):
        app.deliver(ended(app, "g0", (14, 34), 1))
        app.deliver(LobbyUpdate(rooms=(room("g0", "mancala", "first0", "second0", status="ended", result="0-1"),)))
        screen.flush()
        await pilot.pause()
        assert "second0 wins 34 to 14" in picture_of(app)
        assert "next in 5 s" in picture_of(app)
        now += RESULT_S
        screen.flush()
        assert screen.places.rooms == ["g4", "g1", "g2", "g3"]
        assert (watched(app)[-1], left(app)) == ("g4", ["g0"])


async def test_long_names_never_cut_the_score() -> None:
    long = "a-player-with-a-very-long-name-indeed"
    app = OfflineApp(snapshot_of("mancala", room="one", seat=None, names=(long, "bob")))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = TvScreen(("one", "two", "three", "four"))
        await app.show(screen)
        app.deliver(ended(app, "one", (34, 14), 0))
        screen.flush()
        await pilot.pause()
        assert "… wins 34 to 14" in picture_of(app)


async def test_keys_choose_hold_and_filter() -> None:
    async with tv("conga", "mancala", "conga", "cohcoh", "conga") as (app, pilot, screen):
        await pilot.press("right", "right", "down")
        assert screen.chosen == 3
        await pilot.press("up", "left", "left", "up", "tab")
        assert screen.chosen == 1
        await pilot.press("space")
        assert screen.places.held
        assert "held" in picture_of(app)
        await pilot.press("space", "g")
        assert screen.game == "conga"
        assert screen.places.rooms == ["g0", "g2", "g4"]
        assert set(left(app)) == {"g1", "g3"}
        await pilot.press("9")
        await pilot.pause()
        assert "120 x 40" in picture_of(app)
        await pilot.press(*["g"] * len(GAMES), "1")
        assert screen.places.rooms == [screen.places.rooms[0]]
        await pilot.press("4", "pagedown")
        assert len(screen.places.rooms) == 4


async def test_pages_show_every_game_although_watched_games_come_first() -> None:
    games = ["conga"] * 14
    async with tv(*games) as (app, pilot, screen):
        seen = set(screen.places.rooms)
        for _ in range(4):
            await pilot.press("pagedown")
            shown = screen.places.rooms
            rooms = [
                room(f"g{n}", "conga", "a", "b", status="running", watchers=int(f"g{n}" in shown)) for n in range(14)
            ]
            app.deliver(LobbyUpdate(full=True, rooms=tuple(rooms)))
            seen.update(shown)
        assert len(seen) == 14


async def test_enter_opens_the_chosen_game_and_leaving_it_keeps_the_tv() -> None:
    async with tv("conga", "mancala") as (app, pilot, screen):
        await pilot.press("right", "enter")
        await pilot.pause()
        assert isinstance(app.screen, TableScreen)
        assert app.screen.room == "g1"
        await pilot.press("q")
        await pilot.pause()
        assert screen.is_current
        assert left(app) == []


async def test_one_game_fills_the_tv_and_small_mancala_is_drawn() -> None:
    async with tv("mancala", appearance=Appearance("dark")) as (app, pilot, _):
        assert "▀" in picture_of(app)
        app.deliver(live("mancala", "conga", "conga"))
        await pilot.pause()
    async with tv("mancala", "conga", "maxconnect4", "cohcoh", appearance=Appearance("dark")) as (app, _, _):
        lines = picture_of(app).splitlines()
        row = next(line for line in lines if line.count(" 4 ") >= 6)
        assert row.index(" 4 ", row.index(" 4 ") + 1) - row.index(" 4 ") == 4  # pits of 4 x 1 characters


async def test_refused_room_says_why_on_a_tv_of_given_rooms() -> None:
    app = OfflineApp(snapshot_of("conga", room="one", seat=None))
    async with app.run_test(size=(80, 24)) as pilot:
        screen = TvScreen(("one", "two"))
        await app.show(screen)
        screen._refuse("two", "there is no room two")
        screen.flush()
        await pilot.pause()
        assert "there is no room two" in picture_of(app)
        assert "Watching  ·  2 games" in picture_of(app)


async def test_tiles_name_their_game_and_share_the_line_of_the_players() -> None:
    async with tv(*GAMES) as (app, pilot, screen):
        text = picture_of(app)
        assert all(game.title in text for game in GAMES.values())
        long = "a-player-with-a-very-long-name-indeed"
        app.deliver(snapshot_of("conga", room="g0", seat=None, names=(long, "bob")))
        app.deliver(snapshot_of("mancala", room="g1", seat=None, names=(long, long)))
        screen.flush()
        await pilot.pause()
        first, second = picture_of(app).splitlines()[2].split("bob")
        assert first.strip("> ●○").startswith(long[:24])  # a short name leaves its space to the other one
        assert second.count("…") == 2
        assert second.count("a-player-wi") == 2


async def test_moves_are_animated_on_up_to_four_boards() -> None:
    async with tv("conga", "mancala", appearance=Appearance("dark")) as (app, _, screen):
        tile = screen.query(BoardTile).first()
        now = 100.0
        tile.clock = lambda: now
        app.deliver(moved("conga", ("a4b4",), room="g0"))
        screen.flush()
        boards = []
        for _ in range(3):
            boards.append(tile._moving_board())
            now += 0.1
        stones = [None if board is None else cells(board)["b4"].count for board in boards]
        assert stones == [10, 1, None]  # all stones, then the one that stays, then the position
        tile._next_frame()
        assert tile._frames is None  # an idle board has no timer


@pytest.mark.parametrize("appearance", [MONO, Appearance("dark", motion=False)])
async def test_motion_of_the_tv_has_the_same_switches_as_that_of_a_table(appearance: Appearance) -> None:
    async with tv("conga", appearance=appearance) as (app, _, screen):
        app.deliver(moved("conga", ("a4b4",), room="g0"))
        screen.flush()
        assert not screen.query(BoardTile).first().is_moving


async def test_moves_on_more_than_four_boards_are_not_animated() -> None:
    async with tv(*["conga"] * 5, size=(120, 40), appearance=Appearance("dark")) as (app, _, screen):
        app.deliver(moved("conga", ("a4b4",), room="g0"))
        screen.flush()
        assert not screen.query(BoardTile).first().is_moving


async def test_key_bar_says_whether_q_ends_the_program() -> None:
    app = OfflineApp()
    async with app.run_test(size=(80, 24)) as pilot:
        for word in ("q quit", "q back"):
            await app.show(TvScreen())
            await pilot.pause()
            assert word in picture_of(app)
