"""Reviews that the reviewer of a server makes: ask for one, wait for it, and return it as the engine's reviews."""

from __future__ import annotations

from collections.abc import Callable

from client.presentation.texts import counted
from client.sdk.errors import SessionError
from client.sdk.session import Session
from engine.errors import GameError
from engine.game import Game, State
from engine.record import Record, replay
from engine.record_move import Played
from engine.review import Annotation, MoveReview, Review
from protocol import commands
from protocol.replies import ReviewUpdate
from protocol.types import ReviewedMove

Progress = Callable[[ReviewUpdate], None]


class ReviewFailed(SessionError):
    """The reviewer could not review the game."""


async def fetch_review(session: Session, room: str, progress: Progress) -> ReviewUpdate:
    """Return the review of a finished game. Raises SessionError if there will be none."""
    await session.ask(commands.Review(id=session.id(), room=room))
    async for event in session:
        if isinstance(event, ReviewUpdate) and event.room == room:
            if event.state == "failed":
                raise ReviewFailed(f"the game could not be reviewed: {event.why}")
            if event.state == "done":
                return event
            progress(event)
    raise SessionError("the session was closed")


def annotations_from(update: ReviewUpdate) -> tuple[Annotation, ...]:
    """Return a review as the notes of a record have it, () if it is not there yet."""
    return tuple(
        Annotation(
            value=move.played,
            proved=move.played_proved,
            depth=move.depth,
            judgement=move.judgement,
            words=move.words,
            line=() if move.best == move.move else move.line,
        )
        for move in update.moves
    )


def progress_text(update: ReviewUpdate, sides: tuple[str, str]) -> str:
    """Return how far a review is, or what it says of both sides, as a sentence."""
    if update.state == "failed":
        return f"The game could not be reviewed: {update.why}."
    if update.state == "queued":
        ahead = f": {counted(update.ahead, 'game')} first" if update.ahead else ""
        return f"Waiting for the reviewer{ahead}."
    if update.state == "running" or update.summary is None:
        return f"Reviewing: {update.done} of {update.total} moves."
    percents = [
        f"{side} {percent:.0f} %"
        for side, percent in zip(sides, update.summary.accuracy, strict=True)
        if percent is not None
    ]
    return f"Accuracy: {', '.join(percents)}. F2 goes to the next mistake."


def check_fits(record: Record, update: ReviewUpdate) -> tuple[Game, list[State]]:
    """Return the game and the states of a record. Raises SessionError if the review is not about it."""
    game, states = replay(record)
    together = zip(range(1, len(states)), states, record.moves, update.moves, strict=False)
    if not 0 < len(record.moves) == len(update.moves) or not all(fits(game, *each) for each in together):
        raise ReviewFailed(
            "the server has sent a review that does not fit the game: run `parlour review` on an exported record"
        )
    return game, states


def fits(game: Game, ply: int, state: State, played: Played, move: ReviewedMove) -> bool:
    """Return whether a reviewed move is the one that was played, with a better line that can be played."""
    if (move.ply, move.side, move.move) != (ply, game.turn(state), played.move) or not move.line:
        return False
    try:
        for text in move.line:
            state = game.play(state, game.parse(state, text))
    except GameError:
        return False
    return True


def review_of(record: Record, update: ReviewUpdate) -> Review:
    """Return a review as the engine has it. Raises SessionError if it is not about the game."""
    game, states = check_fits(record, update)
    return Review(
        tuple(
            MoveReview(
                ply=move.ply,
                side=move.side,
                move=move.move,
                best=move.best,
                line=move.line,
                value=move.value,
                value_proved=move.value_proved,
                played=move.played,
                played_proved=move.played_proved,
                depth=move.depth or 0,
                loss=move.loss,
                cost=move.cost,
                chance=move.chance,
                judgement=move.judgement,
                words=move.words,
                forced=len(game.moves(states[move.ply - 1])) == 1,
                also=move.also,
            )
            for move in update.moves
        )
    )
