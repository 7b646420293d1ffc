"""The launch plan of a client: which server, which player, and what to open first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from shlex import join
from typing import Literal

from protocol.commands import Create, Join, Pair
from protocol.types import BotInfo, Options, TimeControl

NO_CLOCK = TimeControl()
BOT_AFTER_MS = 20_000  # quick pairing waits this long for a person, then accepts a house bot
Mode = Literal["lobby", "play", "join", "watch", "tv"]


@dataclass(frozen=True, slots=True)
class GameRequest:
    """A game to create or, with `pair`, to find by quick pairing.

    `vs` is the player to invite; if empty, any opponent may join. `vs_is_default` says that the user did not choose
    the opponent, so another one may replace it. With `pair`, a house bot is accepted after `bot_after` milliseconds.
    """

    game: str
    options: Options = field(default_factory=dict)
    clock: TimeControl = NO_CLOCK
    seat: int | None = None
    vs: str = ""
    vs_is_default: bool = False
    private: bool = False
    rated: bool = False
    pair: bool = False
    bot_after: int | None = None

    def with_available_bot(self, bots: Sequence[BotInfo]) -> GameRequest:
        """Replace a default opponent that is not connected: by a house bot if possible, preferably a search."""
        available = [bot for bot in bots if self.game in bot.plays]
        if not self.vs_is_default or any(bot.name == self.vs for bot in available):
            return self
        available.sort(key=lambda bot: (not bot.house, not bot.name.startswith("search")))
        return replace(self, vs=available[0].name if available else "")

    def command(self, id: int, bots_only: bool = False) -> Create | Pair:
        """Return the command that starts the game. `bots_only`: pair with a bot at once, as no person can join."""
        if self.pair:
            return Pair(
                id=id,
                game=self.game,
                options=self.options,
                clock=self.clock,
                rated=self.rated,
                bot_after=0 if bots_only else self.bot_after,
            )
        return Create(
            id=id,
            game=self.game,
            options=self.options,
            clock=self.clock,
            seat=self.seat,
            invite=self.vs,
            private=self.private,
            rated=self.rated,
        )


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """What to do at startup.

    An empty `url` means the server on this machine or, if there is none or with `private`, a private server.
    With `persistent`, a private server that is already in use is an error; otherwise a temporary one replaces it.
    `game`: show only this game on the TV. `voucher`: of the SSH service, if the client runs for an SSH client.
    """

    mode: Mode = "lobby"
    url: str = ""
    private: bool = False
    persistent: bool = False
    name: str = ""
    token: str = ""
    trust: str = ""
    voucher: str = ""
    request: GameRequest | None = None
    rooms: tuple[str, ...] = ()
    code: str = ""
    game: str = ""
    hotseat: bool = False

    def resume_command(self, private: bool) -> str:
        """Return the command that resumes an unfinished game. `private`: the game is on the private server.

        A token is a secret: the command has it from the environment.
        """
        if self.voucher:
            return "ssh -t HOST play"
        words = ["parlour", "play"]
        if self.hotseat and self.request is not None:
            seat = "" if self.request.seat is None else ("first", "second")[self.request.seat]
            words += [self.request.game, "--hotseat", *option("--vs", self.request.vs), *option("--seat", seat)]
        elif private:
            words += ["--private"] if self.private else []
        else:
            words += [*option("--url", self.url), *option("--tls-trust", self.trust)]
        words += option("--name", self.name)
        token = "PARLOUR_TOKEN=… " if self.token and not private else ""
        return f"{token}{join(words)}"

    @property
    def is_guest_over_ssh(self) -> bool:
        """Whether the player is forgotten at the end: such a guest has neither an account nor a file for its secret."""
        return bool(self.voucher and self.name)

    def record_command(self, command: str, room: str, private: bool) -> str:
        """Return the command that reads the record of a finished game. `private`: as for `resume_command`."""
        server = ["--private"] if private else [*option("--url", self.url), *option("--tls-trust", self.trust)]
        return join(["parlour", command, room, *server])

    def resigns_unfinished(self, bots_only: bool) -> bool:
        """Return whether a new game resigns the unfinished ones.

        It does on a private server: no person waits there, and the server has a limited number of rooms.
        """
        return bots_only and self.mode == "play"

    def command(self, id: int, bots_only: bool, bots: Sequence[BotInfo] = ()) -> Create | Pair | Join:
        """Return the command that takes a seat: in a new room or in a waiting one. `bots`: the connected bots."""
        assert self.request is not None
        if self.mode == "join":
            return Join(id=id, room=self.rooms[0], code=self.code, seat=self.request.seat)
        request = self.request if bots_only else self.request.with_available_bot(bots)
        return request.command(id, bots_only)


def option(name: str, value: str) -> list[str]:
    return [name, value] if value else []
