"""The keys of the screens and their help texts. The table screen acts on this list."""

from __future__ import annotations

from typing import NamedTuple

from client.tui.render.bars import Keys


class Key(NamedTuple):
    """Keys with the same action, a line of the help page (none if `shown` is empty), and a name for the palette."""

    keys: tuple[str, ...]  # as Textual names them
    action: str
    shown: str
    meaning: str
    name: str = ""

    @property
    def key(self) -> str:
        """The first key as it is written on the screen."""
        return WRITTEN_KEYS.get(self.keys[0], self.keys[0])


WRITTEN_KEYS = {
    "escape": "esc",
    "pageup": "pgup",
    "pagedown": "pgdn",
    "f1": "F1",
    "f2": "F2",
    "f3": "F3",
    "question_mark": "?",
}
TABLE_KEYS = (
    Key(("up", "down", "left", "right"), "arrow", "arrows", "move the cursor; when not playing: step through moves"),
    Key(("enter",), "enter", "enter", "pick the square, play the move", "Pick the square, or play the move"),
    Key((), "", "{move}", "type a move, then enter; when not playing: a move number"),
    Key(
        ("escape",),
        "escape",
        "esc",
        "clear the text, the picked square or the premove",
        "Clear the choice",
    ),
    Key(("pageup", "comma"), "back", "pgup ,", "one move back", "One move back"),
    Key(("pagedown", "full_stop"), "forward", "pgdn .", "one move forward", "One move forward"),
    Key(("home",), "first", "home", "go to the start of the game", "Go to the start of the game"),
    Key(("end",), "live", "end", "go to the latest move and follow the game", "Go to the latest move"),
    Key(
        ("space",),
        "autoplay",
        "space F3",
        "replay a finished game; let the server review it",
        "Replay the finished game",
    ),
    Key(("f3",), "review", "", "", "Let the server review the finished game"),
    Key(("f2",), "mistake", "", "", "Go to the next mistake of a reviewed game"),
    Key(("s",), "hint", "s w", "hint; best move (enter plays it, w again: its numbers)", "Show a hint"),
    Key(("w",), "best", "", "", "Show the best move"),
    Key(("o",), "draw", "o", "offer a draw", "Offer a draw"),
    Key(("u",), "takeback", "u", "ask to take back your last move", "Ask to take back your last move"),
    Key(("y",), "accept", "y n", "accept or decline an offer", "Accept the offer"),
    Key(("n",), "decline", "", "", "Decline the offer"),
    Key(("R",), "resign", "R Z", "resign; abort (before the second move); both ask first", "Resign the game"),
    Key(("Z",), "abort", "", "", "Abort the game"),
    Key(("m",), "rematch", "m", "offer a rematch with sides swapped", "Offer a rematch, or follow to it"),
    Key(("v",), "claim", "v", "claim the game if your opponent has left", "Claim the game from an absent opponent"),
    Key(("t",), "chat", "t", "chat", "Chat"),
    Key(("x",), "flip", "x p", "turn the board, change the colours", "Turn the board"),
    Key(("p",), "theme", "", "", "Change the colours"),
    Key(("f1",), "rules", "F1", "show the rules of the game", "Show the rules"),
    Key(("question_mark",), "help", "?", "show this page", "Show all keys"),
    Key((), "", "ctrl+p", "find any of these by its name"),
    Key(("q",), "leave", "q", "leave (asks first during a game; ctrl+c does not)", "Leave the table"),
)
ACTIONS = {key: entry.action for entry in TABLE_KEYS for key in entry.keys}

HINT_KEY = Keys("s", "hint")
TAKEBACK_KEY = Keys("u", "take back")
REVIEW_KEY = Keys("F3", "review")
PLAYING_KEYS = (  # the most important first: the others drop in a narrow terminal
    Keys("←↑↓→", "choose"),
    Keys("enter", "play"),
    HINT_KEY,
    TAKEBACK_KEY,
    Keys("R", "resign"),
    Keys("F1", "rules"),
    Keys("o", "draw"),
    Keys("t", "chat"),
    Keys("?", "all keys"),
    Keys("q", "leave"),
)
BROWSING_KEYS = (
    Keys("←→", "look through"),
    Keys("end", "latest"),
    Keys("t", "chat"),
    Keys("x", "turn"),
    Keys("F1", "rules"),
    Keys("?", "all keys"),
    Keys("q", "leave"),
)
ENDED_KEYS = (
    Keys("m", "rematch"),
    Keys("←→", "look through"),
    REVIEW_KEY,
    Keys("space", "replay"),
    Keys("t", "chat"),
    Keys("F1", "rules"),
    Keys("?", "all keys"),
    Keys("q", "leave"),
)
WATCHED_KEYS = ENDED_KEYS[1:]  # of a watcher, who cannot offer a rematch
RESULT_KEYS = (
    Keys("m", "rematch"),
    Keys("←→", "look through"),
    REVIEW_KEY,
    Keys("space", "replay"),
    Keys("q", "leave"),
)
RECORD_KEYS = (
    Keys("←→", "look through"),
    Keys("space", "play"),
    Keys("home", "start"),
    Keys("end", "end"),
    Keys("x", "turn"),
    Keys("p", "colours"),
    Keys("F1", "rules"),
    Keys("?", "all keys"),
    Keys("q", "leave"),
)
RECORD_ACTIONS = ("back", "forward", "first", "live", "autoplay", "mistake", "flip", "theme", "rules", "help", "leave")
OFFER_KEYS = (
    Keys("y", "accept"),
    Keys("n", "decline"),
    Keys("enter", "a move declines too"),
    Keys("?", "all keys"),
    Keys("q", "leave"),
)
TABLE_HELP_TITLE = "Keys during a game"
LOBBY_HELP_TITLE = "Keys in the lobby"
LOBBY_HELP = (
    ("typing", "filter rooms and bots"),
    ("up, down", "select a row"),
    ("enter", "join or watch the room, or challenge the bot"),
    ("ctrl+o", "watch the room"),
    ("ctrl+n", "start a new game"),
    ("ctrl+f", "find an opponent for the selected game: a player, or a bot"),
    ("ctrl+l", "show the leaderboard; left and right: other games"),
    ("ctrl+g", "TV: watch live games side by side"),
    ("ctrl+r", "show finished games; again: back to the lobby"),
    ("F1", "show the rules of the games"),
    ("ctrl+p", "find any of these by its name, and change the colours"),
    ("esc", "clear the filter; quit if it is empty"),
    ("?", "show this page (1620? in the list is a provisional rating)"),
)
TV_HELP_TITLE = "Keys for several games"
TV_HELP = (
    ("arrows, tab", "choose a game; shift+tab: back"),
    ("enter, click", "open the game; q returns to all games"),
    ("1 4 9", "the number of boards; 9 needs a terminal of 120 x 40"),
    ("space", "keep showing these games; again: follow live games"),
    ("pgdn, pgup", "other games"),
    ("g", "on the TV: only one game, the next one, all"),
    ("p", "change the colours"),
    ("F1", "show the rules of the games"),
    ("ctrl+p", "find any of these by its name"),
    ("?", "show this page"),
    ("q, esc", "back to the screen before, or quit"),
)


RECORD_HELP_TITLE = "Keys in a record"
RECORD_HELP = (
    ("arrows", "one move back or forward; also pgup and pgdn"),
    ("17", "type the number of a move, then enter"),
    ("home end", "go to the start or to the last move"),
    ("space", "play through the game"),
    ("F2", "go to the next mistake of a reviewed game"),
    ("x p", "turn the board, change the colours"),
    ("F1", "show the rules of the game"),
    ("ctrl+p", "find any of these by its name"),
    ("?", "show this page"),
    ("q", "leave"),
)


def table_help(move: str) -> list[tuple[str, str]]:
    """Return the help page of a table. `move` is an example of a move."""
    return [(entry.shown.format(move=move), entry.meaning) for entry in TABLE_KEYS if entry.shown]
