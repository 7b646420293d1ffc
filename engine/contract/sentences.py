"""Findings about a game, as sentences for its author."""

from __future__ import annotations

import traceback
from pathlib import Path

MAX_ERROR_CHARS = 200


class ContractError(Exception):
    """A game breaks the contract. The message is one sentence that says what is wrong, and what to do."""


def expect(holds: bool, sentence: str) -> None:
    """Raise ContractError with the sentence unless the condition holds."""
    if not holds:
        raise ContractError(sentence)


def sentence_of(error: BaseException) -> str:
    """Return an exception as text: its message, its kind, and the last line of code it came from."""
    text = " ".join(str(error).split()) or "no message"
    frames = traceback.extract_tb(error.__traceback__)
    place = f", {Path(frames[-1].filename).name} line {frames[-1].lineno}" if frames else ""
    if isinstance(error, SyntaxError) and error.filename is not None:
        place = f", {Path(error.filename).name} line {error.lineno}"
        text = error.msg
    return f"{shorten_line(text)} ({type(error).__name__}{place})"


def shorten_line(text: str) -> str:
    return text if len(text) <= MAX_ERROR_CHARS else text[: MAX_ERROR_CHARS - 1] + "…"
