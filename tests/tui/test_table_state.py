"""The state of a table: looking back, picking, premoves, hints."""

from __future__ import annotations

from client.sdk.room_view import RoomView
from client.tui.models.table_state import TableState
from protocol.events import Moved
from tests.tui.offline_app import AT, snapshot_of


def table_of(*moves: str, game: str = "conga", seat: int | None = 0) -> RoomView:
    return RoomView(snapshot_of(game, moves, seat=seat), 0.0)


def moved(table: RoomView, text: str) -> None:
    """Apply the next move to the room."""
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


def test_looking_back_shows_the_earlier_board() -> None:
    table = table_of("a4b4", "d1c2")
    model = TableState(table)
    model.step(-1)
    assert model.board() == table.game.draw(table.states[1])  # type: ignore[union-attr]
    assert model.marks().last == {"a4", "b4", "c4", "d4"}
    assert not model.playing
    assert model.point("d4") == ""
    moved(table, "d4c3")
    model.update(table)
    assert model.ply == 1


def test_pointing_makes_a_move() -> None:
    model = TableState(table_of())
    assert model.point("a4") == ""
    assert model.marks().targets == {"a3", "b3", "b4"}
    assert model.point("b3") == "a4b3"
    assert model.choose("a4b3")


def test_premove_is_due_on_our_turn() -> None:
    table = table_of(game="cohcoh", seat=1)
    model = TableState(table)
    text = model.point("b2")
    assert text == "b2"
    assert not model.choose(text)
    assert model.due_premove() == ("", "")
    assert model.marks().picked == ("b2",)
    moved(table, "a1")
    model.update(table)
    assert model.due_premove() == ("b2", "")
    assert model.due_premove() == ("", "")


def test_illegal_premove_is_reported() -> None:
    table = table_of(game="cohcoh", seat=1)
    model = TableState(table)
    assert not model.choose("b2")
    assert model.marks().picked == ("b2",)
    moved(table, "b2")
    model.update(table)
    assert model.due_premove() == ("", "Premove b2 is no longer legal")


def test_cancel_latest_starts_with_the_typed_text() -> None:
    model = TableState(table_of(seat=1))
    model.point("d1")
    assert not model.choose("d1c1")
    model.typed = "d1"
    for left in (("", 1, "d1c1"), ("", 0, "d1c1"), ("", 0, "")):
        assert model.cancel_latest()
        picker = model.picker()
        assert picker is not None
        assert (model.typed, len(picker.picked), model.premove) == left
    assert not model.cancel_latest()


def test_preview_needs_a_touch_in_this_turn() -> None:
    model = TableState(table_of())
    model.hover("a4")
    model.point("a4")
    model.hover("b4")
    assert model.marks().preview
    assert "b4" in model.preview()
    model.update(table_of("a4b4", "d1c1"))
    marks = model.marks()
    assert (marks.cursor, marks.preview, model.preview()) == (None, {}, "")
    model.move_cursor("right")
    assert model.marks().cursor is not None


def test_own_side_is_below_and_discs_never_turn() -> None:
    for seat, flipped in ((0, True), (1, False), (None, False)):
        assert TableState(table_of(seat=seat)).flipped == flipped
    model = TableState(table_of(seat=0))
    model.turned = True
    assert (model.below, model.flipped) == (1, False)


def test_suggested_move_is_marked_and_previewed_until_the_cursor_moves() -> None:
    table = table_of()
    model = TableState(table)
    assert table.game is not None
    assert model.suggest(table.game.parse(table.state, "a4b3")) == "a4b3"
    assert model.marks().picked == ("a4", "b3")
    assert model.preview().startswith("a4b3: 1 to b3")
    model.move_cursor("down")
    assert model.preview() == ""
    model.cancel_latest()
    assert not model.suggested


def test_typed_move_is_previewed() -> None:
    model = TableState(table_of())
    model.typed = "a4b"
    assert model.preview() == ""
    model.typed = "a4b4"
    assert model.preview() == "a4b4: 1 to b4, 2 to c4, 7 to d4."
    marks = model.marks()
    assert (marks.picked, set(marks.preview)) == (("a4", "b4"), {"a4", "b4", "c4", "d4"})


def test_no_moves_are_picked_by_watchers_or_after_the_game() -> None:
    assert TableState(table_of(seat=None)).picker() is None
    ended = table_of(*("a1", "d4", "a2", "d3", "c1", "b4", "a4", "c2", "a3"), game="cohcoh")
    assert ended.status == "ended"
    assert TableState(ended).picker() is None
