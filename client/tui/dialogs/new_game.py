"""The form for a new game."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input

from client.presentation.launch_plan import GameRequest
from client.presentation.texts import clock_text
from client.sdk.time_control import RATED_DEFAULT, parse_time_control
from client.tui.dialogs.base import Dialog
from client.tui.models.lobby_rooms import LobbyRooms
from client.tui.widgets.plain import PlainSelect, PlainText
from engine.errors import GameError
from engine.options import START
from engine.registry import GAMES, create
from protocol.types import Options

ANY_OPPONENT = ("Any opponent", "")
SEATS = (("Random side", "random"), ("Move first", "0"), ("Move second", "1"))
STAKES = [("Casual", "casual"), ("Rated (both players need an account)", "rated")]


class NewGame(Dialog[GameRequest | None]):
    """Returns the requested game, or None if the form is cancelled."""

    BINDINGS = [
        Binding("escape", "cancel", show=False),
        Binding("ctrl+s,f2", "submit", show=False, priority=True),
    ]

    def __init__(self, request: GameRequest, rooms: LobbyRooms) -> None:
        super().__init__()
        self._request, self._rooms = request, rooms

    def compose(self) -> ComposeResult:
        request = self._request
        games = [(game.title, name) for name, game in GAMES.items()]
        opponents = self._opponents(request.game)
        with Vertical(classes="box"):
            yield PlainText("New game", classes="title")
            seat = "random" if request.seat is None else str(request.seat)
            stakes = "rated" if request.rated else "casual"
            options = " ".join(f"{k}={v}" for k, v in request.options.items())
            yield from field("Game", PlainSelect(games, request.game, id="game"))
            yield from field("Opponent", PlainSelect(opponents, request.vs, id="vs"))
            yield from field("Side", PlainSelect(SEATS, seat, id="seat"))
            yield from field("Stakes", PlainSelect(STAKES, stakes, id="stakes"))
            yield from field("Clock", Input(clock_text(request.clock), id="clock", compact=True))
            yield PlainText("none, 5+3, 90s+1 or 10/move", classes="explanation")
            yield from field("Options", Input(options, id="options", compact=True))
            yield PlainText(options_label(request.game), id="choices", classes="explanation")
            yield PlainText(id="wrong")
            yield PlainText("tab: next field   ctrl+s: start   esc: cancel", classes="keys")

    def _opponents(self, game: str) -> list[tuple[str, str]]:
        names = self._rooms.bots_for(game)
        if self._request.vs and self._request.vs not in names:
            names.append(self._request.vs)
        return [ANY_OPPONENT, *((name, name) for name in names)]

    def on_select_changed(self, event: PlainSelect.Changed) -> None:
        if event.select.id == "game":
            versus = self.query_one("#vs", PlainSelect)
            before, opponents = versus.value, self._opponents(str(event.value))
            versus.set_choices(opponents)
            versus.value = before if (before, before) in opponents else ""
            self.query_one("#choices", PlainText).update(options_label(str(event.value)))

    def on_input_submitted(self) -> None:
        self.action_submit()

    def action_cancel(self) -> None:
        self.dismiss(None)

    def action_submit(self) -> None:
        try:
            self.dismiss(self.requested())
        except GameError as error:
            self.query_one("#wrong", PlainText).update(str(error))

    def requested(self) -> GameRequest:
        """Return the game described by the form. Raises GameError if an option or the clock is invalid."""
        game, vs = str(self.query_one("#game", PlainSelect).value), str(self.query_one("#vs", PlainSelect).value)
        seat = str(self.query_one("#seat", PlainSelect).value)
        options = read_options(self.query_one("#options", Input).value)
        create(game, options)
        clock = parse_time_control(self.query_one("#clock", Input).value or "none")
        rated = str(self.query_one("#stakes", PlainSelect).value) == "rated"
        if rated and clock.kind == "none":
            raise GameError(f"a rated game needs a clock, such as {RATED_DEFAULT}")
        return GameRequest(game, options, clock, None if seat == "random" else int(seat), vs, rated=rated)


def field(label: str, widget: Widget) -> ComposeResult:
    """Yield a line of the form: a label and the widget that it belongs to."""
    with Horizontal(classes="field"):
        yield PlainText(label, classes="label")
        yield widget


def options_label(game: str) -> str:
    """Return the options of a game with their defaults, without the start position, which is too long."""
    defaults = [f"{option.name}={option.default}" for option in GAMES[game].options if option is not START]
    return f"default: {' '.join(defaults)}" if defaults else "this game has none"


def read_options(text: str) -> Options:
    """Parse `NAME=VALUE NAME=VALUE`. Raises GameError if a word has another form."""
    options: Options = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise GameError(f"{word[:30]!r} is not an option: write NAME=VALUE")
        options[name] = value
    return options
