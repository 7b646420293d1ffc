"""A person at a table, without a screen: browsing, moves in advance, letting go."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from client.tui.models.ply_browser import PlyBrowser
from client.tui.models.table_state import TableState
from protocol.events import Moved
from tests.tui.offline_app import AT, snapshot_of


def table_of(*moves: str, game: str = "conga", seat: int | None = 0) -> RoomView:
    return RoomView(snapshot_of(game, moves, seat=seat), 0.0)


def moved(table: RoomView, text: str) -> None:
    """The next move happens."""
    assert table.game is not None
    state = table.state
    after = table.game.play(state, table.game.parse(state, text))
    table.apply(
        Moved(
            room="room", seq=table.seq + 1, at=AT, ply=table.ply + 1, side=state.turn, move=text,
            position=table.game.dump(after), turn=after.turn, took=1, charged=1,
        ),
        0.0,
    )  # fmt: skip


def test_browsing_back_is_not_disturbed_by_new_moves() -> None:
    browser = PlyBrowser()
    assert browser.ply(5) == 5
    browser.step(-2, 5)
    assert (browser.ply(5), browser.ply(9)) == (3, 3)
    browser.return_to_live()
    assert browser.ply(9) == 9
    browser.go(-4, 9)
    assert browser.ply(9) == 0
    browser.go(8, 9)
    assert browser.ply(4) == 4  # moves were taken back


def test_the_newest_move_is_live_as_long_as_the_game_goes_on() -> None:
    lives = []
    browser = PlyBrowser()
    for ply, ended in ((3, False), (9, False), (99, False), (9, True)):
        browser.go(ply, 9, ended)
        lives.append(browser.live)
    assert lives == [False, True, True, False]


def test_looking_back_shows_the_board_of_then() -> None:
    table = table_of("a4b4", "d1c2")
    model = TableState(table)
    model.step(-1)
    assert model.board() == table.game.draw(table.states[1])  # type: ignore[union-attr]
    assert model.marks().last == {"a4", "b4", "c4", "d4"}
    assert not model.playing
    assert model.point("d4") == ""
    moved(table, "d4c3")
    model.fresh(table)
    assert model.ply == 1


def test_pointing_makes_a_move() -> None:
    model = TableState(table_of())
    assert model.point("a4") == ""
    assert model.marks().targets == {"a3", "b3", "b4"}
    assert model.point("b3") == "a4b3"
    assert model.want("a4b3")


def test_a_move_in_advance_is_played_when_its_turn_comes() -> None:
    table = table_of(game="cohcoh", seat=1)
    model = TableState(table)
    text = model.point("b2")
    assert text == "b2"
    assert not model.want(text)
    assert model.due_premove() == ("", "")
    assert model.marks().picked == ("b2",)
    moved(table, "a1")
    model.fresh(table)
    assert model.due_premove() == ("b2", "")
    assert model.due_premove() == ("", "")


def test_a_move_in_advance_that_cannot_be_played_is_told_about() -> None:
    table = table_of(game="cohcoh", seat=1)
    model = TableState(table)
    assert not model.want("b2")
    assert model.marks().picked == ("b2",)
    moved(table, "b2")
    model.fresh(table)
    text, wrong = model.due_premove()
    assert text == ""
    assert wrong.startswith("b2")


def test_escape_lets_go_of_the_latest_first() -> None:
    model = TableState(table_of(seat=1))
    model.point("d1")
    assert not model.want("d1c1")
    model.typed = "d1"
    for left in (("", 1, "d1c1"), ("", 0, "d1c1"), ("", 0, "")):
        assert model.cancel_latest()
        picking = model.picking()
        assert picking is not None
        assert (model.typed, len(picking.picked), model.premove) == left
    assert not model.cancel_latest()


def test_a_hint_shows_a_move() -> None:
    table = table_of()
    model = TableState(table)
    assert table.game is not None
    assert model.hint(table.game.parse(table.state, "a4b3")) == "a4b3"
    assert model.marks().picked == ("a4", "b3")


def test_watchers_and_finished_games_pick_nothing() -> None:
    assert TableState(table_of(seat=None)).picking() is None
    ended = table_of(*("a1", "d4", "a2", "d3", "c1", "b4", "a4", "c2", "a3"), game="cohcoh")
    assert ended.status == "ended"
    assert TableState(ended).picking() is None
