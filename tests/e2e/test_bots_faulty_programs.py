"""Faulty programs: each loses its own game for the right reason and does not disturb the others."""

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
from tests.e2e.local_server import running_server, session, until
from tests.waiting import TIMEOUT_S

NONE = TimeControl()
QUICK = TimeControl(kind="fischer", base=3000)
SLEEP = "import time; time.sleep(600)"
SLOW_START = "import time; time.sleep(3)\n" + FIRST
LATE_START = f"import time; time.sleep({TIMEOUT_S})\n" + FIRST  # late even if its opponent thinks for a while first
ANSWER = """
import json, sys, time
for line in sys.stdin:
    message = json.loads(line)
    ply, first = message["ply"], message["moves"][0]
"""


@dataclass(frozen=True)
class Faulty:
    """A program, the room it plays in, and how its game must end."""

    code: str
    reason: str
    kind: str = ""  # of the reported failure
    clock: TimeControl = NONE
    move_timeout: float = TIMEOUT_S
    startup: float = TIMEOUT_S
    illegal: int = 0


PROGRAMS = {
    "silent": Faulty(SLEEP, "time", "timeout", QUICK),
    "silent-without-clock": Faulty(SLEEP, "resigned", "timeout", move_timeout=0.5, startup=0.2),
    "slow-to-start": Faulty(LATE_START, "resigned", "timeout", move_timeout=0.3, startup=0.3),
    "slow-but-in-time": Faulty(SLOW_START, "", move_timeout=2.0),
    "crashes-at-ply-7": Faulty(ANSWER + "    1 // max(0, 6 - ply)\n    print(first, flush=True)", "resigned", "exited"),
    "illegal": Faulty(ANSWER + "    print('9' if ply > 3 else first, flush=True)", "resigned", "garbage"),
    "illegal-where-it-counts": Faulty(
        ANSWER + "    print('a1b2c3' if ply > 3 else first, flush=True)", "illegal_moves", "garbage", illegal=2
    ),
    "floods": Faulty("input()\nwhile 1: print('x' * 99999)", "resigned", "flood"),
    "floods-one-line": Faulty("import sys\ninput()\nwhile 1: sys.stdout.write('x' * 99999)", "resigned", "flood"),
    "sends-garbage": Faulty(ANSWER + "    print('\\x00\\xff{', flush=True)", "resigned", "garbage"),
    "half-a-line": Faulty(
        ANSWER + "    sys.stdout.write(first); sys.stdout.flush()", "resigned", "timeout", move_timeout=0.5, startup=0.1
    ),
    "closes-its-output": Faulty("import os, time\ninput(); os.close(1); time.sleep(600)", "resigned", "exited"),
    "kills-itself": Faulty("import os\ninput(); os.kill(os.getpid(), 9)", "resigned", "exited"),
    "eats-memory": Faulty("input()\nx = []\nwhile 1: x.append(bytearray(20_000_000))", "resigned", "exited"),
}  # fmt: skip


async def play_one_game(url: str, name: str, faulty: Faulty, folder: Path) -> tuple[str, OutputLines]:
    """Let the program invite the good bot. Return the reason of the game's end and the bot's output."""
    limits = Limits(startup=faulty.startup, grace=0.1, memory=300, output=2)
    factory = program_factory(program(folder, faulty.code, limits), tuple(GAMES))
    output = OutputLines()
    settings = {"move_timeout": faulty.move_timeout}
    if faulty.illegal:
        await play_with_counted_fouls(url, name, faulty, factory, output, folder)
    else:
        seeks = (seek("maxconnect4", "good", faulty.clock),)
        more: dict[str, Any] = {"settings": settings, "forensics": folder / "forensics", "output": output}
        await run_bot(url, factory, name=name, seeks=seeks, games=1, **more)
    async with session(url) as guest:
        (info,) = await finished_games(guest, name)
        assert info.reason is not None
        return info.reason, output


async def play_with_counted_fouls(
    url: str, name: str, faulty: Faulty, factory: BotFactory, output: OutputLines, folder: Path
) -> None:
    """Play in a room of another player where illegal moves are counted."""
    async with session(url, "host") as host, running_bot(
        url, factory, name=name, games=1, output=output, forensics=folder / "forensics"
    ):  # fmt: skip
        made = await host.ask(Create(id=host.id(), game="maxconnect4", invite=name, seat=0, illegal=faulty.illegal))
        while True:
            table = host.rooms.get(made.room)
            if table is not None and table.my_move:
                assert table.game is not None
                move = table.game.legal(table.state)[0]
                await host.ask(Move(id=host.id(), room=made.room, ply=table.ply, move=move))
            if table is not None and table.status == "ended":
                return
            await asyncio.sleep(0.01)


async def test_faulty_programs_lose_only_their_own_game(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        async with running_bot(server.url, builtin("random", seed=5), name="good", policy={"concurrent": 20}):
            seeks = (seek("maxconnect4"),)
            good_games = [
                asyncio.create_task(run_bot(server.url, builtin(name), seeks=seeks, games=2))
                for name in ("greedy", "random")
            ]
            outcomes = await asyncio.wait_for(
                asyncio.gather(
                    *(play_one_game(server.url, name, faulty, tmp_path / name) for name, faulty in PROGRAMS.items())
                ),
                TIMEOUT_S,
            )
            assert await asyncio.gather(*good_games) == [2, 2]
        for (name, faulty), (reason, output) in zip(PROGRAMS.items(), outcomes, strict=True):
            assert reason == (faulty.reason or "score"), f"{name}: {reason} {output.lines}"
            evidence = tmp_path / name / "forensics"
            if faulty.kind:
                assert output.has(f": {faulty.kind}: "), f"{name}: {output.lines}"
                assert any(folder.name.endswith(faulty.kind) for folder in evidence.iterdir()), name
            else:
                assert not evidence.exists()
        async with session(server.url) as guest:
            games = await finished_games(guest, "greedy")
            assert [info.reason for info in games] == ["score", "score"]
        await until("all programs have exited", lambda: not leftovers(tmp_path))


def leftovers(folder: Path) -> list[str]:
    """Return the command lines of running processes started from a folder, except the store's writer."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().decode("utf-8", "replace")
        except OSError:
            continue
        if str(folder) in words and "writer_process" not in words:
            found.append(words)
    return found


# -- clients without the library


class WaitingBot(Bot):
    """Moves only after the opponent has moved out of turn."""

    interrupted = threading.Event()

    def choose(self, game: Game, state: State, budget: Budget) -> int:
        self.interrupted.wait(TIMEOUT_S)
        return game.moves(state)[0]


async def test_invalid_messages_lose_only_their_own_game(tmp_path: Path) -> None:
    """Wrong plies, garbage and closed sockets, from plain WebSocket clients."""
    async with running_server(tmp_path) as server:
        async with running_bot(server.url, class_factory(WaitingBot), name="good", policy={"concurrent": 20}):
            reasons = await asyncio.wait_for(
                asyncio.gather(
                    send_and_time_out(server.url, "wrong-ply", [{"type": "move", "ply": 5, "move": "4"}], "stale"),
                    send_and_time_out(
                        server.url, "garbage", ["{", os.urandom(40).hex(), '{"type":"move"}'], "malformed"
                    ),
                    send_and_time_out(
                        server.url, "out-of-turn", [{"type": "move", "ply": 0, "move": "4"}], "not_your_turn", seat=1
                    ),
                    send_and_time_out(server.url, "closes", [], ""),
                ),
                TIMEOUT_S,
            )
        assert set(reasons) == {"time"}
        assert server.app.metrics.refusals["internal"] == 0


async def send_and_time_out(url: str, name: str, messages: list[object], code: str, seat: int = 0) -> str:
    """Send the messages, expect their error code, and lose on time. Without messages close the socket at once.

    Return the reason of the game's end.
    """
    async with websockets.connect(url, subprotocols=[websockets.Subprotocol("parlour.v1.json")]) as socket:

        async def send(**words: object) -> None:
            await socket.send(json.dumps(words))

        async def wait_for(kind: str) -> dict[str, object]:
            while True:
                output: dict[str, object] = json.loads(await socket.recv())
                if output["type"] == kind:
                    return output

        await send(type="hello", id=1, name=name)
        await wait_for("welcome")
        clock = {"kind": "fischer", "base": 3000}
        await send(type="create", id=2, game="maxconnect4", invite="good", seat=seat, clock=clock)
        room = str((await wait_for("ok"))["room"])
        await wait_for("started")
        for number, message in enumerate(messages, 3):
            if isinstance(message, dict):
                await send(**message, id=number, room=room)
            else:
                await socket.send(str(message))
            assert (await wait_for("error"))["code"] == code
        if seat == 1:
            WaitingBot.interrupted.set()
        if messages:
            ended = await wait_for("ended")
            return str(ended["reason"])
    async with session(url) as guest:
        made = await guest.ask(Watch(id=guest.id(), room=room))
        await until("the player is flagged", lambda: room in guest.rooms and guest.rooms[room].status == "ended")
        return str(guest.rooms[made.room].reason)
