from __future__ import annotations

import time

import pytest

from client.sdk.bot import Bot, Budget, Thought, as_thought
from client.sdk.note import Note
from engine.errors import IllegalMove, InvalidNotation
from engine.registry import create
from tests.client.sample_programs import budget

GAME = create("maxconnect4")
START = GAME.start()


class NumpyLike:
    def __index__(self) -> int:
        return 3


@pytest.mark.parametrize("answer", [3, "4", " 4 ", NumpyLike(), Thought(3), Thought("4")])
def test_answers_become_the_text_of_a_legal_move(answer: object) -> None:
    assert as_thought(GAME, START, answer) == Thought("4")


def test_note_is_kept() -> None:
    note = Note(value=1.5)
    assert as_thought(GAME, START, Thought(3, note)).note is note


@pytest.mark.parametrize(
    ("answer", "error"),
    [(99, IllegalMove), ("9", InvalidNotation), ("?", InvalidNotation), (None, TypeError), (1.5, TypeError)],
)
def test_other_answers_are_rejected(answer: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        as_thought(GAME, START, answer)


def test_remaining_time_is_never_negative() -> None:
    assert Budget(1.0, time.monotonic() - 5.0).remaining() == 0.0
    assert 0.0 < Budget(1.0, time.monotonic() + 500.0).remaining() <= 500.0


def test_bot_without_choose_says_what_is_missing() -> None:
    with pytest.raises(NotImplementedError, match=r"Bot does not define choose\(self, game, state, budget\)"):
        Bot().choose(GAME, START, budget())
