"""Retention: delete, in small batches in the background, what the operator does not want to keep.

Games with a result, their moves, and ratings are never deleted.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable

from protocol.codec import MSGPACK, decode_event
from protocol.events import Said
from server.config import Settings
from server.ids import coming_months
from server.logs import log
from server.metrics import Metrics
from server.storage.interface import Store, Unavailable

DAY_MS = 86_400_000
INTERVAL_S = 600.0  # between two runs
PAUSE_S = 0.2  # between two batches, for the moves of players
ROOMS_PER_BATCH = 50
SESSIONS_PER_BATCH = 500
MAX_GAP_MS = DAY_MS  # between two runs; after a longer one, or a negative one, the clock may be wrong


class Retention:
    """Deletes rooms without a result, chat and sessions when they are old enough.

    `is_loaded`: whether a room is in memory, where clients may still write to it. `connected`: returns the players who
    are connected; their sessions are in use.
    """

    def __init__(
        self,
        *,
        store: Store,
        settings: Settings,
        metrics: Metrics,
        now: Callable[[], int],
        is_loaded: Callable[[str], bool],
        connected: Callable[[], list[str]],
        on_batch: Callable[[str, int], None] = lambda what, count: None,
        pause_s: float = PAUSE_S,
    ) -> None:
        self._store, self._settings, self._metrics, self._now = store, settings, metrics, now
        self._is_loaded, self._connected, self._on_batch, self._pause_s = is_loaded, connected, on_batch, pause_s

    async def run(self) -> None:
        """Prune and measure the store from time to time, until cancelled."""
        while True:
            try:
                self._metrics.store_rows, self._metrics.store_bytes = await self._store.sizes()
                if await self._clock_is_certain():
                    await self.prune()
                await self._store.prepare_log(coming_months(self._now()))
            except Unavailable as error:
                log("retention_failed", logging.WARNING, why=str(error))
            except Exception:
                log("retention_failed", logging.ERROR, trace=True)
            await asyncio.sleep(INTERVAL_S)

    async def _clock_is_certain(self) -> bool:
        """Return False for a day after an implausible time between two runs: the operator may correct the clock."""
        now = self._now()
        last, _ = await self._store.retention_mark("run")
        hold, _ = await self._store.retention_mark("hold")
        if last and not 0 <= now - last <= MAX_GAP_MS:
            hold = now + MAX_GAP_MS
            await self._store.set_retention_mark("hold", hold)
        await self._store.set_retention_mark("run", now)
        return not now < hold <= now + MAX_GAP_MS

    async def prune(self) -> Counter[str]:
        """Delete everything that is old enough. Return how much, by kind. Raises Unavailable."""
        done: Counter[str] = Counter()
        for kind, prune in (("rooms", self._rooms), ("sessions", self._sessions), ("chat", self._chat)):
            count = await prune()
            if count:
                done[kind] = count
                log("pruned", kind=kind, count=count)
        return done

    def _before(self, days: float) -> int:
        """Return the time before which something is too old; 0 days keep everything."""
        return self._now() - int(days * DAY_MS) if days else 0

    @property
    def aborted_before(self) -> int:
        return self._before(self._settings.keep_aborted)

    @property
    def sessions_before(self) -> int:
        return self._before(self._settings.keep_sessions)

    async def _rooms(self) -> int:
        count = skipped = 0
        while True:
            limit = skipped + ROOMS_PER_BATCH
            found = await self._store.aborted_rooms(self.aborted_before, limit)
            rooms = [room for room in found if not self._is_loaded(room)]
            skipped = len(found) - len(rooms)
            if rooms:
                await self._store.delete_rooms(rooms)
                count += await self._batch_done("rooms", len(rooms))
            elif len(found) < limit:
                return count

    async def _sessions(self) -> int:
        count, now = 0, self._now()
        renewed, _ = await self._store.retention_mark("renewed")
        if abs(now - renewed) > DAY_MS:
            await self._store.renew_sessions(self._connected(), now, now - DAY_MS)
            await self._store.set_retention_mark("renewed", now)
        while deleted := await self._store.delete_sessions(self.sessions_before, SESSIONS_PER_BATCH):
            count += await self._batch_done("sessions", deleted)
        return count

    async def _chat(self) -> int:
        """Empty the chat lines of old games. The events stay, because a log has no gaps."""
        before = self._before(self._settings.keep_chat)
        count = 0
        after = await self._store.retention_mark("chat")
        while rooms := await self._store.ended_rooms(after, before, ROOMS_PER_BATCH):
            emptied = await self._empty_chat([room for _, room in rooms])
            after = rooms[-1]
            await self._store.set_retention_mark("chat", *after)
            count += await self._batch_done("chat", emptied)
        return count

    async def _empty_chat(self, rooms: list[str]) -> int:
        writes = []
        for room, seq, payload in await self._store.chat_of(rooms):
            event = decode_event(payload)
            if isinstance(event, Said) and event.text:
                empty = Said(room=event.room, seq=event.seq, at=event.at, name="", text="", seat=event.seat)
                writes.append(self._store.replace_event(room, seq, MSGPACK.encode(empty)))
        await asyncio.gather(*writes)
        return len(writes)

    async def _batch_done(self, kind: str, count: int) -> int:
        self._metrics.pruned[kind] += count
        self._on_batch(kind, count)
        await asyncio.sleep(self._pause_s)
        return count
