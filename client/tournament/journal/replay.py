"""What a log tells: results, rooms without a result, positions that students were asked about. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from client.tournament.journal.log import Entry
from client.tournament.model.errors import TournamentError
from client.tournament.model.results import Result

LOG_VERSION = 1
NO_RESULT = "no result"  # why a game had to be begun again although nobody interrupted it


@dataclass(frozen=True, slots=True)
class Answer:
    """What a student's program answered to a position, and whether it was right."""

    student: str
    goal: str
    position: str
    move: str
    right: bool
    seconds: float
    text: str = ""


@dataclass(slots=True)
class TournamentState:
    plan: str = ""  # the digest of the plan it began with
    url: str = ""  # the server it was last played on; nothing for the one of its plan, or one of its own
    results: dict[int, Result] = field(default_factory=dict)
    rooms: dict[int, str] = field(default_factory=dict)  # games that were begun, and have no result yet
    dropped: Counter[int] = field(default_factory=Counter)  # how often a room has come to nothing
    answers: dict[tuple[str, str, str], Answer] = field(default_factory=dict)
    versions: list[dict[str, str]] = field(default_factory=list)  # what it was played with, each once

    @property
    def begun(self) -> bool:
        """Whether anything has come of it that belongs to its plan."""
        return bool(self.results or self.rooms or self.dropped or self.answers)

    @property
    def known(self) -> set[str]:
        """Rooms that need not be looked for."""
        return {*self.rooms.values(), *(result.room for result in self.results.values())}


def replay(entries: Iterable[Entry]) -> TournamentState:
    state = TournamentState()
    for number, entry in enumerate(entries, 1):
        try:
            apply_entry(state, entry)
        except (KeyError, TypeError, ValueError) as error:
            raise TournamentError(f"line {number} of the log cannot be understood ({error!r})") from None
    return state


def apply_entry(state: TournamentState, entry: Entry) -> None:
    match entry["type"]:
        case "tournament":
            if entry["version"] != LOG_VERSION:
                raise TournamentError(f"this tournament was begun by another version of parlour ({entry['version']})")
            state.plan = entry["plan"]
        case "run":
            state.url = entry.get("url", "")
            if entry["versions"] not in state.versions:
                state.versions.append(entry["versions"])
        case "created":
            state.rooms[entry["game"]] = entry["room"]
        case "dropped":
            state.rooms.pop(entry["game"], None)
            state.dropped[entry["game"]] += entry["why"] == NO_RESULT
        case "ended":
            state.rooms.pop(entry["game"], None)
            state.results[entry["game"]] = Result.read(entry)
        case "answered":
            answer = Answer(**{key: value for key, value in entry.items() if key != "type"})
            state.answers[answer.student, answer.goal, answer.position] = answer
        case other:
            raise ValueError(f"there is no entry {other!r}")


# -- entries


def tournament(plan: str) -> Entry:
    return {"type": "tournament", "version": LOG_VERSION, "plan": plan}


def run(versions: dict[str, str], url: str) -> Entry:
    return {"type": "run", "versions": versions, "url": url}


def created(game: int, room: str) -> Entry:
    return {"type": "created", "game": game, "room": room}


def dropped(game: int, room: str, why: str) -> Entry:
    return {"type": "dropped", "game": game, "room": room, "why": why}


def ended(game: int, result: Result) -> Entry:
    return {"type": "ended", "game": game, **result.dump()}


def answered(answer: Answer) -> dict[str, Any]:
    return {"type": "answered", **{name: getattr(answer, name) for name in Answer.__slots__}}
