"""Files with openings."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.tournament.model.errors import TournamentError
from client.tournament.model.opening_file import load
from engine.registry import create


def openings(folder: Path, text: str, name: str = "cohcoh") -> tuple[str, ...]:
    path = folder / "openings.txt"
    path.write_text(text)
    return load(path, create(name))


def test_positions_and_moves_give_the_same_openings(tmp_path: Path) -> None:
    by_moves = openings(tmp_path, "# two openings\na1 b2\n\nc3, d4  # a comment\n")
    assert len(by_moves) == 2
    assert openings(tmp_path, "\n".join(by_moves)) == by_moves
    for name in ("conga", "mancala", "maxconnect4"):
        game = create(name)
        state = game.play(game.start(), game.moves(game.start())[0])
        first = game.format(game.start(), game.moves(game.start())[0])
        assert openings(tmp_path, first, name) == openings(tmp_path, game.dump(state), name) == (game.dump(state),)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("a1 b2\na1 a1\n", "openings.txt: line 2: this is neither a position"),
        ("nonsense", "line 1: this is neither a position .* nor moves from the start"),
        ("# nothing\n", "has no openings: write one per line"),
        ("a1\n" * 10_001, "has 10001 openings, more than 10000"),
        ("a1 " * 500_000, "cannot read .*openings.txt"),
    ],
)
def test_wrong_file_gets_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(TournamentError, match=sentence):
        openings(tmp_path, text)


def test_missing_file_and_binary_file_are_reported(tmp_path: Path) -> None:
    with pytest.raises(TournamentError, match=r"missing.txt"):
        load(tmp_path / "missing.txt", create("conga"))
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    with pytest.raises(TournamentError, match=r"cannot read .*bytes"):
        load(tmp_path / "bytes", create("conga"))
