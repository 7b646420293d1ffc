"""How a game that is over counts: its result, why it was forfeited if it was, and where the evidence lies."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from client.sdk.room_view import RoomView
from client.tournament.formats.openings import opening
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Result, Used
from client.tournament.play.player_process import file_name
from engine.record import Record, parse, play_through, write

FORFEITS = {"time": "time", "abandoned": "abandoned", "illegal_moves": "illegal_moves"}  # by the end's reason
FAILURES = {"timeout": "time", "illegal": "illegal_moves", "garbage": "illegal_moves"}  # others have crashed
RESIGNED_AFTER_FAILURE = re.compile(
    r"I resign\. (start|timeout|exited|garbage|illegal|flood|error): "
)  # client/bots/game_loop.py


def finished_result(game: Pairing, table: RoomView, text: str, folder: Folder) -> Result:
    """Of a game that has come to an end of its own."""
    result, reason = table.result, table.reason or "aborted"
    forfeit = forfeit_reason(table)
    evidence = find_evidence(folder, game, table) if forfeit else ""
    spent = sum_times((played.side, played.took) for played in table.moves)
    return Result(result, reason, table.room, forfeit, evidence, used=spent, record=text)


def adjudicated_result(room: str, text: str, proof: dict[str, Any]) -> Result:
    """Of a game whose end was proved; what was played behind that position does not count."""
    record = parse(text)
    record = replace(record, moves=record.moves[: proof["ply"]], result=proof["result"], reason="adjudicated")
    return Result(proof["result"], "adjudicated", room, proof=proof, used=time_used(record), record=write(record))


def forfeited_result(game: Pairing, room: str, text: str, guilty: list[str], reason: str) -> Result:
    """Of a game that we have stopped. Nobody gets anything if both are to blame."""
    first, second = (name in guilty for name in game.seats)
    result = "*" if first and second else "0-1" if first else "1-0"
    record = replace(parse(text), seats=game.seats, result=result, reason="" if result == "*" else reason)
    return Result(result, reason, room, reason, used=time_used(record), record=write(record))


def unstarted_result(plan: Plan, game: Pairing, broken: Mapping[str, str]) -> Result:
    """Of a game that could not even begin; `broken`: who cannot be started, and the evidence."""
    first, second = (name in broken for name in game.seats)
    result = "*" if first and second else "0-1" if first else "1-0"
    options = plan.create(opening(plan, game.opening)).spec.options
    record = Record(plan.game, options, game.seats, result=result, reason="" if result == "*" else "crashed")
    return Result(
        result,
        "crashed",
        "",
        "crashed",
        os.path.commonpath(broken.values()),
        used=time_used(record),
        record=write(record),
    )


def forfeit_reason(table: RoomView) -> str:
    """The word for it; "" if the game was played to its end, or somebody gave up a lost one."""
    if table.reason == "resigned" and table.winner is not None:
        for said in reversed(table.chat):
            match = RESIGNED_AFTER_FAILURE.match(said.text)
            if match is not None and said.seat == 1 - table.winner:
                return FAILURES.get(match[1], "crashed")
    return FORFEITS.get(table.reason or "", "")


def find_evidence(folder: Folder, game: Pairing, table: RoomView) -> str:
    """The folder that a player of ours has left about this very game, relative to the tournament's."""
    if table.winner is None:
        return ""
    place = folder.forensics / file_name(game.seats[1 - table.winner])
    for report in sorted(place.glob("*/report.json"), reverse=True):
        if read_room(report) == table.room:
            return str(report.parent.relative_to(folder.path))
    return ""


def read_room(report: Path) -> str:
    try:
        return str(json.loads(report.read_text(encoding="utf-8"))["room"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def time_used(record: Record) -> tuple[Used, Used]:
    """The time of both sides, from what the server has measured."""
    states = play_through(record).states
    return sum_times((state.turn, played.took or 0) for state, played in zip(states, record.moves, strict=False))


def sum_times(moves: Iterable[tuple[int, int]]) -> tuple[Used, Used]:
    """From the side and the milliseconds of every move."""
    taken: tuple[list[int], list[int]] = ([], [])
    for side, took in moves:
        taken[side].append(took)
    first, second = (Used(len(side), sum(side), max(side, default=0)) for side in taken)
    return first, second
