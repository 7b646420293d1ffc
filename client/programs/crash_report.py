"""The evidence of a failure: a folder with everything, and the one command that makes it happen again."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from math import ceil
from pathlib import Path
from typing import Any

from client.programs.child import Child
from client.programs.failure import Failure
from client.sdk.bot import Budget
from engine.game import Game, State
from runtime.paths import state_folder


def default_folder() -> Path:
    """Where evidence goes unless somebody says otherwise."""
    return state_folder() / "forensics"


@dataclass(frozen=True, slots=True)
class Case:
    """What happened, and with what. `files`: a folder that the program ran in, to be kept too."""

    failure: Failure
    game: Game
    state: State
    budget: Budget
    bot: str
    wall: float
    child: Child | None = None
    command: Sequence[str] = ()  # reproduces it, from the case's folder or from `folder`
    folder: Path | None = None
    given: bytes = b""
    said: bytes = b""
    errors: bytes = b""
    files: Path | None = None
    more: dict[str, Any] = field(default_factory=dict)


def keep(case: Case, under: Path) -> None:
    """Write the evidence, as far as the disk takes it; the folder's path is the failure's from then on."""
    try:
        folder = new_folder(under, case)
        case.failure.evidence = str(folder)
        write(case, folder)
    except OSError as error:
        case.failure.evidence += f" (not all of it: {error.strerror or error})"


def write(case: Case, folder: Path) -> None:
    game, state = case.game, case.state
    child = case.child
    given = case.given if child is None else child.given.whole_lines()
    said = case.said if child is None else child.said.kept()
    errors = case.errors if child is None else child.errors.kept()
    (folder / "position.txt").write_text(f"{game.dump(state)}\n")
    for name, data in (("given.txt", given), ("said.txt", said), ("stderr.txt", errors)):
        (folder / name).write_bytes(data)
    if case.files is not None:
        with suppress(shutil.Error):  # pipes and sockets stay behind
            shutil.copytree(case.files, folder / "run", symlinks=True, ignore_dangling_symlinks=True)
    (folder / "report.json").write_text(json.dumps(report(case), indent=2) + "\n")
    script = folder / "reproduce.sh"
    script.write_text(reproduction(case))
    script.chmod(0o755)


def new_folder(under: Path, case: Case) -> Path:
    bot = re.sub(r"[^A-Za-z0-9_.-]+", "-", case.bot.rpartition("/")[2])[:40] or "bot"
    stem = f"{time.strftime('%Y%m%d-%H%M%S')}-{bot}-{case.game.name}-ply{case.budget.ply + 1}-{case.failure.kind}"
    for number in range(1, 10_000):
        folder = under / (stem if number == 1 else f"{stem}-{number}")
        try:
            folder.mkdir(parents=True)
        except FileExistsError:
            continue
        return folder
    raise FileExistsError(f"too many failures in one second under {under}")


def report(case: Case) -> dict[str, Any]:
    game, budget, child = case.game, case.budget, case.child
    exit = None if child is None else child.exit
    return {
        "kind": case.failure.kind,
        "what": str(case.failure),
        "bot": case.bot,
        "game": game.name,
        "options": dict(game.spec.options),
        "position": game.dump(case.state),
        "side": game.turn(case.state),
        "legal": list(game.legal(case.state)),
        "answered": case.failure.move,
        "room": budget.room,
        "ply": budget.ply + 1,  # the move that it owes, counted as in a record
        "opponent": budget.opponent,
        "history": list(budget.history),
        "seconds": round(budget.seconds, 3),
        "wall": round(case.wall, 3),
        "cpu": None if exit is None else round(exit.cpu, 3),
        "exit": None if exit is None else exit.status,
        "command": list(case.command),
        **case.more,
    }


def reproduction(case: Case) -> str:
    """A shell script: what the program was given, given to it again where it was."""
    limits = "" if case.child is None else shlex.join(case.child.limits.command(case.command))
    command = limits or shlex.join(case.command)
    lines = ["#!/bin/sh", f"# {case.failure.kind}: {' '.join(str(case.failure).split())}"]
    lines.append('here=$(cd "$(dirname "$0")" && pwd)')
    if case.files is not None:
        lines.append('cd "$here/run" || exit')
    elif case.folder is not None:
        lines.append(f"cd {shlex.quote(str(case.folder))} || exit")
    if case.failure.kind == "timeout" and case.child is not None and case.files is None:
        lines.append("# its input stays open for as long as it was waited for, as in the game")
        lines.append(f'{{ cat "$here/given.txt"; sleep {ceil(case.wall)}; }} | {command}')
    else:
        lines.append(f'{command} < "$here/given.txt"')
    return "\n".join(lines) + "\n"
