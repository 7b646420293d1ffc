"""The review of a finished game on the table screen: asked for with a key, shown as in a record."""

from __future__ import annotations

import pytest

from client.presentation.server_reviews import progress_text
from client.tui.screens.table import TableScreen
from protocol.commands import Review
from protocol.replies import ReviewUpdate
from protocol.types import ReviewedMove, ReviewSummary
from tests.tui.offline_app import OfflineApp, picture_of, snapshot_of

SIZE = (120, 40)
MOVES = ("a1", "b1", "c1", "e1")
SUMMARY = ReviewSummary(accuracy=(91.4, None), turning_points=(3,))


def reviewed(ply: int, move: str, **more: object) -> ReviewedMove:
    fields = {
        "side": (ply - 1) % 2, "best": move, "line": (move,), "value": 0.0, "value_proved": True, "played": 0.0,
        "played_proved": True, "loss": 0.0, "chance": 0.5, "cost": 0.0, "judgement": "best",
    }  # fmt: skip
    return ReviewedMove(ply=ply, move=move, **{**fields, **more})  # type: ignore[arg-type]


def finished_review() -> ReviewUpdate:
    bad = {"best": "b2", "line": ("b2", "d3"), "judgement": "blunder", "words": "turns a draw into a loss", "cost": 0.5}
    moves = [reviewed(ply, move, **(bad if ply == 3 else {})) for ply, move in enumerate(MOVES, 1)]
    return ReviewUpdate(room="room", state="done", done=4, total=4, summary=SUMMARY, moves=tuple(moves))


async def test_review_is_asked_for_and_shown() -> None:
    app = OfflineApp(
        snapshot_of(
            "cohcoh", MOVES, options={"n": 5, "k": 4}, status="ended", result="1-0", reason="resigned", winner=0
        )
    )
    async with app.run_test(size=SIZE) as pilot:
        screen = TableScreen("room")
        await app.show(screen)
        await pilot.press("f2")
        await pilot.pause()
        assert "F3 asks the server for a review" in picture_of(app)
        await pilot.press("f3")
        assert [command.room for command in app.sent if isinstance(command, Review)] == ["room"]
        screen.receive(ReviewUpdate(room="room", state="running", done=2, total=4))
        await pilot.pause()
        assert "Reviewing: 2 of 4 moves." in picture_of(app)
        screen.receive(finished_review())
        await pilot.pause()
        assert "91 %" in picture_of(app)
        assert "c1??" in picture_of(app)
        await pilot.press("home", "f3")
        await pilot.pause()
        picture = picture_of(app)
        assert "Blunder: turns a draw into a loss. Better: b2 d3." in " ".join(picture.split())
        assert len([command for command in app.sent if isinstance(command, Review)]) == 1


async def test_game_that_goes_on_is_not_reviewed() -> None:
    app = OfflineApp(snapshot_of("cohcoh", MOVES, options={"n": 5, "k": 4}))
    async with app.run_test(size=SIZE) as pilot:
        await app.show(TableScreen("room"))
        await pilot.press("f3")
        await pilot.pause()
        assert "once it has ended" in picture_of(app)
        assert not [command for command in app.sent if isinstance(command, Review)]


@pytest.mark.parametrize(
    ("update", "text"),
    [
        (ReviewUpdate(room="r", state="queued"), "Waiting for the reviewer."),
        (ReviewUpdate(room="r", state="queued", ahead=2), "Waiting for the reviewer: 2 games first."),
        (ReviewUpdate(room="r", state="failed", why="it is wrong"), "The game could not be reviewed: it is wrong."),
        (finished_review(), "Accuracy: black 91 %. F2 goes to the next mistake."),
    ],
)
def test_progress_is_shown_in_a_sentence(update: ReviewUpdate, text: str) -> None:
    assert progress_text(update, ("black", "white")) == text
