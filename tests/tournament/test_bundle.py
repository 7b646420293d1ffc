"""Bundles: the same every time, right as they are written, and found out when anything in them is changed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from client.tournament.export.bundle import CHECKSUM_FILE, Files, archive, checksums, pack
from client.tournament.export.pseudonyms import anonymize, pseudonyms
from client.tournament.export.verify import unpack, verify
from client.tournament.journal.folder import Folder
from client.tournament.journal.replay import Answer, TournamentState
from client.tournament.model.errors import TournamentError
from client.tournament.model.plan import Contestant, Goal, Plan, Sprt
from client.tournament.play.adjudication import prove
from client.tournament.play.outcome import adjudicated_result
from engine.record import parse, play_through
from parlour.cli.main import main
from tests.tournament.plans import plan
from tests.tournament.simulated import lost_on_time, simulate


def proved(given: Plan, state: TournamentState) -> None:
    """One game of the state ends with a proof."""
    for number in (2, 3, 4, 5, 6):
        result = state.results[number]
        record = parse(result.record)
        states = play_through(record).states
        for ply in range(1, len(record.moves)):
            proof = prove(given.create(), states[: ply + 1], given.adjudicate)
            if proof is not None:
                state.results[number] = adjudicated_result("r", result.record, {"ply": ply, **proof})
                return
    raise AssertionError("nothing could be proved")


@pytest.fixture(scope="module")
def cup() -> tuple[Plan, TournamentState]:
    given = plan("round-robin", *"abc", game="cohcoh", opening_plies=3, adjudicate=500)
    state = simulate(given)
    state.results[1] = lost_on_time(state.results[1])
    proved(given, state)
    return given, state


def write(tmp_path: Path, data: bytes) -> Path:
    path = tmp_path / "cup.zip"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("format", ["round-robin", "swiss", "knockout", "gauntlet", "match"])
def test_bundles_of_every_format_are_right(format: str, tmp_path: Path) -> None:
    names = "ab" if format == "match" else "abcde"
    given = plan(format, *names, opening_plies=4, sprt=Sprt(0, 300) if format == "match" else None)
    given = replace(given, games=min(given.games, 40))
    state = simulate(given)
    assert pack(given, state) == pack(given, state)
    assert verify(write(tmp_path, pack(given, state)))[0] == []


def test_forfeits_and_proofs_are_right_too(cup: tuple[Plan, TournamentState], tmp_path: Path) -> None:
    assert verify(write(tmp_path, pack(*cup))) == ([], 6)


def change(name: str, old: str, new: str) -> Callable[[Files], None]:
    def act(files: Files) -> None:
        assert old.encode() in files[name], (name, old)
        files[name] = files[name].replace(old.encode(), new.encode(), 1)

    return act


def swap_results(files: Files) -> None:
    """The loser of a game that was played out becomes the winner, in the record and in the results."""
    entry = json.loads(files["results.json"])
    number = next(key for key, value in entry.items() if value["reason"] == "line")
    other = {"1-0": "0-1", "0-1": "1-0"}[entry[number]["result"]]
    name = f"games/{int(number):05}.txt"
    files[name] = files[name].replace(f"result: {entry[number]['result']}".encode(), f"result: {other}".encode())
    entry[number]["result"] = other
    files["results.json"] = json.dumps(entry).encode()


def swap_proof(files: Files) -> None:
    entry = json.loads(files["results.json"])
    number = next(key for key, value in entry.items() if value["proof"])
    was = entry[number]["result"]
    other = "1/2-1/2" if was != "1/2-1/2" else "1-0"
    name = f"games/{int(number):05}.txt"
    files[name] = files[name].replace(f"result: {was}".encode(), f"result: {other}".encode())
    entry[number]["result"] = entry[number]["proof"]["result"] = other
    files["results.json"] = json.dumps(entry).encode()


def swap_games(files: Files) -> None:
    files["games/00003.txt"], files["games/00005.txt"] = files["games/00005.txt"], files["games/00003.txt"]


def drop_game(files: Files) -> None:
    del files["games/00002.txt"]


def drop_both(files: Files) -> None:
    """A game that somebody would rather not have played."""
    entry = json.loads(files["results.json"])
    del entry["2"], files["games/00002.txt"]
    files["results.json"] = json.dumps(entry).encode()


TAMPERING: dict[str, tuple[Callable[[Files], None], str]] = {
    "a table": (change("table.csv", "1,", "9,"), "table.csv does not follow from the games"),
    "points": (change("table.json", '"points": ', '"points": 1'), "table.json does not follow from the games"),
    "a move": (change("games/00003.txt", "\n1 ", "\n1 zz"), "ply 1 is for"),
    "a result": (swap_results, "the game ended"),
    "a proof": (swap_proof, "the proof of its result does not hold"),
    "two games": (swap_games, "played instead of"),
    "a name": (change("games/00002.txt", "seat 0: ", "seat 0: x"), "played instead of"),
    "a time": (change("games/00002.txt", "took=0.", "took=9."), "the times in the record and in the results differ"),
    "a reason": (change("results.json", '"reason": "time"', '"reason": "line"'), "the record says 'time'"),
    "the seed": (change("plan.toml", 'format = "round-robin"', 'format = "round-robin"\nseed = 7'), "another position"),
    "an option": (change("plan.toml", "k = 3", "k = 4"), "played with other options"),
    "the schedule": (change("schedule.json", '"round": 1', '"round": 2'), "schedule.json does not follow"),
    "a missing game": (drop_game, "the bundle cannot be read"),
    "a dropped game": (drop_both, "does not follow from the games"),
    "the page": (change("page.html", "</title>", "!</title>"), "page.html does not follow from the games"),
    "the shape": (lambda files: files.update({"results.json": b"[]"}), "results.json does not contain results"),
    "a file more": (lambda files: files.update({"extra.txt": b"x"}), "extra.txt does not belong to any result"),
    "another game": (
        lambda files: files.update({"games/00099.txt": files["games/00002.txt"]}),
        "does not belong to any result",
    ),
}


@pytest.mark.parametrize("kind", TAMPERING)
def test_whatever_is_changed_is_found_out(kind: str, cup: tuple[Plan, TournamentState], tmp_path: Path) -> None:
    """First as anybody would do it, then by somebody who also writes new checksums."""
    act, sentence = TAMPERING[kind]
    files = unpack(write(tmp_path, pack(*cup)))
    act(files)
    found, _ = verify(write(tmp_path, archive(files)))
    assert any("checksum" in wrong or "missing" in wrong for wrong in found)
    del files[CHECKSUM_FILE]
    found, _ = verify(write(tmp_path, archive(files | {CHECKSUM_FILE: checksums(files)})))
    assert any(sentence in wrong for wrong in found), found


def test_files_that_are_no_bundles_cost_one_sentence(
    cup: tuple[Plan, TournamentState], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pack(*cup)
    for wrong in (b"", b"nonsense", data[: len(data) // 2], archive({"x": b""})):
        path = write(tmp_path, wrong)
        code = main(["tournament", "verify", str(path)])
        said = capsys.readouterr()
        assert code in (1, 2)
        assert len((said.out + said.err).splitlines()) <= 3
    spoiled = bytearray(data)
    spoiled[len(data) // 3] ^= 255
    assert main(["tournament", "verify", str(write(tmp_path, bytes(spoiled)))]) in (1, 2)
    assert main(["tournament", "verify", str(tmp_path / "missing.zip")]) == 2


def test_the_command_exports_and_verifies(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cup: tuple[Plan, TournamentState]
) -> None:
    path = write(tmp_path, pack(*cup))
    assert main(["tournament", "verify", str(path)]) == 0
    assert "ok, 6 games replayed" in capsys.readouterr().out
    assert main(["tournament", "verify", str(path), "--sha256", "0" * 64]) == 1
    assert "does not have that checksum" in capsys.readouterr().out


def test_what_is_published_gives_no_student_away_and_can_be_verified(tmp_path: Path) -> None:
    students = tuple(Contestant(name, exec=f"./{name}", workdir="/home/x", student=True) for name in ("Zoë", "yan"))
    goals = (
        Goal("points", "some points", "rival", 4, points=1),
        Goal("solves", "solves it", positions=("w............... b",), needed=1),
    )
    given = plan("grading", game="cohcoh", players=(Contestant("rival", bot="random"), *students), goals=goals)
    state = simulate(given, "I am Zoë")
    for name in given.students:
        answer = Answer(name, "solves it", goals[1].positions[0], "a1", False, 0.3, f"{name} crashed")
        state.answers[name, answer.goal, answer.position] = answer
    names = pseudonyms(given, tmp_path)
    assert names == pseudonyms(given, tmp_path)
    assert set(names) == {"Zoë", "yan"}
    data = pack(*anonymize(given, state, names))
    assert verify(write(tmp_path, data))[0] == []
    for content in unpack(tmp_path / "cup.zip").values():
        assert not any(word in content.decode() for word in ("Zoë", "yan", "/home/x", "r1\n"))
    with pytest.raises(TournamentError, match="there are no students"):
        pseudonyms(plan("match", "a", "b"), tmp_path)


def test_a_folder_is_exported_as_it_stands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Folder(tmp_path / "cup")
    folder.create(plan("round-robin", "a", "b"))
    for words, name in (([], "cup.zip"), (["--page"], "cup.html")):
        assert main(["tournament", "export", str(folder.path), "--out", str(tmp_path / name), *words]) == 0
        assert str(tmp_path / name) in capsys.readouterr().out
    assert verify(tmp_path / "cup.zip") == ([], 0)
    assert main(["tournament", "export", str(folder.path), "--out", str(tmp_path)]) == 2
    assert "is a folder" in capsys.readouterr().err
    assert not list(tmp_path.parent.glob("*.draft"))
