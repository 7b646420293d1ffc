"""The keys of a table, with what they do: the screen acts by this list and the help page shows it."""

from __future__ import annotations

from typing import NamedTuple


class Key(NamedTuple):
    keys: tuple[str, ...]  # as Textual names them
    action: str
    shown: str
    meaning: str


TABLE_KEYS = (
    Key(("up", "down", "left", "right"), "arrow", "arrows", "go to a square; not playing: step through the moves"),
    Key(("enter",), "enter", "enter", "pick the square, play the move"),
    Key((), "", "{move}", "type a move, then enter; not playing: the number of one"),
    Key(("escape",), "escape", "esc", "let go of the square, the text, the move in advance"),
    Key(("pageup", "comma"), "back", "pgup ,", "one move back"),
    Key(("pagedown", "full_stop"), "forward", "pgdn .", "one move on"),
    Key(("home",), "first", "home", "to the start of the game"),
    Key(("end",), "live", "end", "to the newest move, and on with the game"),
    Key(("space",), "autoplay", "space", "play the moves of a finished game by themselves"),
    Key(("s",), "hint", "s w", "a hint, the best move with its line: casual games against bots"),
    Key(("w",), "best", "", ""),
    Key(("o",), "draw", "o", "offer a draw"),
    Key(("u",), "takeback", "u", "ask to take your last move back"),
    Key(("y",), "accept", "y n", "answer an offer of your opponent"),
    Key(("n",), "decline", "", ""),
    Key(("r",), "resign", "r z", "resign; abort, before the second move"),
    Key(("z",), "abort", "", ""),
    Key(("m",), "rematch", "m", "another game, seats swapped"),
    Key(("v",), "claim", "v", "claim the game from an opponent who has gone"),
    Key(("t",), "talk", "t", "say something"),
    Key(("x",), "flip", "x p", "turn the board, other colours"),
    Key(("p",), "theme", "", ""),
    Key(("question_mark", "f1"), "help", "?", "this page"),
    Key(("q",), "leave", "q", "leave; asks first in a game that goes on, ctrl+c does not"),
)
ACTIONS = {key: entry.action for entry in TABLE_KEYS for key in entry.keys}

LOBBY_HELP = (
    ("typing", "shows only rooms and bots with that text"),
    ("up, down", "choose a line"),
    ("enter", "sit down, watch, or challenge the bot of the line"),
    ("ctrl+o", "watch the room of the line"),
    ("ctrl+n", "a new game"),
    ("ctrl+p", "quick pairing: the same game with whoever comes"),
    ("ctrl+l", "the leaderboard of the line's game; left and right: others"),
    ("ctrl+g", "a wall with all games that run"),
    ("ctrl+r", "finished games, to look through; again: back"),
    ("esc", "empty the text; leave when it is empty"),
    ("?", "this page. eyes: watchers; 1620?: a rating not certain yet"),
)
WALL_HELP = (
    ("tab", "the next board; shift+tab: the one before; so do the arrows"),
    ("enter", "open the game; there, q brings you back"),
    ("mouse", "click on a board to open it, turn the wheel for more of them"),
    ("p", "other colours"),
    ("?", "this page"),
    ("q, esc", "back"),
)


def table_help(move: str) -> list[tuple[str, str]]:
    """`move`: what one appearance like in this game."""
    return [(entry.shown.format(move=move), entry.meaning) for entry in TABLE_KEYS if entry.shown]
