"""Bots as ordinary clients: they find each other, play whole games, and have manners."""

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
from tests.e2e.parlours import parlour, session, until

SHORT: dict[str, Options] = {
    "conga": {"max_plies": 40},
    "mancala": {"pits": 3, "stones": 2},
    "cohcoh": {"n": 3, "k": 3},
}


@pytest.mark.parametrize("game", GAMES)
async def test_two_bots_play_a_whole_game(game: str, tmp_path: Path) -> None:
    async with parlour(tmp_path) as there:
        wishes = (seek(game, options=SHORT.get(game, {})),)
        first, second = await asyncio.gather(
            run_bot(there.url, builtin("random", seed=1), seeks=wishes, games=1),
            run_bot(there.url, builtin("greedy", seed=1), seeks=wishes, games=1),
        )
        assert (first, second) == (1, 1)
        async with session(there.url) as guest:
            (info,) = await finished_games(guest)
            record = parse((await guest.ask(Export(id=guest.id(), room=info.room))).text)
            verify(record)
            assert record.result != "*"
            assert set(record.seats) == {"random", "greedy"}


async def test_the_search_says_what_it_thinks_and_the_record_keeps_it(tmp_path: Path) -> None:
    async with parlour(tmp_path) as there:
        clock = TimeControl(kind="fischer", base=5000)  # too little for loading compiled code
        wishes = (seek("cohcoh", clock=clock, options={"n": 3, "k": 3}),)
        await asyncio.gather(
            run_bot(there.url, builtin("random", seed=2), seeks=wishes, games=1, cpu_clock=True),
            run_bot(there.url, builtin("search"), seeks=wishes, games=1),  # a lower level may be careless all game long
        )
        async with session(there.url) as guest:
            (info,) = await finished_games(guest)
            record = parse((await guest.ask(Export(id=guest.id(), room=info.room))).text)
        notes = [played.note for played in record.moves]
        assert any(note.startswith("depth ") and " value " in note for note in notes)
        assert any(note.startswith("wall ") and " cpu " in note for note in notes)


async def test_a_bot_in_a_process_of_its_own(tmp_path: Path) -> None:
    async with parlour(tmp_path) as there:
        maker = builtin("alphabeta:2", seed=1)
        assert BotSpec("alphabeta:2").isolation == "process"
        wishes = (seek("mancala", options={"pits": 3, "stones": 2}),)
        first, second = await asyncio.gather(
            run_bot(there.url, maker, seeks=wishes, games=1, forensics=tmp_path),
            run_bot(there.url, builtin("random"), seeks=wishes, games=1),
        )
        assert (first, second) == (1, 1)


class Remembering(Bot):
    heard: list[str] = []

    def choose(self, game: Game, state: State, budget: Budget) -> str:
        self.heard.append(f"{budget.ply}{len(budget.history)}{budget.opponent}")
        return game.legal(state)[0]

    def started(self, game: Game, side: int, opponent: str) -> None:
        self.heard.append(f"started {side} {opponent}")

    def ended(self, game: Game, outcome: Outcome) -> None:
        self.heard.append(f"ended {outcome.reason}")


async def test_a_class_of_ones_own_hears_the_start_and_the_end(tmp_path: Path) -> None:
    Remembering.heard.clear()
    async with parlour(tmp_path) as there:
        wishes = (seek("maxconnect4"),)
        await asyncio.gather(
            run_bot(there.url, class_factory(Remembering), seeks=wishes, games=1),
            run_bot(there.url, builtin("random"), seeks=wishes, games=1),
        )
    heard = Remembering.heard
    assert heard[0] in ("started 0 random", "started 1 random")
    assert heard[-1] == "ended score"
    assert len(heard) == 23
    assert all(line.endswith("random") for line in heard[1:-1])


async def test_an_invited_bot_comes_or_says_why_not(tmp_path: Path) -> None:
    async with parlour(tmp_path) as there, session(there.url, "alice") as alice:
        policy = {"games": ("cohcoh",), "options": {"n": "3"}, "avoid": frozenset({"mallory"})}
        async with running_bot(there.url, builtin("random"), policy=policy) as said:
            room = await invite(alice, "random", options={"n": 3, "k": 3})
            await until("it plays", partial(in_state, alice, room, "running"))
            await invite(alice, "random", options={"n": 4, "k": 3})
            await until("not with these options", partial(said.has, "only with n=3"))
            await invite(alice, "random", "conga")
            await until("not this game", partial(said.has, "conga is not one of its games"))
            async with session(there.url, "Mallory") as mallory:
                await invite(mallory, "random", options={"n": 3, "k": 3})
                await until("not this opponent", partial(said.has, "not against this opponent"))


async def test_no_more_games_at_a_time_than_allowed_and_the_rest_in_turn(tmp_path: Path) -> None:
    async with parlour(tmp_path) as there, session(there.url, "alice") as alice:  # noqa: SIM117
        async with running_bot(there.url, builtin("random"), policy={"concurrent": 2}):
            rooms = [await invite(alice, "random", options={"n": 3, "k": 3}) for _ in range(3)]
            await until("two have begun", lambda: sum(in_state(alice, room, "running") for room in rooms) == 2)
            begun = [room for room in rooms if in_state(alice, room, "running")]
            waiting = next(room for room in rooms if room not in begun)
            assert in_state(alice, waiting, "waiting")
            await alice.ask(Resign(id=alice.id(), room=begun[0]))
            await until("then the third", partial(in_state, alice, waiting, "running"))


async def test_manners(tmp_path: Path) -> None:
    """Greeting, no draw, a takeback in a casual game, a rematch with the seats swapped."""
    async with parlour(tmp_path) as there, session(there.url, "alice") as alice:  # noqa: SIM117
        async with running_bot(there.url, builtin("random"), settings={"greeting": "good luck!"}):
            room = await invite(alice, "random", "maxconnect4")
            await until("it greets", lambda: room in alice.rooms and bool(alice.rooms[room].chat))
            assert alice.rooms[room].chat[0].text == "good luck!"
            await alice.ask(OfferDraw(id=alice.id(), room=room))
            await until("it declines", lambda: alice.rooms[room].offers.draw is None)
            await alice.ask(Move(id=alice.id(), room=room, ply=0, move="4"))
            await until("it answers", partial(in_state, alice, room, "running", 2))
            await alice.ask(Takeback(id=alice.id(), room=room))
            await until("it agrees", lambda: alice.rooms[room].ply == 0)
            await alice.ask(Resign(id=alice.id(), room=room))
            await alice.ask(Rematch(id=alice.id(), room=room))
            await until("there is another game", lambda: bool(alice.rooms[room].next))
            following = alice.rooms[room].next
            await until("where it begins", partial(in_state, alice, following, "running", 1))


async def test_a_bot_that_is_thinking_hears_that_the_game_is_over(tmp_path: Path) -> None:
    async with parlour(tmp_path) as there, session(there.url, "alice") as alice:
        maker = program_factory(program(tmp_path, "import time; time.sleep(600)"), tuple(GAMES))
        async with running_bot(there.url, maker, name="sleepy", forensics=tmp_path / "forensics") as said:
            room = await invite(alice, "sleepy")
            await until("it has begun", partial(in_state, alice, room, "running"))
            await alice.ask(Move(id=alice.id(), room=room, ply=0, move="a1"))
            await alice.ask(Resign(id=alice.id(), room=room))
            await until("it has won", partial(said.has, "won (resigned)"))
        assert not (tmp_path / "forensics").exists()


async def test_a_challenger_says_that_nobody_has_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("client.bots.matchmaking.SEEK_WAIT_S", (0.0, 0.0))
    async with (
        parlour(tmp_path) as there,
        running_bot(there.url, builtin("random"), seeks=(seek("conga", "nobody"),)) as said,
    ):
        await until("it says so", partial(said.has, "nobody has not joined yet"))


async def test_clocks_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that takes all the time it is given, which is too little for loading compiled code."""
    loaded: set[Game] = set()
    monkeypatch.setattr("client.bots.builtin.search._loaded", loaded)
    async with parlour(tmp_path) as there:
        for clock in (TimeControl(kind="fischer", base=5000), TimeControl(kind="bank", per_move=200, bank=4000)):
            wishes = (seek("conga", clock=clock, options={"max_plies": 16}),)
            await asyncio.gather(
                run_bot(there.url, builtin("search"), seeks=wishes, games=1),
                run_bot(there.url, builtin("random", seed=1), seeks=wishes, games=1),
            )
        assert not loaded
        async with session(there.url) as guest:
            assert {info.reason for info in await finished_games(guest)} <= {"ply_limit", "no_moves", "repetition"}


@pytest.mark.long
async def test_a_bot_claims_the_game_of_one_who_does_not_come_back(tmp_path: Path) -> None:
    async with parlour(tmp_path) as there, running_bot(there.url, builtin("random")) as said:
        async with session(there.url, "alice") as alice:
            room = await invite(alice, "random", "maxconnect4", clock=TimeControl(kind="fischer", base=60_000))
            await until("it has begun", partial(in_state, alice, room, "running"))
        await until("it has won", partial(said.has, "won (abandoned)"), 40)
