"""`parlour ugi`: our search as an engine that speaks UGI."""

from __future__ import annotations

import threading

import pytest

from engine.registry import create
from parlour.cli.ugi_session import UgiSession
from tests.waiting import TIMEOUT_S


class Dialogue:
    """A session, and what it has answered."""

    def __init__(self, name: str, **options: int) -> None:
        self.lines: list[str] = []
        self._moved = threading.Event()
        self.session = UgiSession(create(name, options), self._hear, 1, compiled=False)

    def _hear(self, line: str) -> None:
        self.lines.append(line)
        if line.startswith("bestmove"):
            self._moved.set()

    def tell(self, *commands: str) -> list[str]:
        """Send commands and return the answers."""
        self.lines.clear()
        for command in commands:
            self.session.receive(command)
        return list(self.lines)

    def best_move(self, *commands: str) -> str:
        """Send commands and return the best move, once it is found."""
        self._moved.clear()
        self.tell(*commands)
        assert self._moved.wait(TIMEOUT_S)
        return self.lines[-1].removeprefix("bestmove ")


def test_session_introduces_itself_with_its_options() -> None:
    lines = Dialogue("cohcoh").tell("ugi", "isready")
    assert lines[0].startswith("id name Parlour")
    assert "option name n type spin default 4 min 1 max 12" in lines
    assert lines[-2:] == ["ugiok", "readyok"]
    assert "var standard" in " ".join(Dialogue("mancala").tell("ugi"))


def test_queries_follow_the_game() -> None:
    dialogue = Dialogue("cohcoh", n=3)
    questions = [f"query {word}" for word in ("p1turn", "gameover", "result")]
    assert dialogue.tell(*questions) == ["response true", "response false", "response none"]
    dialogue.tell("position startpos moves a1 b1 a2 c1 a3")  # three in a line lose
    assert dialogue.tell(*questions) == ["response false", "response true", "response p2win"]
    assert dialogue.tell("go depth 2") == ["info string the game is over", "bestmove none"]
    drawn = Dialogue("conga", max_plies=1)
    drawn.tell("position startpos moves a4a3")
    assert drawn.tell("query result") == ["response draw"]


def test_search_reports_and_moves() -> None:
    dialogue = Dialogue("cohcoh", n=3)
    assert dialogue.best_move("position startpos moves a1 c3", "go depth 3")
    assert dialogue.lines[0].startswith("info depth 1 score cp ")
    for limit in ("nodes 100", "movetime 20", "p1time 1000 p2time 1000 p1inc 10 p2inc 10"):
        assert dialogue.best_move(f"go {limit}")


def test_search_without_a_limit_ends_when_it_is_stopped() -> None:
    dialogue = Dialogue("mancala")
    dialogue.tell("position startpos", "go infinite", "isready")
    assert "readyok" in dialogue.lines
    assert dialogue.best_move("stop") in "123456"


def test_setoption_changes_the_game() -> None:
    dialogue = Dialogue("cohcoh")
    assert not dialogue.tell("position startpos moves d4")
    (line,) = dialogue.tell("setoption name n value 3", "setoption name hash value 2", "position startpos moves d4")
    assert line.startswith("info string")
    assert "d4" in line
    assert dialogue.best_move("position startpos", "go depth 1")[0] in "abc"


@pytest.mark.parametrize(
    "command",
    [
        "nonsense",
        "position",
        "position fen",
        "position middle",
        "position fen not a position",
        "position startpos moves z9",
        "query weather",
        "query",
        "setoption name n value 99",
        "setoption name unknown value 1",
        "setoption",
        "setoption name hash value -1",
    ],
)
def test_wrong_command_gets_one_sentence_and_changes_nothing(command: str) -> None:
    dialogue = Dialogue("cohcoh")
    dialogue.tell("position startpos moves a1")
    (line,) = dialogue.tell(command)
    assert line.startswith("info string ")
    assert dialogue.tell("query p1turn") == ["response false"]


def test_quit_ends_the_session() -> None:
    session = Dialogue("cohcoh").session
    assert session.receive("isready")
    assert not session.receive("quit")
