"""The result of a game that is over: forfeit reason, evidence and times."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from client.sdk.room_view import RoomView
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Plan
from client.tournament.model.results import Pairing, Result, ThinkingTime
from client.tournament.play.player_process import file_name
from engine.record import Record, parse, play_through, write
from runtime.untrusted_files import MAX_STATE_BYTES, parse_json, read_file

FORFEITS = {"time": "time", "abandoned": "abandoned", "illegal_moves": "illegal_moves"}  # by end reason
# other failures are "crashed"
FAILURES = {"timeout": "time", "illegal": "illegal_moves", "garbage": "garbage", "no_output": "no_output"}
# sent by client/bots/game_loop.py
RESIGNED_AFTER_FAILURE = re.compile(r"I resign\. (start|timeout|exited|no_output|garbage|illegal|flood|error): ")


def finished_result(game: Pairing, view: RoomView, text: str, folder: Folder) -> Result:
    """Return the result of a game that ended on the server."""
    result, reason = view.result, view.reason or "aborted"
    forfeit = forfeit_reason(view)
    evidence = find_evidence(folder, game, view) if forfeit else ""
    used = sum_times((played.side, played.took) for played in view.moves)
    return Result(result, reason, view.room, forfeit, evidence, used=used, record=text)


def adjudicated_result(room: str, text: str, proof: dict[str, Any]) -> Result:
    """Return the proved result of a game. Moves after the proved position do not count."""
    record = parse(text)
    record = replace(record, moves=record.moves[: proof["ply"]], result=proof["result"], reason="adjudicated")
    return Result(proof["result"], "adjudicated", room, proof=proof, used=time_used(record), record=write(record))


def forfeited_result(game: Pairing, room: str, text: str, losers: list[str], reason: str) -> Result:
    """Return the result of a game that the runner stopped. If both players are to blame, neither gets points."""
    first, second = (name in losers for name in game.seats)
    result = "*" if first and second else "0-1" if first else "1-0"
    record = replace(parse(text), seats=game.seats, result=result, reason="" if result == "*" else reason)
    return Result(result, reason, room, reason, used=time_used(record), record=write(record))


def unstarted_result(plan: Plan, game: Pairing, start: str, unstartable: Mapping[str, str]) -> Result:
    """Return the result of a game that could not start.

    `unstartable`: players that cannot be started, and the evidence.
    """
    first, second = (name in unstartable for name in game.seats)
    result = "*" if first and second else "0-1" if first else "1-0"
    options = plan.create(start).spec.options
    record = Record(plan.game, options, game.seats, result=result, reason="" if result == "*" else "crashed")
    evidence = os.path.commonpath(unstartable.values())
    return Result(result, "crashed", forfeit="crashed", evidence=evidence, used=time_used(record), record=write(record))


def forfeit_reason(view: RoomView) -> str:
    """Return why the loser forfeited, or "" if the game was lost by play."""
    if view.reason == "resigned" and view.winner is not None:
        for message in reversed(view.chat):
            match = RESIGNED_AFTER_FAILURE.match(message.text)
            if match is not None and message.seat == 1 - view.winner:
                return FAILURES.get(match[1], "crashed")
    return FORFEITS.get(view.reason or "", "")


def find_evidence(folder: Folder, game: Pairing, view: RoomView) -> str:
    """Return the folder with the loser's crash report of this game, relative to the tournament's folder."""
    if view.winner is None:
        return ""
    reports = folder.forensics / file_name(game.seats[1 - view.winner])
    for report in sorted(reports.glob("*/report.json"), reverse=True):
        if read_room(report) == view.room:
            return str(report.parent.relative_to(folder.path))
    return ""


def read_room(report: Path) -> str:
    try:
        return str(parse_json(read_file(report, MAX_STATE_BYTES))["room"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def time_used(record: Record) -> tuple[ThinkingTime, ThinkingTime]:
    """Return the thinking time of both sides, as measured by the server."""
    states = play_through(record).states
    return sum_times((state.turn, played.took or 0) for state, played in zip(states, record.moves, strict=False))


def sum_times(moves: Iterable[tuple[int, int]]) -> tuple[ThinkingTime, ThinkingTime]:
    """Return the thinking time of both sides, from the side and the milliseconds of every move."""
    taken: tuple[list[int], list[int]] = ([], [])
    for side, took in moves:
        taken[side].append(took)
    first, second = (ThinkingTime(len(side), sum(side), max(side, default=0)) for side in taken)
    return first, second
