"""Pseudonyms: the same tournament with other names for its students, and nothing that reveals them."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from secrets import SystemRandom, token_hex

from client.tournament.journal.replay import TournamentState
from client.tournament.model.errors import TournamentError
from client.tournament.model.game_review import digest
from client.tournament.model.plan import Contestant, Plan
from engine.record import parse, write
from protocol.usernames import fold
from runtime.untrusted_files import MAX_STATE_BYTES, read_file

KEY_FILE = "pseudonyms.key"


def pseudonyms(plan: Plan, folder: Path) -> dict[str, str]:
    """Return the pseudonym of every student. They cannot be resolved without the key in the folder.

    Raises TournamentError if there are no students.
    """
    if not plan.students:
        raise TournamentError("there are no students: mark the players to hide with student = true")
    taken = {fold(name) for name in plan.names}
    word = next(word for word in ("player", "person", "contestant") if not any(name.startswith(word) for name in taken))
    return number_pseudonyms(plan.students, read_key(folder / KEY_FILE), word)


def number_pseudonyms(students: Sequence[str], key: str, word: str) -> dict[str, str]:
    """Return the word with a number for every student, in an order that only the key reveals."""
    order = sorted(students, key=lambda name: sha256(f"{key} {name}".encode("utf-8", "replace")).digest())
    width = len(str(len(order)))
    return {name: f"{word}-{number:0{width}}" for number, name in enumerate(order, 1)}


def shuffle_students(plan: Plan) -> Plan:
    """Return the plan with the students in random order, so that it does not reveal the order of a class list."""
    students = [player for player in plan.players if player.student]
    SystemRandom().shuffle(students)
    order = iter(students)
    return replace(plan, players=tuple(next(order) if player.student else player for player in plan.players))


def read_key(path: Path) -> str:
    """Return the key. Create it, readable only by the owner, if it does not exist."""
    if not path.exists():
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump(token_hex(16), file)
    try:
        return read_file(path, MAX_STATE_BYTES).decode()
    except ValueError as error:
        raise TournamentError(f"cannot read the key {path}: {error}: delete it to get new pseudonyms") from None


def anonymize(plan: Plan, state: TournamentState, names: Mapping[str, str]) -> tuple[Plan, TournamentState]:
    """Return the plan and the state with pseudonyms, and without notes, rooms, commands and evidence.

    Reviews stay: they contain no names.
    """

    def pseudonym(name: str) -> str:
        return names.get(name, name)

    def hide(player: Contestant) -> Contestant:
        shown = Contestant(pseudonym(player.name), student=player.student, at_a_time=player.at_a_time)
        return shown if player.name in names or player.exec else replace(player, token="")

    results, reviews = {}, {}
    for number, result in state.results.items():
        record = parse(result.record)
        seats = pseudonym(record.seats[0]), pseudonym(record.seats[1])
        moves = tuple(replace(played, note="") for played in record.moves)  # a note may contain a name
        record = replace(record, seats=seats, moves=moves, bots=(None, None))
        # a program, a room id or a crash report would reveal the players
        results[number] = replace(result, room="", evidence="", record=write(record))
        if number in state.reviews:
            reviews[number] = replace(state.reviews[number], record=digest(results[number].record))
    answers = [replace(answer, student=pseudonym(answer.student), text="") for answer in state.answers.values()]
    public = TournamentState(
        plan_digest=state.plan_digest,
        results=results,
        answers={(answer.student, answer.goal, answer.position): answer for answer in answers},
        versions=state.versions,
        openings=state.openings,
        reviews=reviews,
    )
    players = tuple(map(hide, plan.players))
    goals = tuple(replace(goal, against=pseudonym(goal.against)) if goal.against else goal for goal in plan.goals)
    return replace(plan, players=players, url="", goals=goals), public
