"""Tournaments: the latest report of each arbiter, kept in memory and sent to the clients that watch it.

Nothing is stored: a runner reports again after every reconnect, and at least once a minute.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from protocol.commands import ReportTournament, Tournaments, WatchTournament
from protocol.frames import Packet
from protocol.replies import Ok, TournamentUpdate
from protocol.types import TournamentInfo, TournamentReport
from protocol.usernames import fold
from server.domain.decision import Refusal
from server.rooms.client import Client, player_of
from server.rooms.timers import Now

MAX_TOURNAMENTS = 100  # of a node; a report has at most 16 KB
MAX_TOURNAMENTS_PER_ADDRESS = 20
NAME_RESERVED_MS = 10 * 60_000  # after the last report only its arbiter may use the name again
UPDATE_INTERVAL_S = 1.0
ECHO_MS = 10_000  # a node hears its own reports from the bus: until then, reports of the same arbiter are its own
MAX_UNREAD_BYTES = 1 << 20  # a client with more is disconnected


@dataclass(frozen=True, slots=True)
class KeptReport:
    """A report. `address`: where the arbiter connects from; empty if it is connected to another node."""

    name: str
    by: str
    address: str
    at: int
    report: TournamentReport

    def update(self, now: int) -> TournamentUpdate:
        """Return the message for watchers."""
        return TournamentUpdate(name=self.name, by=self.by, age=max(0, now - self.at), report=self.report)

    def info(self, now: int) -> TournamentInfo:
        """Return the entry in a list."""
        report = self.report
        return TournamentInfo(
            name=self.name,
            by=self.by,
            title=report.title,
            game=report.game,
            format=report.format,
            players=report.players,
            done=report.done,
            total=report.total,
            open_ended=report.open_ended,
            finished=report.finished,
            age=max(0, now - self.at),
        )


class TournamentReports:
    """Answers the commands about tournaments. An arbiter is known by its name, which is unique on a server."""

    def __init__(
        self, announce: Callable[[TournamentUpdate], None], now: Now, interval_s: float = UPDATE_INTERVAL_S
    ) -> None:
        """`announce` tells the other nodes about a report."""
        self._announce, self._now, self._interval_s = announce, now, interval_s
        self._kept: dict[str, KeptReport] = {}  # by name, the oldest report first
        self._watched: dict[Client, str] = {}
        self._watchers: dict[str, dict[Client, None]] = {}
        self._changed: set[str] = set()  # to be sent on the next tick
        self._scheduled = False

    # -- commands

    async def report(self, client: Client, command: ReportTournament) -> None:
        """Keep a report and send it to the watchers. Raises Refusal if the name is not valid or taken."""
        name, by = command.name, player_of(client).name
        if not name.isprintable() or name != name.strip():
            raise Refusal("bad_name", "the name of a tournament consists of printable characters, without outer spaces")
        known = self._kept.get(name)
        if known is not None and fold(known.by) != fold(by) and self._now() - known.at < NAME_RESERVED_MS:
            raise Refusal("name_taken", f"{known.by} reports on a tournament of this name: choose another name")
        kept = KeptReport(name, by, client.address, self._now(), command.report)
        self._keep(kept)
        client.send(Ok(id=command.id))
        self._announce(kept.update(kept.at))

    async def watch(self, client: Client, command: WatchTournament) -> None:
        """Send the reports on one tournament to a client from now on."""
        self.disconnect(client)
        client.send(Ok(id=command.id))
        if command.name:
            self._watched[client] = command.name
            self._watchers.setdefault(command.name, {})[client] = None
            if command.name in self._kept:
                client.send(self._kept[command.name].update(self._now()))

    async def list(self, client: Client, command: Tournaments) -> None:
        """Send all tournaments that are known here."""
        now = self._now()
        client.send(Ok(id=command.id, tournaments=tuple(kept.info(now) for kept in reversed(self._kept.values()))))

    # -- clients and other nodes

    def receive(self, update: TournamentUpdate) -> None:
        """Keep a report that an arbiter sent to another node. This node's own announcements are ignored."""
        known, made_at = self._kept.get(update.name), self._now() - update.age
        own = known is not None and known.address and known.by == update.by and made_at < known.at + ECHO_MS
        if not own:
            self._keep(KeptReport(update.name, update.by, "", made_at, update.report))

    def is_watching(self, client: Client) -> bool:
        """Return whether a client waits for reports, and so may stay silent."""
        return client in self._watched

    def disconnect(self, client: Client) -> None:
        """Stop sending reports to a client."""
        name = self._watched.pop(client, None)
        if name is not None:
            del self._watchers[name][client]
            if not self._watchers[name]:
                del self._watchers[name]

    # -- memory

    def _keep(self, kept: KeptReport) -> None:
        if self._kept.pop(kept.name, None) is None:
            self._make_room(kept.address)
        self._kept[kept.name] = kept
        if kept.name in self._watchers:
            self._changed.add(kept.name)
            self._schedule()

    def _make_room(self, address: str) -> None:
        """Forget the oldest report if there are too many, or too many of one address."""
        own = [name for name, kept in self._kept.items() if address and kept.address == address]
        if len(own) >= MAX_TOURNAMENTS_PER_ADDRESS:
            del self._kept[own[0]]
        elif len(self._kept) >= MAX_TOURNAMENTS:
            del self._kept[next(iter(self._kept))]

    # -- tick

    def _schedule(self) -> None:
        if not self._scheduled:
            self._scheduled = True
            asyncio.get_running_loop().call_later(self._interval_s, self.flush)

    def flush(self) -> None:
        """Send the reports that have changed since the last tick."""
        changed, self._changed, self._scheduled = self._changed, set(), False
        now = self._now()
        for name in changed & self._kept.keys():
            packet = Packet(self._kept[name].update(now))
            for client in list(self._watchers.get(name, ())):
                if client.backlog() > MAX_UNREAD_BYTES:
                    self.disconnect(client)
                    client.cut(1008, "too slow for the reports on a tournament")
                else:
                    client.write(packet.text if client.text else packet.binary)
