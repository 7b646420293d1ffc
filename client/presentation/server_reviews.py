"""Reviews that the reviewer of a server makes: ask for one, wait for it, and return it as the engine's reviews."""

from __future__ import annotations

from collections.abc import Callable

from client.sdk.errors import SessionError
from client.sdk.session import Session
from engine.record import Record, replay
from engine.review import MoveReview, Review
from protocol import commands
from protocol.replies import ReviewUpdate

Progress = Callable[[ReviewUpdate], None]


class ReviewFailed(SessionError):
    """The reviewer could not review the game."""


async def fetch_review(session: Session, room: str, progress: Progress) -> ReviewUpdate:
    """Return the review of a finished game. Raises SessionError if there will be none."""
    await session.ask(commands.Review(id=session.id(), room=room))
    async for event in session:
        if isinstance(event, ReviewUpdate) and event.room == room:
            if event.state == "failed":
                raise ReviewFailed(f"the game was not reviewed: {event.why}")
            if event.state == "done":
                return event
            progress(event)
    raise SessionError("the session was closed")


def review_of(record: Record, update: ReviewUpdate) -> Review:
    """Return a review as the engine has it."""
    game, states = replay(record)
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
            )
            for move in update.moves
        )
    )
