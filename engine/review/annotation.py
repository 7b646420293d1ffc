"""Reviews as notes in a record: `value -1 proved | blunder: turns a draw into a loss; best 4 2 6`.

The part before the bar has the form of bots' notes, so that programs which draw the values of bots draw these, too.
The value is that of the move played, for the side that played it; `depth` is given with an estimate. A note that the
move had before is kept at the end, after `; note: `.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import cast

from engine.record import Record
from engine.review.judgement import JUDGEMENTS, Judgement
from engine.review.report import MoveReview, Review

FORM = re.compile(
    rf"(?:depth (?P<depth>\d{{1,3}}) )?value (?P<value>[-+][\d.]{{1,12}})(?P<proved> proved)? "
    rf"\| (?P<judgement>{'|'.join(JUDGEMENTS)})(?:: (?P<words>[^;]*))?"
    r"(?:; best (?P<line>[^;]*))?(?:; note: (?P<note>.*))?",
    re.S,
)


@dataclass(frozen=True, slots=True)
class Annotation:
    """What the note of a reviewed move says. `line` is the better line, empty if the move was best."""

    value: float
    proved: bool
    depth: int | None
    judgement: Judgement
    words: str = ""
    line: tuple[str, ...] = ()
    note: str = ""  # the note of the move before the review

    def __str__(self) -> str:
        head = f"value {self.value:+.4g} proved" if self.proved else f"depth {self.depth or 0} value {self.value:+.3f}"
        text = f"{head} | {self.judgement}" + (f": {self.words}" if self.words else "")
        if self.line:
            text += f"; best {' '.join(self.line)}"
        return text + (f"; note: {self.note}" if self.note else "")


def annotate(record: Record, review: Review) -> Record:
    """Return the record with the review in its notes. An earlier review is replaced, other notes are kept."""
    pairs = zip(record.moves, review.moves, strict=True)
    return replace(
        record, moves=tuple(replace(played, note=str(annotation_of(move, played.note))) for played, move in pairs)
    )


def annotation_of(move: MoveReview, note: str) -> Annotation:
    """Return the annotation of a reviewed move that had a note."""
    earlier = read_annotation(note)
    return Annotation(
        value=move.played,
        proved=move.played_proved,
        depth=None if move.played_proved else move.depth,
        judgement=move.judgement,
        words=move.words,
        line=() if move.best == move.move else move.line,
        note=note if earlier is None else earlier.note,
    )


def read_annotation(note: str) -> Annotation | None:
    """Return the annotation in a note, or None if the note is no review."""
    found = FORM.fullmatch(note)
    if found is None:
        return None
    try:
        value = float(found["value"])
    except ValueError:
        return None
    return Annotation(
        value=value,
        proved=bool(found["proved"]),
        depth=int(found["depth"]) if found["depth"] else None,
        judgement=cast(Judgement, found["judgement"]),
        words=found["words"] or "",
        line=tuple((found["line"] or "").split()),
        note=found["note"] or "",
    )
