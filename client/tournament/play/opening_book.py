"""The openings of a tournament that is played. Balanced ones are chosen, cached and logged before they are used."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from client.presentation.texts import counted
from client.tournament.formats.openings import opening
from client.tournament.formats.openings_balanced import BalancedOpenings, search_version
from client.tournament.journal import replay as entries
from client.tournament.journal.log import Log
from client.tournament.journal.replay import TournamentState
from client.tournament.model.chosen_opening import ChosenOpening, first_band
from client.tournament.model.plan import Plan
from client.tournament.play.opening_cache import OpeningCache

PROGRESS_INTERVAL_S = 5.0
SAVE_INTERVAL_S = 2.0


class OpeningBook:
    """Returns the start positions of the games."""

    def __init__(self, plan: Plan, log: Log, state: TournamentState, on_message: Callable[[str], None]) -> None:
        self._plan, self._log, self._state, self._on_message = plan, log, state, on_message
        self._turn = asyncio.Lock()
        self._cancel = threading.Event()
        self._thread = ThreadPoolExecutor(1, "openings")
        self._openings: BalancedOpenings | None = None
        self._cache: OpeningCache | None = None
        self._next_save = time.monotonic() + SAVE_INTERVAL_S
        self._widened = False

    async def start(self, number: int) -> str:
        """Return the start position of an opening, numbered from 1. "" is the usual position."""
        if self._plan.balanced:
            await self.prepare(number)
        return opening(self._plan, number, self._state.openings)

    async def prepare(self, count: int) -> None:
        """Choose the first `count` openings, and log them."""
        async with self._turn:
            if not self._plan.balanced or len(self._state.openings) >= count:
                return
            loop, reported = asyncio.get_running_loop(), time.monotonic()

            def notice(text: str) -> None:
                loop.call_soon_threadsafe(self._on_message, text)

            first = len(self._state.openings)
            if count - first > 1:  # of a test, more follow while games are played
                self._on_message(f"choosing {counted(count - first, 'balanced opening')}")
            while (known := len(self._state.openings)) < count:
                self._log_opening(await loop.run_in_executor(self._thread, self._choose, known + 1, notice))
                if time.monotonic() - reported >= PROGRESS_INTERVAL_S:
                    self._on_message(f"balanced openings: {known + 1 - first} of {count - first}")
                    reported = time.monotonic()

    def _log_opening(self, chosen: ChosenOpening) -> None:
        self._log.append(entries.opening(len(self._state.openings) + 1, chosen))
        self._state.openings.append(chosen)
        if not self._widened and chosen.band != first_band(self._plan.create()):
            self._widened = True
            found = "decided ones" if chosen.band is None else f"openings with a value up to {chosen.band:g}"
            plies = self._plan.opening_plies
            self._on_message(
                f"there are too few balanced openings with opening_plies = {plies}, so {found} are played too: "
                "try another number"
            )

    def _choose(self, number: int, notice: Callable[[str], None]) -> ChosenOpening:
        """Return an opening. Called in the thread."""
        if self._openings is None:
            self._open(notice)
        assert self._openings is not None
        chosen = self._openings.get(number)
        if time.monotonic() >= self._next_save:
            self._save()
        return chosen

    def _open(self, notice: Callable[[str], None]) -> None:
        """Continue the openings of the log with those of the cache, if the same search has chosen both."""
        plan, known = self._plan, list(self._state.openings)
        if all(entry.search == search_version(type(plan.create())) for entry in known):
            self._cache = OpeningCache(plan)
            cached = self._cache.load()
            known += cached[len(known) :]
        self._openings = BalancedOpenings(
            plan.create(), plan.seed, plan.opening_plies, known, self._cancel, notice=notice
        )

    def _save(self) -> None:
        if self._cache is not None and self._openings is not None:
            self._cache.save(self._openings.known)
        self._next_save = time.monotonic() + SAVE_INTERVAL_S

    def close(self) -> None:
        """Stop choosing, and save what was chosen."""
        self._cancel.set()
        self._thread.shutdown(wait=True, cancel_futures=True)
        self._save()
