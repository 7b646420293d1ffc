"""The course programs of this project, which do not know servers, play whole games through adapters."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from client.bots.factory import oneshot_factory
from client.programs.limits import Limits
from client.programs.program import Program
from engine.record import parse, verify
from protocol.commands import Export
from protocol.types import Options
from tests.client.programs.test_adapters import CONGA_PROGRAM
from tests.client.sample_programs import script
from tests.e2e.bots import OutputLines, builtin, finished_games, run_bot, running_bot, seek
from tests.e2e.local_server import running_server, session
from tests.waiting import TIMEOUT_S

COURSE = (sys.executable, "-m", "parlour", "course")


async def test_course_programs_play_whole_games(tmp_path: Path) -> None:
    conga = (sys.executable, script(tmp_path, CONGA_PROGRAM)[-1])
    games: list[tuple[str, tuple[str, ...], str, Options]] = [
        ("mancala", (*COURSE, "mancala"), "mancala", {"pits": 4, "stones": 3}),
        ("maxconnect4", (*COURSE, "maxconnect4", "one-move", "{in}", "{out}", "{depth}"), "maxconnect4", {}),
        ("nkcohcoh", (*COURSE, "nkcohcoh", "{n}", "{k}", "{board}", "0.2"), "cohcoh", {"n": 4, "k": 3}),
        ("conga", conga, "conga", {"max_plies": 16}),
    ]

    async def play(adapter: str, words: tuple[str, ...], game: str, options: Options) -> str:
        output = OutputLines()
        program = Program(words, tmp_path, Limits(grace=0.1), depth=2, name=adapter, forensics=tmp_path / "forensics")
        factory = oneshot_factory(program, adapter)
        seeks = (seek(game, "greedy", options=options),)
        await run_bot(server.url, factory, seeks=seeks, games=1, output=output, forensics=tmp_path / "forensics")
        async with session(server.url) as guest:
            (info,) = await finished_games(guest, adapter)
            text = (await guest.ask(Export(id=guest.id(), room=info.room))).text
        record = parse(text)
        verify(record)
        notes = [played.note for played in record.moves if played.note]
        assert any("wall " in note and "cpu " in note for note in notes), notes
        assert not (tmp_path / "forensics").exists(), output.lines
        return record.reason

    async with running_server(tmp_path) as server, running_bot(server.url, builtin("greedy"), policy={"concurrent": 9}):
        reasons = await asyncio.wait_for(asyncio.gather(*(play(*game) for game in games)), TIMEOUT_S)
    assert reasons[:2] == ["score", "score"]
    assert reasons[2] in ("line", "no_moves")
    assert reasons[3] in ("ply_limit", "no_moves", "repetition")
