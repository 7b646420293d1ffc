"""Ask a program for its move in ten positions, with `parlour bot --try`, before any game counts."""

from __future__ import annotations

import asyncio
import re
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path

from client.grading.course_file import SMOKE_POSITIONS, Course
from client.grading.work_folder import WorkFolder
from client.tournament.journal.folder import Folder
from client.tournament.model.plan import Plan
from client.tournament.play.player_process import bot_args
from runtime import child_process

LEGAL = re.compile(rf"^(\d+) of {SMOKE_POSITIONS} moves are legal", re.MULTILINE)
START_ALLOWANCE_S = 60.0  # for our own process, on a busy machine
EXIT_GRACE_S = 2.0
MAX_TEXT_CHARS = 20_000


@dataclass(frozen=True, slots=True)
class SmokeTest:
    """How many of the moves were legal, and the report for the student."""

    legal: int
    text: str


async def smoke_test(course: Course, plan: Plan, folder: WorkFolder) -> SmokeTest:
    """Return the smoke test of a program: the one that is known, or a new one."""
    known = folder.load("smoke")
    if known is not None:
        return SmokeTest(**known)
    player = plan.player(course.student.name)
    options = [f"--option={name}={value}" for name, value in plan.options.items() if name != "start"]
    limit = f"{course.seconds:g}"
    process = await child_process.start(
        "parlour", "bot", *bot_args(player, plan, Folder(folder.games)),
        "--try", player.exec, "--seconds", limit, "--deadline", limit, *options,
        capture_output=True, folder=Path(player.workdir),
    )  # fmt: skip
    output = errors = b""
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(START_ALLOWANCE_S + SMOKE_POSITIONS * (course.seconds + player.startup)):
                output, errors = await process.communicate()
    finally:
        await child_process.end(process, EXIT_GRACE_S)
    text = (output + errors).decode("utf-8", "replace").replace("parlour: ", "").strip()
    text = text.replace(f"{folder.path}/", "")  # a student reads it
    match = LEGAL.search(text)
    tested = SmokeTest(int(match[1]) if match else 0, text[-MAX_TEXT_CHARS:] or "the smoke test did not end")
    folder.save("smoke", asdict(tested))
    return tested
