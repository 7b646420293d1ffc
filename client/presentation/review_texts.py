"""Reviewed games for people: marks beside moves, sentences, and the values of a whole game as shares."""

from __future__ import annotations

from collections.abc import Sequence

from engine.game import Game
from engine.review import MARKS, MISTAKES, Annotation, Value, read_annotation
from engine.review.judgement import chance
from protocol.types import PlayedMove

NOT_REVIEWED = "This record has no review: 'parlour review FILE --out NEW' writes one."
REVIEW_FIRST = "F3 asks the server for a review of this game, once it has ended."
NO_MORE_MISTAKES = "There is no further mistake."


def annotations_of(moves: Sequence[PlayedMove]) -> tuple[Annotation, ...]:
    """Return the review in the notes of a record, () if a move has none."""
    found = [read_annotation(played.note) for played in moves]
    known = tuple(one for one in found if one is not None)
    return known if len(known) == len(found) else ()


def marks_of(annotations: Sequence[Annotation]) -> tuple[str, ...]:
    return tuple(MARKS[one.judgement] for one in annotations)


def sentence(annotation: Annotation) -> str:
    """Return the judgement of a move as a sentence, and the better line."""
    text = annotation.judgement.capitalize() + (f": {annotation.words}" if annotation.words else "") + "."
    return f"{text} Better: {' '.join(annotation.line)}." if annotation.line else text


def shares_of(game: Game, moves: Sequence[PlayedMove], annotations: Sequence[Annotation]) -> list[float]:
    """Return the first side's winning chance after each move."""
    shares = []
    for played, one in zip(moves, annotations, strict=True):
        share = chance(game, Value(one.value, one.proved), exact=one.proved)
        shares.append(share if played.side == 0 else 1 - share)
    return shares


def next_mistake(annotations: Sequence[Annotation], ply: int) -> int | None:
    """Return the ply of the first mistake after a ply, or None."""
    later = range(ply, len(annotations))
    return next((at + 1 for at in later if annotations[at].judgement in MISTAKES), None)
