"""Bad bots: each loses its own game, for the right reason, and nobody else notices."""

from __future__ import annotations

import asyncio
import json
import os
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import websockets

from client.bots.factory import BotFactory, class_factory, program_factory
from client.programs.limits import Limits
from client.sdk.bot import Bot, Budget
from engine.game import Game, State
from engine.registry import GAMES
from protocol.commands import Create, Move, Watch
from protocol.types import TimeControl
from tests.client.sample_programs import FIRST, program
from tests.e2e.bots import OutputLines, builtin, finished_games, run_bot, running_bot, seek
from tests.e2e.parlours import parlour, session, until

NONE = TimeControl()
QUICK = TimeControl(kind="fischer", base=3000)
ANSWER = """
import json, sys, time
for line in sys.stdin:
    said = json.loads(line)
    ply, first = said["ply"], said["moves"][0]
"""


@dataclass(frozen=True)
class Beast:
    """A program, the room it plays in, and how its game has to end."""

    code: str
    reason: str
    kind: str = ""  # of the failure that its owner is told
    clock: TimeControl = NONE
    patience: float = 20.0
    startup: float = 10.0
    illegal: int = 0


ZOO = {
    "silent": Beast("import time; time.sleep(600)", "time", "timeout", QUICK),
    "silent-without-clock": Beast("import time; time.sleep(600)", "resigned", "timeout", patience=0.5, startup=0.2),
    "slow-to-start": Beast("import time; time.sleep(3)\n" + FIRST, "resigned", "timeout", patience=0.3, startup=0.3),
    "slow-but-in-time": Beast("import time; time.sleep(3)\n" + FIRST, "", patience=2.0),
    "crashes-at-ply-7": Beast(ANSWER + "    1 // max(0, 6 - ply)\n    print(first, flush=True)", "resigned", "exited"),
    "illegal": Beast(ANSWER + "    print('9' if ply > 3 else first, flush=True)", "resigned", "garbage"),
    "illegal-where-it-counts": Beast(
        ANSWER + "    print('a1b2c3' if ply > 3 else first, flush=True)", "illegal_moves", "garbage", illegal=2
    ),
    "floods": Beast("input()\nwhile 1: print('x' * 99999)", "resigned", "flood"),
    "floods-one-line": Beast("import sys\ninput()\nwhile 1: sys.stdout.write('x' * 99999)", "resigned", "flood"),
    "sends-garbage": Beast(ANSWER + "    print('\\x00\\xff{', flush=True)", "resigned", "garbage"),
    "half-a-line": Beast(
        ANSWER + "    sys.stdout.write(first); sys.stdout.flush()", "resigned", "timeout", patience=0.5, startup=0.1
    ),
    "closes-its-output": Beast("import os, time\ninput(); os.close(1); time.sleep(600)", "resigned", "exited"),
    "kills-itself": Beast("import os\ninput(); os.kill(os.getpid(), 9)", "resigned", "exited"),
    "eats-memory": Beast("input()\nx = []\nwhile 1: x.append(bytearray(20_000_000))", "resigned", "exited"),
}  # fmt: skip


async def let_loose(url: str, name: str, beast: Beast, folder: Path) -> tuple[str, OutputLines]:
    """The beast invites the good bot; how its one game ended, and what its owner was told."""
    limits = Limits(startup=beast.startup, grace=0.1, memory=300, output=2)
    maker = program_factory(program(folder, beast.code, limits), tuple(GAMES))
    said = OutputLines()
    settings = {"move_timeout": beast.patience}
    if beast.illegal:
        await with_counted_fouls(url, name, beast, maker, said, folder)
    else:
        wishes = (seek("maxconnect4", "good", beast.clock),)
        more: dict[str, Any] = {"settings": settings, "forensics": folder / "forensics", "said": said}
        await run_bot(url, maker, name=name, seeks=wishes, games=1, **more)
    async with session(url) as guest:
        (info,) = await finished_games(guest, name)
        assert info.reason is not None
        return info.reason, said


async def with_counted_fouls(
    url: str, name: str, beast: Beast, maker: BotFactory, said: OutputLines, folder: Path
) -> None:
    """A room of somebody else's, in which illegal moves are counted."""
    async with session(url, "host") as host, running_bot(
        url, maker, name=name, games=1, said=said, forensics=folder / "forensics"
    ):  # fmt: skip
        made = await host.ask(Create(id=host.id(), game="maxconnect4", invite=name, seat=0, illegal=beast.illegal))
        while True:
            table = host.rooms.get(made.room)
            if table is not None and table.my_move:
                assert table.game is not None
                move = table.game.legal(table.state)[0]
                await host.ask(Move(id=host.id(), room=made.room, ply=table.ply, move=move))
            if table is not None and table.status == "ended":
                return
            await asyncio.sleep(0.01)


async def test_the_zoo(tmp_path: Path) -> None:
    async with parlour(tmp_path) as there:
        async with running_bot(there.url, builtin("random", seed=5), name="good", policy={"concurrent": 20}):
            wishes = (seek("maxconnect4"),)
            good_games = [
                asyncio.create_task(run_bot(there.url, builtin(name), seeks=wishes, games=2))
                for name in ("greedy", "random")
            ]
            outcomes = await asyncio.wait_for(
                asyncio.gather(*(let_loose(there.url, name, beast, tmp_path / name) for name, beast in ZOO.items())), 60
            )
            assert await asyncio.gather(*good_games) == [2, 2]
        for (name, beast), (reason, said) in zip(ZOO.items(), outcomes, strict=True):
            assert reason == (beast.reason or "score"), f"{name}: {reason} {said.lines}"
            evidence = tmp_path / name / "forensics"
            if beast.kind:
                assert said.has(f": {beast.kind}: "), f"{name}: {said.lines}"
                assert any(folder.name.endswith(beast.kind) for folder in evidence.iterdir()), name
            else:
                assert not evidence.exists()
        async with session(there.url) as guest:
            games = await finished_games(guest, "greedy")
            assert [info.reason for info in games] == ["score", "score"]
        await until("no program outlives its game", lambda: not leftovers(tmp_path))


def leftovers(folder: Path) -> list[str]:
    """Processes that were started from a folder and are still there, but for the server's own."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if str(folder) in words and "writer_process" not in words:
            found.append(words)
    return found


# -- strangers at the socket


class Courteous(Bot):
    """Lets an opponent out of turn have his say before it moves."""

    interrupted = threading.Event()

    def choose(self, game: Game, state: State, budget: Budget) -> int:
        self.interrupted.wait(60)
        return game.moves(state)[0]


async def test_bad_manners_at_the_socket(tmp_path: Path) -> None:
    """Wrong plies, garbage, closed sockets: with only a WebSocket and JSON in hand."""
    async with parlour(tmp_path) as there:
        async with running_bot(there.url, class_factory(Courteous), name="good", policy={"concurrent": 20}):
            reasons = await asyncio.wait_for(
                asyncio.gather(
                    stranger(there.url, "wrong-ply", [{"type": "move", "ply": 5, "move": "4"}], "stale"),
                    stranger(there.url, "garbage", ["{", os.urandom(40).hex(), '{"type":"move"}'], "malformed"),
                    stranger(
                        there.url, "out-of-turn", [{"type": "move", "ply": 0, "move": "4"}], "not_your_turn", seat=1
                    ),
                    stranger(there.url, "closes", [], ""),
                ),
                40,
            )
        assert set(reasons) == {"time"}
        assert there.app.metrics.refusals["internal"] == 0


async def stranger(url: str, name: str, messages: list[object], code: str, seat: int = 0) -> str:
    """Plays badly until its time is up; closes its socket right away where it has nothing to say."""
    async with websockets.connect(url, subprotocols=[websockets.Subprotocol("parlour.v1.json")]) as socket:

        async def say(**words: object) -> None:
            await socket.send(json.dumps(words))

        async def hear(kind: str) -> dict[str, object]:
            while True:
                said: dict[str, object] = json.loads(await socket.recv())
                if said["type"] == kind:
                    return said

        await say(type="hello", id=1, name=name)
        await hear("welcome")
        clock = {"kind": "fischer", "base": 3000}
        await say(type="create", id=2, game="maxconnect4", invite="good", seat=seat, clock=clock)
        room = str((await hear("ok"))["room"])
        await hear("started")
        for number, message in enumerate(messages, 3):
            if isinstance(message, dict):
                await say(**message, id=number, room=room)
            else:
                await socket.send(str(message))
            assert (await hear("error"))["code"] == code
        if seat == 1:
            Courteous.interrupted.set()
        if messages:
            ended = await hear("ended")
            return str(ended["reason"])
    async with session(url) as guest:
        made = await guest.ask(Watch(id=guest.id(), room=room))
        await until("its time is up", lambda: room in guest.rooms and guest.rooms[room].status == "ended")
        return str(guest.rooms[made.room].reason)
