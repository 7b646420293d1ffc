"""A new game: which, against whom, with what clock and options, on which side."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.widgets import Input, Select, Static

from client.presentation.launch_plan import GameRequest
from client.presentation.texts import clock_text
from client.sdk.time_control import parse_time_control
from client.tui.dialogs.base import Dialog
from client.tui.models.lobby_rooms import LobbyRooms
from engine.errors import GameError
from engine.options import START
from engine.registry import GAMES, create
from protocol.types import Options

ANYBODY = "(anybody)"
SEATS = (("draw lots", "lots"), ("move first", "0"), ("move second", "1"))
STAKES = [("casual", "casual"), ("rated: for two names with a token", "rated")]


class NewGame(Dialog[GameRequest | None]):
    BINDINGS = [
        Binding("escape", "give_up", show=False),
        Binding("ctrl+s,f2", "done", show=False, priority=True),
    ]

    def __init__(self, request: GameRequest, rooms: LobbyRooms) -> None:
        super().__init__()
        self._request, self._rooms = request, rooms

    def compose(self) -> ComposeResult:
        request = self._request
        games = [(game.title, name) for name, game in GAMES.items()]
        with Vertical(classes="box"):
            yield Static("A new game", markup=False)
            yield Select(games, value=request.game, allow_blank=False, id="game", compact=True)
            yield Static("against", classes="label", markup=False)
            yield Select(
                self._opponents(request.game), value=request.vs or ANYBODY, allow_blank=False, id="vs", compact=True
            )
            yield Static("clock: none, 5+3, 90s+1, 10/move", classes="label", markup=False)
            yield Input(clock_text(request.clock), id="clock", compact=True)
            seat = "lots" if request.seat is None else str(request.seat)
            yield Static(options_label(request.game), id="choices", classes="label", markup=False)
            yield Input(" ".join(f"{k}={v}" for k, v in request.options.items()), id="options", compact=True)
            yield Select(SEATS, value=seat, allow_blank=False, id="seat", compact=True)
            stakes = "rated" if request.rated else "casual"
            yield Select(STAKES, value=stakes, allow_blank=False, id="stakes", compact=True)
            yield Static("", id="wrong", markup=False)
            yield Static("tab: next   ctrl+s: start   esc: not now", classes="keys", markup=False)

    def _opponents(self, game: str) -> list[tuple[str, str]]:
        names = [ANYBODY, *self._rooms.bots_for(game)]
        if self._request.vs and self._request.vs not in names:
            names.append(self._request.vs)
        return [(name, name) for name in names]

    def on_select_changed(self, event: Select.Changed) -> None:
        if event.select.id == "game":
            versus = self.query_one("#vs", Select)
            before, names = versus.value, self._opponents(str(event.value))
            versus.set_options(names)
            versus.value = before if (before, before) in names else ANYBODY
            self.query_one("#choices", Static).update(options_label(str(event.value)))

    def on_input_submitted(self) -> None:
        self.action_done()

    def action_give_up(self) -> None:
        self.dismiss(None)

    def action_done(self) -> None:
        try:
            self.dismiss(self.chosen())
        except GameError as error:
            self.query_one("#wrong", Static).update(str(error))

    def chosen(self) -> GameRequest:
        """GameError says what cannot be."""
        game, vs = str(self.query_one("#game", Select).value), str(self.query_one("#vs", Select).value)
        seat = str(self.query_one("#seat", Select).value)
        options = read_options(self.query_one("#options", Input).value)
        create(game, options)
        return GameRequest(
            game,
            options,
            parse_time_control(self.query_one("#clock", Input).value or "none"),
            None if seat == "lots" else int(seat),
            "" if vs == ANYBODY else vs,
            rated=str(self.query_one("#stakes", Select).value) == "rated",
        )


def options_label(game: str) -> str:
    """What can be chosen; a position to start from is too long for that."""
    usual = [f"{option.name}={option.default}" for option in GAMES[game].options if option is not START]
    return f"options, like {' '.join(usual)}" if usual else "it has no options"


def read_options(text: str) -> Options:
    options: Options = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise GameError(f"an option is written NAME=VALUE, not {word[:30]!r}")
        options[name] = value
    return options
