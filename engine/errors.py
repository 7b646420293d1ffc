"""The mistakes a user of the engine can make. Every text is one sentence that can be shown as it is."""

from __future__ import annotations


class GameError(ValueError):
    """A user's mistake."""


class InvalidOption(GameError):
    """An option that does not exist, or a value it cannot have."""


class InvalidPosition(GameError):
    """The text is no position of this game."""


class InvalidNotation(GameError):
    """The text is no move of this game at all; the message says what form is expected."""


class IllegalMove(GameError):
    """The move is well written and may not be played here; `legal` holds what may."""

    def __init__(self, message: str, legal: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.legal = legal


class InvalidRecord(GameError):
    """The text is no record of a game, or not of the game it says."""


def shorten(text: str, limit: int = 60) -> str:
    """Someone else's text, short enough for an error message."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
