"""Reviews: check what the reviewer submits. Pure, and without a search: a line only has to be legal."""

from __future__ import annotations

from collections.abc import Sequence

from engine.errors import GameError
from protocol.replies import ReviewUpdate
from protocol.types import Player, ReviewedMove, ReviewSummary, replace
from server.domain.boards import Position
from server.domain.decision import Refusal
from server.domain.room import Room

MAX_PLIES = 2000  # of a game that can be reviewed
MAX_LINE_MOVES = 12
MAX_EQUAL_MOVES = 16
MAX_DEPTH = 1000
MAX_WORDS_CHARS = 200
MAX_PROBLEM_CHARS = 200
MAX_TURNING_POINTS = 5


def require_record(room: Room, player: Player, what: str) -> None:
    """Raise Refusal if a player may not have the record of a room, or if it has not ended. `what` it is for: a verb."""
    if room.setup.private and room.seat_of(player.id) is None and player.id != room.setup.by:
        raise Refusal("bad_code", f"this room was private: only its players and its creator may {what} it")
    if room.status != "ended":
        raise Refusal("too_early", f"the game is not over yet: {what} it when it has ended")


def require_reviewable(room: Room, player: Player) -> None:
    """Raise Refusal if a player may not ask for the review of a room."""
    require_record(room, player, "review")
    if not room.ply:
        raise Refusal("bad_request", "the game has no moves, so there is nothing to review")
    if room.ply > MAX_PLIES:
        raise Refusal("too_long", f"the game is too long for a review, which has at most {MAX_PLIES} moves")


def checked_move(move: ReviewedMove, room: Room, positions: Sequence[Position]) -> ReviewedMove:
    """Return a reviewed move with the cells of the better move. `positions`: of the game, by ply.

    Raises Refusal if it is not about the game, if its line is not legal, or if a text or a number is too large.
    """
    if not move.ply <= room.ply:
        raise Refusal("bad_request", f"the game has no ply {move.ply}")
    before = positions[move.ply - 1]
    if (move.side, move.move) != (before.state.turn, room.moves[move.ply - 1].move):
        raise Refusal("bad_request", f"another move was played at ply {move.ply}")
    if not 1 <= len(move.line) <= MAX_LINE_MOVES or move.line[0] != move.best:
        raise Refusal("bad_request", f"`line` has 1 to {MAX_LINE_MOVES} moves, and begins with `best`")
    if move.value_proved != (move.depth is None) or (move.depth or 0) > MAX_DEPTH:
        raise Refusal("bad_request", f"`depth` is null if `value` is proved, and otherwise at most {MAX_DEPTH}")
    if len(move.words) > MAX_WORDS_CHARS or not move.words.isprintable():
        raise Refusal("bad_request", f"`words` has at most {MAX_WORDS_CHARS} printable characters")
    if len(move.also) > MAX_EQUAL_MOVES:
        raise Refusal("bad_request", f"`also` has at most {MAX_EQUAL_MOVES} moves")
    game, state = before.game, before.state
    try:
        for text in move.also:
            game.parse(state, text)
        for text in move.line:
            state = game.play(state, game.parse(state, text))
    except GameError:
        raise Refusal("bad_request", f"a move of `line` or `also` at ply {move.ply} is not legal") from None
    path = game.path(before.state, game.parse(before.state, move.best)) if move.best != move.move else ()
    return replace(move, path=path)


def checked_summary(summary: ReviewSummary, room: Room) -> ReviewSummary:
    """Return a summary. Raises Refusal if it is not about the game."""
    plies = summary.turning_points
    if len(plies) > MAX_TURNING_POINTS or any(ply > room.ply for ply in plies):
        raise Refusal("bad_request", f"`turning_points` has at most {MAX_TURNING_POINTS} plies of the game")
    return summary


def checked_problem(text: str) -> str:
    """Return why a game cannot be reviewed. Raises Refusal if the text is too long."""
    if len(text) > MAX_PROBLEM_CHARS or not text.isprintable():
        raise Refusal("bad_request", f"`problem` has at most {MAX_PROBLEM_CHARS} printable characters")
    return text


def finished(room: Room, moves: Sequence[ReviewedMove], summary: ReviewSummary) -> ReviewUpdate:
    """Return the message with a whole review."""
    return ReviewUpdate(
        room=room.id, state="done", done=len(moves), total=len(moves), summary=summary, moves=tuple(moves)
    )
