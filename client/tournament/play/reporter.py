"""Tell the server about a tournament, so that browsers and terminals can watch it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from client.sdk.errors import ConnectionLost, Refused, ReplyTimeout, SessionError
from client.sdk.session import TEMPORARY_ERRORS, Session
from client.sdk.url import page_url
from client.tournament.play.arbiter import Arbiter
from client.tournament.play.player_pool import OnMessage
from protocol.commands import MAX_TOURNAMENT_NAME, ReportTournament
from protocol.types import TournamentReport

REPORT_INTERVAL_S = 1.0
BUILD_COST_FACTOR = 20  # wait at least this many times as long as a report takes to build
HEARTBEAT_S = 60.0  # report after this time even if nothing has changed: watchers see how old a report is
REPLY_TIMEOUT_S = 5.0
RETRY_DELAY_S = 1.0


class Reporter:
    """Sends reports when something has changed, at most once a second, and again after every reconnect."""

    def __init__(
        self, arbiter: Arbiter, title: str, build: Callable[[], TournamentReport], on_message: OnMessage
    ) -> None:
        self._session: Session = arbiter.session
        self._build, self._on_message = build, on_message
        self._name, self._announced, self._refused = tournament_name(title), "", False
        self._changed = asyncio.Event()
        self._build_s = 0.0
        arbiter.on_connected = self.changed

    def changed(self) -> None:
        """Note that the next report differs from the last one."""
        self._changed.set()

    async def run(self) -> None:
        """Report until cancelled, or until the server refuses for good."""
        while not self._refused:
            with suppress(TimeoutError):
                async with asyncio.timeout(HEARTBEAT_S):
                    await self._changed.wait()
            self._changed.clear()
            await self.report()
            await asyncio.sleep(max(REPORT_INTERVAL_S, BUILD_COST_FACTOR * self._build_s))

    async def report(self) -> None:
        """Send one report. A failure is not an error: the tournament goes on, and the next report follows."""
        if self._refused:
            return
        began = time.monotonic()
        report = self._build()
        self._build_s = time.monotonic() - began
        try:
            command = ReportTournament(id=self._session.id(), name=self._name, report=report)
            await self._session.ask(command, REPLY_TIMEOUT_S)
        except Refused as refused:
            await self._handle_refusal(refused)
        except (ConnectionLost, ReplyTimeout):
            self._changed.set()
        except SessionError:  # the session has ended, and so does the tournament
            self._refused = True
        else:
            self._announce()

    def _announce(self) -> None:
        """Print the address of the page when it is known, and when it has changed."""
        if self._announced != self._name:
            self._announced = self._name
            self._on_message(f"watch it at {page_url(self._session.url, 'tournament', self._name)}")

    async def _handle_refusal(self, refused: Refused) -> None:
        welcome = self._session.welcome
        own_name = "" if welcome is None else welcome.you.name
        if refused.code in TEMPORARY_ERRORS:
            self._changed.set()
            await asyncio.sleep(refused.retry_after or RETRY_DELAY_S)
        elif refused.code == "name_taken" and self._name != own_name:
            self._name = own_name  # names of players are unique, and the arbiter keeps its name
            await self.report()
        else:
            self._refused = True
            if refused.code != "malformed":  # else it is an older server, which shows no tournaments
                self._on_message(f"the server does not show this tournament: {refused}")


def tournament_name(title: str) -> str:
    """Return the name under which a server shows a tournament, which is also a part of an address."""
    shown = "".join(character if character.isprintable() else " " for character in title)
    name = " ".join(shown.split())[:MAX_TOURNAMENT_NAME].strip()
    return name if name.strip(".") else "tournament"  # browsers shorten a path with dots
