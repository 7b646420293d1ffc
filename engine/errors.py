"""Errors caused by user input. Every message is one sentence that can be shown to the user unchanged."""

from __future__ import annotations


class GameError(ValueError):
    """Base class of all errors caused by user input."""


class InvalidOption(GameError):
    """Unknown option, or a value that the option does not accept."""


class UnknownGame(InvalidOption):
    """The name of a game that is not installed, or is refused. `game` has the name."""

    def __init__(self, message: str, game: str) -> None:
        super().__init__(message)
        self.game = game


class InvalidPosition(GameError):
    """Text that is not a position of this game."""


class InvalidNotation(GameError):
    """Text that is not a move of this game. The message says which form is expected."""


class IllegalMove(GameError):
    """Well-formed move that is not legal in this position. `legal` lists the legal moves."""

    def __init__(self, message: str, legal: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.legal = legal


class InvalidRecord(GameError):
    """Text that is not a record of a game, or a record whose moves or result contradict the rules."""


def shorten(text: str, limit: int = 60) -> str:
    """Return untrusted text, cut to a length that fits an error message."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
