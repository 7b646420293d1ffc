"""Bots as ordinary clients: they find each other, play whole games, and answer offers."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest

from client.bots.factory import class_factory, program_factory
from client.bots.spec import BotSpec
from client.sdk.bot import Bot, Budget
from engine.game import Game, Outcome, State
from engine.record import parse, verify
from engine.registry import GAMES
from protocol.commands import Export, Move, OfferDraw, Rematch, Resign, Takeback
from protocol.types import Options, TimeControl
from tests.client.sample_programs import program
from tests.e2e.bots import builtin, finished_games, in_state, invite, run_bot, running_bot, seek
from tests.e2e.local_server import running_server, session, until

SHORT: dict[str, Options] = {
    "conga": {"max_plies": 40},
    "mancala": {"pits": 3, "stones": 2},
    "cohcoh": {"n": 3, "k": 3},
}


@pytest.mark.parametrize("game", GAMES)
async def test_two_bots_play_a_whole_game(game: str, tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        seeks = (seek(game, options=SHORT.get(game, {})),)
        first, second = await asyncio.gather(
            run_bot(server.url, builtin("random", seed=1), seeks=seeks, games=1),
            run_bot(server.url, builtin("greedy", seed=1), seeks=seeks, games=1),
        )
        assert (first, second) == (1, 1)
        async with session(server.url) as guest:
            (info,) = await finished_games(guest)
            record = parse((await guest.ask(Export(id=guest.id(), room=info.room))).text)
            verify(record)
            assert record.result != "*"
            assert set(record.seats) == {"random", "greedy"}


async def test_notes_of_the_search_are_kept_in_the_record(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        clock = TimeControl(kind="fischer", base=5000)  # too short to load compiled code
        seeks = (seek("cohcoh", clock=clock, options={"n": 3, "k": 3}),)
        await asyncio.gather(
            run_bot(server.url, builtin("random", seed=2), seeks=seeks, games=1, cpu_clock=True),
            run_bot(server.url, builtin("search"), seeks=seeks, games=1),  # a lower level may move at random all game
        )
        async with session(server.url) as guest:
            (info,) = await finished_games(guest)
            record = parse((await guest.ask(Export(id=guest.id(), room=info.room))).text)
        notes = [played.note for played in record.moves]
        assert any(note.startswith("depth ") and " value " in note for note in notes)
        assert any(note.startswith("wall ") and " cpu " in note for note in notes)


async def test_bot_in_a_process_plays(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server:
        factory = builtin("alphabeta:2", seed=1)
        assert BotSpec("alphabeta:2").isolation == "process"
        seeks = (seek("mancala", options={"pits": 3, "stones": 2}),)
        first, second = await asyncio.gather(
            run_bot(server.url, factory, seeks=seeks, games=1, forensics=tmp_path),
            run_bot(server.url, builtin("random"), seeks=seeks, games=1),
        )
        assert (first, second) == (1, 1)


class Recorder(Bot):
    calls: list[str] = []

    def choose(self, game: Game, state: State, budget: Budget) -> str:
        self.calls.append(f"{budget.ply}{len(budget.history)}{budget.opponent}")
        return game.legal(state)[0]

    def started(self, game: Game, side: int, opponent: str) -> None:
        self.calls.append(f"started {side} {opponent}")

    def ended(self, game: Game, outcome: Outcome) -> None:
        self.calls.append(f"ended {outcome.reason}")


async def test_hooks_are_called_at_the_start_and_the_end(tmp_path: Path) -> None:
    Recorder.calls.clear()
    async with running_server(tmp_path) as server:
        seeks = (seek("maxconnect4"),)
        await asyncio.gather(
            run_bot(server.url, class_factory(Recorder), seeks=seeks, games=1),
            run_bot(server.url, builtin("random"), seeks=seeks, games=1),
        )
    calls = Recorder.calls
    assert calls[0] in ("started 0 random", "started 1 random")
    assert calls[-1] == "ended score"
    assert len(calls) == 23
    assert all(line.endswith("random") for line in calls[1:-1])


async def test_invited_bot_joins_or_reports_why_not(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:
        policy = {"games": ("cohcoh",), "options": {"n": "3"}, "avoid": frozenset({"mallory"})}
        async with running_bot(server.url, builtin("random"), policy=policy) as output:
            room = await invite(alice, "random", options={"n": 3, "k": 3})
            await until("the bot joins", partial(in_state, alice, room, "running"))
            await invite(alice, "random", options={"n": 4, "k": 3})
            await until("the options are declined", partial(output.has, "only with n=3"))
            await invite(alice, "random", "conga")
            await until("the game is declined", partial(output.has, "conga is not one of its games"))
            async with session(server.url, "Mallory") as mallory:
                await invite(mallory, "random", options={"n": 3, "k": 3})
                await until("the opponent is declined", partial(output.has, "not against this opponent"))


async def test_concurrent_games_are_limited_and_the_rest_follow(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:  # noqa: SIM117
        async with running_bot(server.url, builtin("random"), policy={"concurrent": 2}):
            rooms = [await invite(alice, "random", options={"n": 3, "k": 3}) for _ in range(3)]
            await until("two games run", lambda: sum(in_state(alice, room, "running") for room in rooms) == 2)
            started = [room for room in rooms if in_state(alice, room, "running")]
            waiting = next(room for room in rooms if room not in started)
            assert in_state(alice, waiting, "waiting")
            await alice.ask(Resign(id=alice.id(), room=started[0]))
            await until("the third game runs", partial(in_state, alice, waiting, "running"))


async def test_bot_answers_greetings_and_offers(tmp_path: Path) -> None:
    """It greets, declines a draw, accepts a takeback in a casual game, and accepts a rematch."""
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:  # noqa: SIM117
        async with running_bot(server.url, builtin("random"), settings={"greeting": "good luck!"}):
            room = await invite(alice, "random", "maxconnect4")
            await until("the bot greets", lambda: room in alice.rooms and bool(alice.rooms[room].chat))
            assert alice.rooms[room].chat[0].text == "good luck!"
            await alice.ask(OfferDraw(id=alice.id(), room=room))
            await until("the draw is declined", lambda: alice.rooms[room].offers.draw is None)
            await alice.ask(Move(id=alice.id(), room=room, ply=0, move="4"))
            await until("the bot moves", partial(in_state, alice, room, "running", 2))
            await alice.ask(Takeback(id=alice.id(), room=room))
            await until("the takeback is accepted", lambda: alice.rooms[room].ply == 0)
            await alice.ask(Resign(id=alice.id(), room=room))
            await alice.ask(Rematch(id=alice.id(), room=room))
            await until("the rematch has a room", lambda: bool(alice.rooms[room].next))
            following = alice.rooms[room].next
            await until("the rematch runs", partial(in_state, alice, following, "running", 1))


async def test_thinking_bot_stops_when_the_game_ends(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, session(server.url, "alice") as alice:
        factory = program_factory(program(tmp_path, "import time; time.sleep(600)"), tuple(GAMES))
        async with running_bot(server.url, factory, name="sleepy", forensics=tmp_path / "forensics") as output:
            room = await invite(alice, "sleepy")
            await until("the game runs", partial(in_state, alice, room, "running"))
            await alice.ask(Move(id=alice.id(), room=room, ply=0, move="a1"))
            await alice.ask(Resign(id=alice.id(), room=room))
            await until("the bot has won", partial(output.has, "You win: "))
        assert not (tmp_path / "forensics").exists()


async def test_unanswered_challenge_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.bots.matchmaking.SEEK_WAIT_S", (0.0, 0.0))
    async with (
        running_server(tmp_path) as server,
        running_bot(server.url, builtin("random"), seeks=(seek("conga", "carol"),)) as output,
    ):
        await until("the bot reports it", partial(output.has, "carol has not joined yet"))


async def test_search_never_loses_on_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bot uses all the time it is given, which is too short to load compiled code."""
    loaded: set[Game] = set()
    monkeypatch.setattr("client.bots.builtin.search._loaded", loaded)
    async with running_server(tmp_path) as server:
        for clock in (TimeControl(kind="fischer", base=5000), TimeControl(kind="bank", per_move=200, bank=4000)):
            seeks = (seek("conga", clock=clock, options={"max_plies": 16}),)
            await asyncio.gather(
                run_bot(server.url, builtin("search"), seeks=seeks, games=1),
                run_bot(server.url, builtin("random", seed=1), seeks=seeks, games=1),
            )
        assert not loaded
        async with session(server.url) as guest:
            assert {info.reason for info in await finished_games(guest)} <= {"ply_limit", "no_moves", "repetition"}


@pytest.mark.long
async def test_bot_claims_the_game_of_an_absent_opponent(tmp_path: Path) -> None:
    async with running_server(tmp_path) as server, running_bot(server.url, builtin("random")) as output:
        async with session(server.url, "alice") as alice:
            room = await invite(alice, "random", "maxconnect4", clock=TimeControl(kind="fischer", base=60_000))
            await until("the game runs", partial(in_state, alice, room, "running"))
        await until("the bot has won", partial(output.has, "left the game, after"))
