"""Run a ladder: pair bots, create rooms as the arbiter, count results. The journal is the only state.

A game is journalled when it is paired, before its room exists, and again with its room. So after a crash the next
runner finds every room: by its id, or by its players among the rooms of this arbiter.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from client.ladder import state as entries
from client.ladder.game import Void, supervise
from client.ladder.lobby import LadderLobby
from client.ladder.pairing import Pairer
from client.ladder.state import LadderGame, LadderResult, LadderSettings, LadderState, apply_entry
from client.sdk.errors import Refused
from client.tournament.formats.openings import openings_for
from client.tournament.journal.log import Entry, Log
from client.tournament.model.errors import TournamentError
from client.tournament.model.results import Pairing
from client.tournament.play.arbiter import Arbiter
from protocol.replies import LobbyUpdate
from protocol.usernames import fold

FIRST_PAUSE_S, MAX_PAUSE_S = 30.0, 3600.0
FORFEITS_BEFORE_PAUSE = 3  # in a row
MAX_CLOCK_DIFFERENCE_S = 60.0  # between this machine and the server
CHECK_INTERVAL_S = 5.0  # for pauses that are over
CASUAL_NOTICE = (
    "The games are casual from now on; the ladder still rates them. To rate them on the server too, ask its"
    " operator to name your account with serve --arbiters"
)
OnMessage = Callable[[str], None]
OnUpdate = Callable[[LadderGame, LadderResult | None], None]  # a game begins (None), or has ended


@dataclass(frozen=True, slots=True)
class RunSettings:
    """What may differ from run to run. `games`: stop after as many; `new_versions`: of a bot within a day."""

    at_once: int = 4
    reserved: int = 0
    guests: bool = False
    rated: bool = True
    wait_s: float = 30.0
    new_versions: int = 20
    games: int | None = None


class LadderRunner:
    """Pairs bots and counts their games until it is stopped."""

    def __init__(
        self,
        settings: LadderSettings,
        how: RunSettings,
        log: Log,
        state: LadderState,
        arbiter: Arbiter,
        on_message: OnMessage,
        on_update: OnUpdate,
    ) -> None:
        self.settings, self.state, self.arbiter = settings, state, arbiter
        self._how, self._log, self._on_message, self._on_update = how, log, on_message, on_update
        you = arbiter.session.welcome
        self.lobby = LadderLobby(
            settings, "" if you is None else you.you.name,
            guests=how.guests, reserved=how.reserved, new_versions=how.new_versions,
        )  # fmt: skip
        self._pairer = Pairer(settings)
        self._tasks: dict[int, asyncio.Task[None]] = {}
        self._awake = asyncio.Event()
        self._stopping = False
        self._rated = how.rated
        self._done_before = state.done
        self._failures: Counter[str] = Counter()  # in a row, by folded name
        self._paused_until: dict[str, float] = {}
        self._told: set[object] = set()  # what was said already
        arbiter.on_lobby = self._lobby_changed

    @property
    def running(self) -> int:
        return len(self._tasks)

    def stop(self) -> None:
        """Pair no more games. `run` returns when the running ones have ended."""
        self._stopping = True
        self._awake.set()

    async def run(self) -> None:
        """Pair and play until stopped. A cancelled run leaves its games running; the next runner counts them."""
        await self.arbiter.follow_lobby()
        await self._resume()
        try:
            while not (self._stopping and not self._tasks):
                self._pair_games()
                await self._wait()
                self._collect()
        finally:
            tasks = list(self._tasks.values())
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    # -- the loop

    async def _resume(self) -> None:
        """Continue the games that were open when the last runner stopped."""
        if self.state.open:
            await self.arbiter.find_unlogged_rooms(self.state.known_rooms)
        for game in list(self.state.open.values()):
            self._start(game)

    def _pair_games(self) -> None:
        while not self._stopping and self.arbiter.connected and len(self._tasks) < self._how.at_once:
            if self._how.games is not None and self._begun >= self._how.games:
                self.stop()
                return
            now = time.time()
            present = self.lobby.contenders(self.state, now)
            contenders = [found for found in present if not self._is_paused(found.player.name)]
            game = self._pairer.choose(self.state, contenders, now)
            if game is None:
                self._explain(now)
                return
            self._pairer.paired(game)
            self._write(entries.paired_entry(game))
            self._start(game)

    @property
    def _begun(self) -> int:
        return self.state.done - self._done_before + len(self._tasks)

    def _start(self, game: LadderGame) -> None:
        self._tasks[game.number] = asyncio.create_task(self._play(game))
        self._tasks[game.number].add_done_callback(lambda _: self._awake.set())

    async def _wait(self) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(CHECK_INTERVAL_S):
                await self._awake.wait()
        self._awake.clear()

    def _collect(self) -> None:
        for number in [number for number, task in self._tasks.items() if task.done()]:
            self._tasks.pop(number).result()

    def _lobby_changed(self, update: LobbyUpdate) -> None:
        self.lobby.update(update)
        self._awake.set()

    # -- one game

    async def _play(self, game: LadderGame) -> None:
        room = self.state.rooms.get(game.number) or await self._create(game)
        if not room:
            return
        self._on_update(game, None)
        try:
            outcome = await supervise(self.arbiter, game, room, self._how.wait_s)
        except Refused as error:
            outcome = Void(str(error), tuple(player.name for player in game.players))
        if isinstance(outcome, Void):
            self._drop(game, outcome)
            return
        await self._log.append_durably(self._applied(entries.ended_entry(game.number, outcome)))
        self._note_failures(game, outcome)
        self._on_update(game, outcome)

    async def _create(self, game: LadderGame) -> str:
        """Create and journal the room of a game. Return "" if the server refuses it."""
        first, second = game.players
        pairing = Pairing(game.number, game.opening, game.opening, (first.name, second.name), game.opening)
        start = self._opening(game.opening)
        rated = self._rated and all(self.lobby.account(player.name) for player in game.players)
        try:
            since_ms = int((game.at - MAX_CLOCK_DIFFERENCE_S) * 1000)
            room = await self.arbiter.create_room(pairing, start, rated, since_ms)
        except TournamentError as error:
            if not rated:
                self._drop(game, Void(str(error), (first.name, second.name)))
                return ""
            self._rated = False
            self._say_once("casual", f"{error}. {CASUAL_NOTICE}")
            return await self._create(game)
        self._write(entries.created_entry(game.number, room))
        return room

    def _opening(self, number: int) -> str:
        if not self.settings.opening_plies:
            return ""
        options = tuple(sorted(self.settings.options.items()))
        return openings_for(self.settings.game, options, self.settings.seed, self.settings.opening_plies).get(number)

    def _drop(self, game: LadderGame, void: Void) -> None:
        self._write(entries.dropped_entry(game.number, void.why))
        names = " and ".join(void.culprits)
        self._on_message(f"game {game.number}: no result ({names + ': ' if names else ''}{void.why})")
        for name in void.culprits:
            self._fail(name, 1)

    # -- bots that fail

    def _note_failures(self, game: LadderGame, result: LadderResult) -> None:
        for seat, player in enumerate(game.players):
            if result.forfeit and result.loser == seat:
                self._fail(player.name, FORFEITS_BEFORE_PAUSE)
            else:
                self._failures.pop(fold(player.name), None)

    def _fail(self, name: str, allowed: int) -> None:
        """Pause a bot that has failed `allowed` times in a row: each time twice as long.

        Games that fail during its pause had begun before, and do not count.
        """
        key = fold(name)
        if self._is_paused(name):
            return
        self._failures[key] += 1
        if self._failures[key] >= allowed:
            pause_s = min(MAX_PAUSE_S, FIRST_PAUSE_S * 2 ** min(20, self._failures[key] - allowed))
            self._paused_until[key] = time.monotonic() + pause_s
            self._on_message(f"{name} is not paired for {pause_s:.0f} seconds")

    def _is_paused(self, name: str) -> bool:
        return time.monotonic() < self._paused_until.get(fold(name), 0.0)

    # -- journal and messages

    def _write(self, entry: Entry) -> None:
        self._log.append(self._applied(entry))

    def _applied(self, entry: Entry) -> Entry:
        apply_entry(self.state, entry)
        return entry

    def _explain(self, now: float) -> None:
        """Say once why a bot is not paired, and that the ladder waits."""
        for player in self.lobby.refused(self.state, now):
            text = f"{player.name} has brought {self._how.new_versions} new versions within a day: {player} has to wait"
            self._say_once(("versions", fold(player.name)), text)
        if self.lobby.known and not self._tasks and len(self.lobby.here()) < 2:
            self._say_once("waiting", "waiting for bots: 'parlour bot … --ladder' takes part")

    def _say_once(self, key: object, text: str) -> None:
        if key not in self._told:
            self._told.add(key)
            self._on_message(text)
