"""Chat limits: how many lines players and watchers may send to a room."""

from __future__ import annotations

from runtime.token_bucket import TokenBucket, TokenBuckets
from server.config import Settings
from server.domain.decision import Refusal
from server.rooms.client import Client, player_of
from server.rooms.live_room import LiveRoom
from server.rooms.status import RETRY_AFTER_S
from server.rooms.timers import Now

MAX_QUEUED_FOR_CHAT = 16  # commands in a room's queue: then chat is refused, so that moves do not wait for it
WATCHERS_PER_BUDGET = 4  # a watcher may use this part of what all watchers of a room have together


class ChatBudget:
    """The chat lines that may still be sent to one room."""

    __slots__ = ("all_watchers", "players", "watchers")

    def __init__(self, rate: float, burst: int, now_s: float) -> None:
        self.players = TokenBuckets(rate, burst)  # by player
        self.watchers = TokenBuckets(rate / WATCHERS_PER_BUDGET, burst / WATCHERS_PER_BUDGET)
        self.all_watchers = TokenBucket(rate, burst, now_s)

    def wait(self, player: str, seated: bool, now_s: float) -> float:
        """Count a line and return 0.0, or return the seconds until there may be one."""
        if seated:
            return self.players.of(player, now_s).wait(now_s)
        own = self.watchers.of(player, now_s)
        return own.wait(now_s) or self._take_shared(own, now_s)

    def _take_shared(self, own: TokenBucket, now_s: float) -> float:
        seconds = self.all_watchers.wait(now_s)
        if seconds:
            own.tokens += 1.0  # the line is refused
        return seconds


class ChatLimits:
    """Refuses chat lines that would cost the players of a room: time, memory, or their connections."""

    def __init__(self, settings: Settings, now: Now) -> None:
        self._rate, self._burst, self._max_lines = settings.chat_rate, settings.chat_burst, settings.chat_lines
        self._max_chars, self._max_backlog = settings.text_length, settings.send_buffer // 4
        self._now = now

    def check(self, live: LiveRoom, client: Client, text: str) -> None:
        """Count a line that a client wants to send to a room. Raises Refusal if it may not."""
        if live.room.id not in client.rooms:
            raise Refusal("not_seated", "join the room or watch it first")
        if len(text) > self._max_chars:
            raise Refusal("too_long", f"a chat line has at most {self._max_chars} characters")
        if not text.strip() or not text.isprintable():
            raise Refusal("bad_request", "a chat line may have only printable characters")
        seated = live.seat_of(client) is not None
        if live.room.chat_counts[0 if seated else 1] >= self._max_lines:
            whose = "players" if seated else "watchers"
            raise Refusal("bad_request", f"the chat is full: a room keeps at most {self._max_lines} lines of {whose}")
        if len(live.queue) >= MAX_QUEUED_FOR_CHAT or (not seated and self._has_slow_player(live)):
            raise Refusal("rate_limited", "this room is busy; try again in a moment", retry_after=RETRY_AFTER_S)
        now_s = self._now() / 1000
        if live.chat is None:
            live.chat = ChatBudget(self._rate, self._burst, now_s)
        seconds = live.chat.wait(player_of(client).id, seated, now_s)
        if seconds:
            text = f"too many chat lines: wait {seconds:.1f} seconds"
            raise Refusal("rate_limited", text, retry_after=seconds)

    def _has_slow_player(self, live: LiveRoom) -> bool:
        """Return whether a player has much to read: watchers must not be the reason for a disconnect."""
        return any(client.backlog() > self._max_backlog for clients in live.players for client in clients)
