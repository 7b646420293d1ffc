"""`parlour review`: text, JSON, annotated records, learning, and records that cannot be reviewed."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest
from msgspec.structs import replace

from client.presentation.server_reviews import ReviewFailed, review_of
from engine.record import parse, verify, write
from engine.registry import create
from engine.review import JUDGEMENTS, read_annotation
from parlour.cli.main import main
from tests.e2e.hostile_server import BETTER, HostileServer
from tests.engine.self_play import self_play
from tests.parlour.records import GOOD, MANCALA, save
from tests.waiting import TIMEOUT_S

QUICK = ["--plain", "--nodes", "150"]
PARLOUR = str(Path(sys.executable).with_name("parlour"))


@pytest.fixture
def played(tmp_path: Path) -> str:
    """Return a file with a finished game of small Mancala in which both sides make mistakes: all moves are random."""
    return save(tmp_path, write(self_play(create("mancala", {"pits": 3, "stones": 3}), 4, (1.0, 1.0))))


def run(capsys: pytest.CaptureFixture[str], *words: str, code: int = 0) -> str:
    assert main(["review", *words]) == code
    out = capsys.readouterr()
    return out.err if code else out.out


def test_text_names_accuracy_moves_and_turning_points(capsys: pytest.CaptureFixture[str], played: str) -> None:
    text = run(capsys, played, *QUICK)
    assert "player 1 (unnamed): accuracy " in text
    assert "proved" in text
    assert sum(f" {number} player" in text for number in range(1, 6)) == 5


def test_sides_are_named_as_the_terminal_does(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = save(tmp_path, "parlour record 1\ngame: conga\n\n1 black a4b4\n2 white d1d2\n")
    text = run(capsys, file, *QUICK)
    assert "blue (unnamed): " in text
    assert "red (unnamed): " in text
    for side in ("red", "white", "1"):
        monkeypatch.setattr(sys, "stdin", io.StringIO("quit\n"))
        text = run(capsys, file, *QUICK, "--learn", "--side", side)
        assert "Ply 2, red to move" in text
        assert "b is blue, w is red" in text


def test_json_is_one_object(capsys: pytest.CaptureFixture[str], played: str) -> None:
    data = json.loads(run(capsys, played, *QUICK, "--json"))
    record = parse(Path(played).read_text(encoding="utf-8"))
    assert all(0 <= number <= 100 for number in data["accuracy"])
    assert [move["move"] for move in data["moves"]] == [move.move for move in record.moves]
    for move in data["moves"]:
        assert move["side"] in (0, 1)
        assert move["judgement"] in JUDGEMENTS
        assert isinstance(move["proved"], bool)
        assert move["loss"] >= 0
        assert (move["depth"] is None) == move["value_proved"]


def test_annotated_record_verifies(capsys: pytest.CaptureFixture[str], played: str, tmp_path: Path) -> None:
    out = tmp_path / "reviewed.txt"
    run(capsys, played, *QUICK, "--out", str(out))
    record = parse(out.read_text(encoding="utf-8"))
    verify(record)
    assert all(read_annotation(move.note) for move in record.moves)
    assert main(["verify", str(out)]) == 0


def test_notes_of_strangers_stay_harmless(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    out = tmp_path / "reviewed.txt"
    text = run(capsys, save(tmp_path, GOOD), *QUICK, "--out", str(out))
    assert "\x1b" not in text
    assert parse(out.read_text(encoding="utf-8")).moves[0].note.endswith("; note: found \x1b[31m it")


def test_unfinished_game_can_be_reviewed(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "depth" in run(capsys, save(tmp_path, MANCALA), *QUICK)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "line 1: expected 'parlour record 1'"),
        ("parlour record 1\ngame: chess\n\n", "chess"),
        ("parlour record 1\ngame: conga\n\n", "the game has no moves"),
        ("parlour record 1\ngame: conga\n\n1 black a1a2\n", "ply 1: a1a2 is not legal here"),
        ("parlour record 1\ngame: conga\nresult: 1-0\nreason: no_moves\n\n1 black a4a3\n", "the game is not over"),
        ("parlour record 1\ngame: mancala\noption pits: 99\n\n1 player1 3\n", "line 3"),
    ],
)
def test_wrong_record_gets_one_sentence(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, text: str, sentence: str
) -> None:
    error = run(capsys, save(tmp_path, text), *QUICK, code=2)
    assert sentence in error
    assert error.count("\n") == 1


def test_unwritable_file_gets_one_sentence(capsys: pytest.CaptureFixture[str], played: str, tmp_path: Path) -> None:
    error = run(capsys, played, *QUICK, "--out", str(tmp_path / "missing" / "reviewed.txt"), code=2)
    assert "reviewed.txt" in error
    assert error.count("\n") == 1


def test_wrong_side_gets_one_sentence(capsys: pytest.CaptureFixture[str], played: str) -> None:
    assert "there is no side 'purple'" in run(capsys, played, *QUICK, "--learn", "--side", "purple", code=2)


def test_learning_asks_until_the_move_is_not_a_mistake(
    capsys: pytest.CaptureFixture[str], played: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    moves = json.loads(run(capsys, played, *QUICK, "--json"))["moves"]
    wrong = [move for move in moves if move["judgement"] in ("inaccuracy", "mistake", "blunder", "missed win")]
    assert wrong
    first = wrong[0]
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"moves\nx\n{first['move']}\n{first['best']}\nquit\n"))
    text = run(capsys, played, *QUICK, "--learn", "--side", str(first["side"]))
    assert f"Ply {first['ply']}, player {first['side'] + 1} to move" in text
    assert "is not a move of mancala" in text
    assert f"{first['move']}: {first['judgement']}" in text
    assert f"{first['best']}: best" in text
    assert "Found at the first try: 0 of 1." in text


def test_interrupted_review_restores_the_line(tmp_path: Path) -> None:
    file = save(tmp_path, write(self_play(create("maxconnect4"), 1)))
    child = pexpect.spawn(
        PARLOUR, ["review", file, "--plain"], env={**os.environ, "TERM": "xterm"}, encoding="utf-8", timeout=TIMEOUT_S
    )
    child.expect_exact("reviewing: move")
    child.kill(signal.SIGINT)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    assert "Traceback" not in child.before


WRONG_REVIEWS: dict[str, dict[str, Any]] = {
    "ply": {"ply": 7},
    "side": {"side": 1},
    "move": {"move": BETTER},
    "no line": {"line": ()},
    "illegal line": {"line": ("z9",)},
    "line of text": {"line": ("\x1b[31m",)},
}


@pytest.mark.parametrize("changes", WRONG_REVIEWS.values(), ids=WRONG_REVIEWS)
def test_review_of_a_server_fits_the_game(changes: dict[str, Any]) -> None:
    server = HostileServer("x")
    record, review = parse(server.record()), server.review("room")
    (move,) = review.moves
    assert review_of(record, review).moves[0].best == BETTER
    with pytest.raises(ReviewFailed, match="does not fit the game"):
        review_of(record, replace(review, moves=(replace(move, **changes),)))


@pytest.mark.parametrize("count", [0, 2])
def test_review_of_a_server_has_as_many_moves_as_the_game(count: int) -> None:
    server = HostileServer("x")
    review = server.review("room")
    with pytest.raises(ReviewFailed):
        review_of(parse(server.record()), replace(review, moves=review.moves * count))
