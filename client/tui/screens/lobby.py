"""The lobby: rooms and bots, and the keys to join, watch and challenge."""

from __future__ import annotations

from dataclasses import replace

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Input

from client.presentation.launch_plan import BOT_AFTER_MS, GameRequest
from client.presentation.texts import counted, invited_text
from client.sdk.events import Connected, SessionEvent
from client.tui.dialogs.choice import Choice
from client.tui.dialogs.help import Help
from client.tui.dialogs.leaderboard import Leaderboard
from client.tui.dialogs.new_game import NewGame
from client.tui.models.lobby_rooms import LobbyRooms, LobbyRow, Section, best_players, own_games
from client.tui.render.bars import Keys, Status
from client.tui.screens.base import Action
from client.tui.screens.following import FollowingScreen
from client.tui.screens.rules import RulesScreen
from client.tui.screens.table_keys import LOBBY_HELP, LOBBY_HELP_TITLE
from client.tui.widgets.bars import Footer, Header
from client.tui.widgets.game_preview import GamePreview
from client.tui.widgets.lobby_list import LobbyList
from client.tui.widgets.plain import PlainText
from engine.registry import GAMES
from protocol.commands import History, Lobby
from protocol.commands import Leaderboard as BestPlayers
from protocol.replies import Invited, LobbyUpdate, Ok
from protocol.types import BotInfo

DEFAULT_GAME = next(iter(GAMES))
MAX_FINISHED_GAMES = 100
MAX_OWN_GAMES = 4
MAX_BEST_PLAYERS = 4
LARGE_SIZE = (120, 40)  # from this size on, there are two more boards
REST_S = 0.15  # how long the cursor rests on a game before it is watched
UPDATE_INTERVAL_S = 0.2
PAGE_ROWS = 10
WAIT_FOR_PLAYER = f"Any player; after {BOT_AFTER_MS // 1000} s a bot"
HOW_TO_JOIN = "select it and press enter"
KEYS = (
    Keys("↑↓", "choose"),
    Keys("enter", "open"),
    Keys("ctrl+n", "new game"),
    Keys("F1", "rules"),
    Keys("ctrl+f", "opponent"),
    Keys("ctrl+g", "tv"),
    Keys("ctrl+l", "ratings"),
    Keys("?", "all keys"),
    Keys("esc", "leave"),
)


class LobbyScreen(FollowingScreen):
    """Lists rooms and bots, with live boards beside them. Typing filters the list.

    Only the games on the screen are watched, and only while the cursor rests on them.
    """

    filter: Input
    listing: LobbyList
    _previews: list[GamePreview]
    _more: Horizontal

    def __init__(self) -> None:
        super().__init__()
        self.rooms = LobbyRooms()
        self._own = own_games((), "")
        self._best: dict[str, Section] = {}  # game -> its best players, once they are known
        self._resting: Timer | None = None  # fires when the cursor has rested on a row

    def compose_content(self) -> ComposeResult:
        appearance = self.client.appearance
        self.filter = Input(placeholder="type to filter", id="filter", compact=True, select_on_focus=False)
        self.listing = LobbyList(appearance)
        chosen, *more = (GamePreview(appearance, id=name) for name in ("chosen-game", "more-1", "more-2"))
        self._previews = [chosen, *more]
        self._more = Horizontal(*more, id="more-games")
        yield Header(appearance, ["Parlour", "Lobby"])
        with Horizontal(id="lobby"):
            with Vertical(id="list"):
                with Horizontal(id="search"):
                    yield PlainText("> " if appearance.ascii_only else "▸ ", id="prompt")
                    yield self.filter
                yield self.listing
            with Vertical(id="previews"):
                yield chosen
                yield self._more
        yield Footer(appearance, KEYS)

    def set_up(self) -> None:
        self.call_after_refresh(self.filter.focus)  # it keeps the focus; on_key passes the arrows on
        self.client.send(Lobby(id=self.client.next_id(), on=True))
        self.set_interval(UPDATE_INTERVAL_S, self._tick)
        self._load_own_games()
        self.show_notice(self.client.invitation and f"{self.client.invitation}: {HOW_TO_JOIN}")

    @property
    def rows(self) -> list[LobbyRow]:
        """The rows that can be chosen."""
        return self.listing.rows

    def selected(self) -> LobbyRow | None:
        return self.listing.chosen

    @property
    def _is_large(self) -> bool:
        return self.size.width >= LARGE_SIZE[0] and self.size.height >= LARGE_SIZE[1]

    # -- what is shown

    def receive(self, event: SessionEvent) -> None:
        if isinstance(event, LobbyUpdate):
            self.rooms.update(event)
            self.update_rows()
        elif isinstance(event, Invited):
            self.show_notice(f"{invited_text(event)}: {HOW_TO_JOIN}")
        elif isinstance(event, Connected):
            self.show_notice("")
        room = getattr(event, "room", None)
        if isinstance(room, str) and room in self.followed:
            self._show_previews()

    def update_rows(self) -> None:
        """Update the list and the boards beside it."""
        sections = self.rooms.sections(self.filter.value)
        if self.size.height >= LARGE_SIZE[1] and self.rooms.finished is None:
            extra = [self._own, self._best.get(self._selected_game())]
            sections += [section for section in extra if section is not None and section.rows]
        self.listing.show(sections)
        self._update_title()
        self._show_previews()

    def _update_title(self) -> None:
        rooms, bots = self.rooms.count()
        text = f"{counted(rooms, 'room')}, {counted(bots, 'bot')}"
        if self.rooms.finished is not None:
            text = counted(len(self.rooms.finished), "finished game")
        parts = ["Parlour", "Lobby", *filter(None, [self.client.place])]
        self.query_one(Header).show(parts, f"{self.client.player}  ·  {text}" if self.client.player else text)

    def _previewed(self) -> list[LobbyRow | None]:
        """Return the chosen row and, in a large terminal, two more live games."""
        chosen = self.selected()
        if not self._is_large:
            return [chosen]
        live = [row for row in self.rows if row.room is not None and row.room.status == "running"]
        more = [row for row in live if row != chosen][:2]
        return [chosen, *more, *[None] * (2 - len(more))]

    def _watched(self) -> list[str]:
        """Return the previewed games that have a board to watch."""
        rooms = [row.room for row in self._previewed() if row is not None and row.room is not None]
        return [room.room for room in rooms if room.status != "waiting"]

    def _show_previews(self) -> None:
        for preview, row in zip(self._previews, self._previewed(), strict=False):
            room = None if row is None else row.room
            preview.show(row, None if room is None else self.client.table(room.room))
        watched = self._watched()
        self.follow_only([room for room in self.followed if room in watched])
        if watched != self.followed and self._resting is None:
            self._resting = self.set_timer(REST_S, self.follow_previews)

    def follow_previews(self) -> None:
        """Watch the games beside the list. Called when the cursor has rested on a row."""
        self._resting = None
        if not self.is_covered:
            self.follow_only(self._watched(), self._refuse)
            self._load_best(self._selected_game())

    def _refuse(self, room: str, reason: str) -> None:
        """Drop a room that does not exist any more."""
        self.rooms.remove(room)
        self.update_rows()

    def on_lobby_list_chosen(self) -> None:
        if self._resting is not None:
            self._resting.stop()
            self._resting = None
        self._show_previews()

    def on_lobby_list_opened(self) -> None:
        self.enter()

    def on_screen_suspend(self) -> None:
        """Watch nothing while another screen covers the lobby. Dialogs do not."""
        if self.is_covered:
            self.follow_only(())

    def on_screen_resume(self) -> None:
        if self.ready:
            self._load_own_games()
            self.update_rows()

    def _tick(self) -> None:
        if not self.is_covered:
            for preview in self._previews:
                preview.tick()

    def _load_own_games(self) -> None:
        def show(ok: Ok) -> None:
            self._own = own_games(ok.rooms or (), player)
            self.update_rows()

        player = self.client.player
        if player and self.size.height >= LARGE_SIZE[1]:
            self.client.send(History(id=self.client.next_id(), player=player, limit=MAX_OWN_GAMES), show)

    def _load_best(self, game: str) -> None:
        def show(ok: Ok) -> None:
            self._best[game] = best_players(game, ok.leaders or ())
            self.update_rows()

        if game not in self._best and self.size.height >= LARGE_SIZE[1]:
            self._best[game] = best_players(game, ())
            self.client.send(BestPlayers(id=self.client.next_id(), game=game, limit=MAX_BEST_PLAYERS), show)

    def repaint(self) -> None:
        for widget in self.query("Bar, LobbyList, GamePreview"):
            widget.appearance = self.client.appearance  # type: ignore[attr-defined]
            widget.refresh()
        self._more.display = self._is_large
        self.update_rows()

    def show_notice(self, text: str) -> None:
        self.query_one(Footer).show(Status(self.client.connection or text))

    def connection_changed(self) -> None:
        self.show_notice("")

    # -- keys

    def on_input_changed(self, event: Input.Changed) -> None:
        if event.value.endswith("?"):
            event.input.value = event.value[:-1]
            self.help()
            return
        self.update_rows()

    def on_key(self, event: events.Key) -> None:
        match event.key:
            case "up" | "down":
                self.listing.move(-1 if event.key == "up" else 1)
            case "pageup" | "pagedown":
                self.listing.move(-PAGE_ROWS if event.key == "pageup" else PAGE_ROWS)
            case "ctrl+n":
                self.new_game(GameRequest(DEFAULT_GAME))
            case "ctrl+f":
                self.quick_pair()
            case "ctrl+o":
                self.enter(watch=True)
            case "ctrl+l":
                self.leaderboard()
            case "ctrl+g":
                self.watch_tv()
            case "ctrl+r":
                self.finished_games()
            case "f1":
                self.rules()
            case "escape":
                self._escape()
            case _:
                return
        event.stop()
        event.prevent_default()

    def _escape(self) -> None:
        field = self.filter
        if field.value:
            field.value = ""
        elif self.rooms.finished is not None:
            self.finished_games()
        else:
            self.client.leave_screen()

    def on_input_submitted(self) -> None:
        self.enter()

    # -- actions

    def actions(self) -> list[Action]:
        return [
            Action("Join, watch or challenge the selected line", "enter", self.enter),
            Action("New game", "ctrl+n", lambda: self.new_game(GameRequest(DEFAULT_GAME))),
            Action("Find an opponent", "ctrl+f", self.quick_pair),
            Action("Watch the selected game", "ctrl+o", lambda: self.enter(watch=True)),
            Action("TV: watch live games side by side", "ctrl+g", self.watch_tv),
            Action("Show finished games, or the lobby again", "ctrl+r", self.finished_games),
            Action("Show the leaderboard", "ctrl+l", self.leaderboard),
            Action("Show the rules", "F1", self.rules),
            Action("Change the colours", "", self.client.cycle_theme),
            Action("Show all keys", "?", self.help),
            Action("Leave", "esc", self.client.leave_screen),
        ]

    def rules(self) -> None:
        self.app.push_screen(RulesScreen(self._selected_game()))

    def help(self) -> None:
        self.app.push_screen(Help(LOBBY_HELP_TITLE, LOBBY_HELP))

    def enter(self, *, watch: bool = False) -> None:
        """Join or watch the selected room, or challenge the selected bot."""
        row = self.selected()
        if row is None:
            self.show_notice("Nothing is selected; ctrl+n starts a new game")
        elif row.bot is not None:
            self.challenge(row.bot)
        elif row.room is not None:
            if row.room.status == "waiting" and not watch:
                self.client.join(row.room.room)
            else:
                self.client.watch_rooms((row.room.room,))

    def challenge(self, bot: BotInfo) -> None:
        game = next((game for game in bot.plays if game in GAMES), None)
        if game is None:
            self.show_notice("This client does not know the games of this bot")
        else:
            self.new_game(GameRequest(game, vs=bot.name))

    def new_game(self, request: GameRequest) -> None:
        def submitted(request: GameRequest | None) -> None:
            if request is not None:
                self.client.start_game(request)

        self.app.push_screen(NewGame(request, self.rooms), submitted)

    def quick_pair(self) -> None:
        """Find an opponent for the game of the selected row: a player who waits, else the user chooses."""
        row = self.selected()
        request = GameRequest(self._selected_game())
        if row is not None and row.room is not None:
            room = row.room
            request = GameRequest(room.game, room.options, room.clock, rated=room.rated)
        pairing = replace(request, pair=True, bot_after=BOT_AFTER_MS)
        bots = [] if request.rated else self.rooms.opponents(request.game)
        choices = [replace(request, vs=name) for name, _ in bots]
        texts = [f"{name} ({strength})" if strength else name for name, strength in bots]
        if not self.client.bots_only:
            choices, texts = [pairing, *choices], [WAIT_FOR_PLAYER, *texts]
        if len(choices) == 1 or self.rooms.has_seeker(request.game):
            self.client.start_game(pairing)
        elif not choices:
            self.show_notice("No bot plays this game here. ctrl+n starts another game.")
        else:

            def chosen(number: int | None) -> None:
                if number is not None:
                    self.client.start_game(choices[number])

            self.app.push_screen(Choice(f"{GAMES[request.game].title}: your opponent?", texts), chosen)

    def finished_games(self) -> None:
        """Switch between the lobby and the latest finished games."""

        def show(ok: Ok) -> None:
            self.rooms.finished = ok.rooms or ()
            self.update_rows()

        if self.rooms.finished is None:
            self.client.send(History(id=self.client.next_id(), limit=MAX_FINISHED_GAMES), show)
        else:
            self.rooms.finished = None
            self.update_rows()

    def leaderboard(self) -> None:
        """Show the leaderboard for the game and the options of the selected row."""
        row = self.selected()
        options = {} if row is None or row.room is None else row.room.options
        self.app.push_screen(Leaderboard(self._selected_game(), options))

    def _selected_game(self) -> str:
        """Return the game of the selected room, the first game of the selected bot, or the default game."""
        row = self.selected()
        if row is not None and row.room is not None:
            return row.room.game
        return row.bot.plays[0] if row is not None and row.bot is not None and row.bot.plays else DEFAULT_GAME

    def watch_tv(self) -> None:
        self.client.watch_live()
