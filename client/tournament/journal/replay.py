"""Rebuild the state of a tournament from its log. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from client.tournament.journal.log import Entry
from client.tournament.model.chosen_opening import ChosenOpening
from client.tournament.model.errors import TournamentError
from client.tournament.model.game_review import Reviews
from client.tournament.model.results import Result

LOG_VERSION = 1
MAX_VERSIONS = 1000  # distinct ones in a log: each is compared with all before it
NO_RESULT = "no result"  # why a room was dropped: its game ended without a result


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a student's program to a position, and whether it was right."""

    student: str
    goal: str
    position: str
    move: str
    right: bool
    seconds: float
    text: str = ""


@dataclass(slots=True)
class TournamentState:
    """The state of a tournament: the fold of its log."""

    plan_digest: str = ""
    url: str = ""  # the last server, if it is neither that of the plan nor the tournament's own
    results: dict[int, Result] = field(default_factory=dict)
    rooms: dict[int, str] = field(default_factory=dict)  # running games
    dropped: Counter[int] = field(default_factory=Counter)  # rooms without a result, per game
    dropped_rooms: set[str] = field(default_factory=set)  # whatever the reason
    answers: dict[tuple[str, str, str], Answer] = field(default_factory=dict)
    versions: list[dict[str, str]] = field(default_factory=list)  # distinct software versions
    openings: list[ChosenOpening] = field(default_factory=list)  # balanced ones, in order
    reviews: Reviews = field(default_factory=dict)  # of games; from a file of their own

    @property
    def begun(self) -> bool:
        """Whether a game has started or a position was answered. The plan is fixed from then on."""
        return bool(self.results or self.rooms or self.dropped or self.answers)

    @property
    def known_rooms(self) -> set[str]:
        """The ids of all rooms in the log."""
        return {*self.rooms.values(), *self.dropped_rooms, *(result.room for result in self.results.values())}


def replay(entries: Iterable[Entry]) -> TournamentState:
    """Return the state after all entries. Raises TournamentError if an entry is not valid."""
    state = TournamentState()
    for number, entry in enumerate(entries, 1):
        try:
            apply_entry(state, entry)
        except (KeyError, TypeError, ValueError) as error:
            raise TournamentError(f"line {number} of the log is not valid ({error!r})") from None
    return state


def apply_entry(state: TournamentState, entry: Entry) -> None:
    """Update the state with one entry."""
    match entry["type"]:
        case "tournament":
            if entry["version"] != LOG_VERSION:
                raise TournamentError(
                    f"this tournament was started by another version of parlour (log version {entry['version']}): "
                    "continue it with that version"
                )
            if entry["plan"] != state.plan_digest:
                state.openings.clear()  # of another plan
            state.plan_digest = entry["plan"]
        case "run":
            state.url = entry.get("url", "")
            versions = {str(name): str(version) for name, version in entry["versions"].items()}
            if versions not in state.versions:
                if len(state.versions) == MAX_VERSIONS:
                    raise ValueError(f"more than {MAX_VERSIONS} versions")
                state.versions.append(versions)
        case "opening":
            if entry["number"] != len(state.openings) + 1:
                raise ValueError(f"opening {entry['number']!r} is out of order")
            state.openings.append(ChosenOpening.read(entry))
        case "created":
            state.rooms[int(entry["game"])] = str(entry["room"])
        case "dropped":
            state.rooms.pop(entry["game"], None)
            state.dropped[int(entry["game"])] += entry["why"] == NO_RESULT
            state.dropped_rooms.add(str(entry["room"]))
        case "ended":
            state.rooms.pop(entry["game"], None)
            state.results[int(entry["game"])] = Result.read(entry)
        case "answered":
            answer = Answer(**{key: value for key, value in entry.items() if key != "type"})
            if any(isinstance(getattr(answer, name), list | dict) for name in Answer.__slots__):
                raise ValueError("an answer has a field of the wrong type")
            state.answers[answer.student, answer.goal, answer.position] = answer
        case other:
            raise ValueError(f"unknown entry type {other!r}")


# -- making entries


def tournament(plan: str) -> Entry:
    return {"type": "tournament", "version": LOG_VERSION, "plan": plan}


def run(versions: dict[str, str], url: str) -> Entry:
    return {"type": "run", "versions": versions, "url": url}


def opening(number: int, chosen: ChosenOpening) -> Entry:
    return {"type": "opening", "number": number, **chosen.dump()}


def created(game: int, room: str) -> Entry:
    return {"type": "created", "game": game, "room": room}


def dropped(game: int, room: str, why: str) -> Entry:
    return {"type": "dropped", "game": game, "room": room, "why": why}


def ended(game: int, result: Result) -> Entry:
    return {"type": "ended", "game": game, **result.dump()}


def answered(answer: Answer) -> dict[str, Any]:
    return {"type": "answered", **{name: getattr(answer, name) for name in Answer.__slots__}}
