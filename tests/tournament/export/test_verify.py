"""Verification accepts bundles as they are written and reports every change."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from client.tournament.export.bundle import CHECKSUM_FILE, Files, archive, as_json, checksums, pack
from client.tournament.export.pseudonyms import anonymize
from client.tournament.export.verify import verify
from client.tournament.formats.openings_balanced import BalancedOpenings
from client.tournament.journal.replay import TournamentState
from client.tournament.model.plan import Plan, Sprt
from client.tournament.play.adjudication import prove
from client.tournament.play.outcome import adjudicated_result
from engine.record import parse, play_through
from parlour.cli.main import main
from runtime.untrusted_files import unpack
from tests.tournament.plans import plan
from tests.tournament.reviewed import reviewed_match
from tests.tournament.simulated import lost_on_time, simulate


def proved(given: Plan, state: TournamentState) -> None:
    """Adjudicate one game of the tournament."""
    for number in (2, 3, 4, 5, 6):
        result = state.results[number]
        record = parse(result.record)
        states = play_through(record).states
        for ply in range(1, len(record.moves)):
            proof = prove(given.create(), states[: ply + 1], given.adjudicate)
            if proof is not None:
                state.results[number] = adjudicated_result("r", result.record, {"ply": ply, **proof})
                return
    raise AssertionError("no position could be proved")


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
def test_bundle_of_every_format_verifies(format: str, tmp_path: Path) -> None:
    names = "ab" if format == "match" else "abcde"
    given = plan(format, *names, opening_plies=4, sprt=Sprt(0, 300) if format == "match" else None)
    given = replace(given, games=min(given.games, 40))
    state = simulate(given)
    assert pack(given, state) == pack(given, state)
    assert verify(write(tmp_path, pack(given, state)))[0] == []


def test_bundle_with_forfeit_and_proof_verifies(cup: tuple[Plan, TournamentState], tmp_path: Path) -> None:
    assert verify(write(tmp_path, pack(*cup))) == ([], 6, [], 0)


def change(name: str, old: str, new: str) -> Callable[[Files], None]:
    def act(files: Files) -> None:
        assert old.encode() in files[name], (name, old)
        files[name] = files[name].replace(old.encode(), new.encode(), 1)

    return act


def swap_results(files: Files) -> None:
    """Swap winner and loser of a finished game, in the record and in the results."""
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


def drop_game_and_result(files: Files) -> None:
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
    "a dropped game": (drop_game_and_result, "does not follow from the games"),
    "the page": (change("page.html", "</title>", "!</title>"), "page.html does not follow from the games"),
    "the shape": (lambda files: files.update({"results.json": b"[]"}), "results.json does not contain results"),
    "a file more": (lambda files: files.update({"extra.txt": b"x"}), "extra.txt does not belong to any result"),
    "another game": (
        lambda files: files.update({"games/00099.txt": files["games/00002.txt"]}),
        "does not belong to any result",
    ),
}


@pytest.mark.parametrize("kind", TAMPERING)
def test_tampering_is_reported(kind: str, cup: tuple[Plan, TournamentState], tmp_path: Path) -> None:
    """Tamper first without and then with new checksums."""
    act, sentence = TAMPERING[kind]
    files = unpack(pack(*cup))
    act(files)
    found = verify(write(tmp_path, archive(files))).differences
    assert any("checksum" in wrong or "missing" in wrong for wrong in found)
    del files[CHECKSUM_FILE]
    found = verify(write(tmp_path, archive(files | {CHECKSUM_FILE: checksums(files)}))).differences
    assert any(sentence in wrong for wrong in found), found


def test_invalid_bundle_gives_short_error(
    cup: tuple[Plan, TournamentState], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = pack(*cup)
    for wrong in (b"", b"nonsense", data[: len(data) // 2], archive({"x": b""})):
        path = write(tmp_path, wrong)
        code = main(["tournament", "verify", str(path)])
        output = capsys.readouterr()
        assert code in (1, 2)
        assert len((output.out + output.err).splitlines()) <= 3
    spoiled = bytearray(data)
    spoiled[len(data) // 3] ^= 255
    assert main(["tournament", "verify", str(write(tmp_path, bytes(spoiled)))]) in (1, 2)
    assert main(["tournament", "verify", str(tmp_path / "missing.zip")]) == 2


def test_command_verifies_bundle_and_checksum(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], cup: tuple[Plan, TournamentState]
) -> None:
    path = write(tmp_path, pack(*cup))
    assert main(["tournament", "verify", str(path)]) == 0
    assert "ok, 6 games replayed" in capsys.readouterr().out
    assert main(["tournament", "verify", str(path), "--sha256", "0" * 64]) == 1
    assert "does not have that checksum" in capsys.readouterr().out
    assert main(["tournament", "verify", str(path), "--sha256", sha256(path.read_bytes()).hexdigest().upper()]) == 0


@pytest.fixture(scope="module")
def balanced_cup() -> tuple[Plan, TournamentState]:
    given = plan("match", "a", "b", game="cohcoh", balanced=True, opening_plies=6, games=4)
    openings = BalancedOpenings(given.create(), given.seed, given.opening_plies)
    openings.get(3)
    return given, simulate(given, openings=openings.known)


def change_opening(number: int, **values: object) -> Callable[[Files], None]:
    def act(files: Files) -> None:
        entries = json.loads(files["openings.json"])
        entries[number - 1] |= values
        files["openings.json"] = as_json(entries).encode()

    return act


def without_openings(files: Files) -> None:
    del files["openings.json"]


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda files: None, ""),
        (without_openings, "openings.json is missing"),
        (change("openings.json", '"number": 1', '"number": 7'), "has more or other entries"),
        (change("openings.json", '"value"', '"worth"'), "has an opening with a field missing"),
        (change_opening(1, position="................ w"), "opening 1 is not one of its candidates"),
        (change_opening(2, value=1), "opening 2 is not as even as stated"),
        (change_opening(2, band=0.7), "opening 2 is not as even as stated"),
        (change_opening(2, band=0.7, search="another"), ""),
        (change_opening(2, depth=99), "opening 2 does not have the value stated"),
        (change_opening(2, search="another", value=1, band=None), "page.html does not follow from the games"),
    ],
)
def test_balanced_openings_are_checked(
    act: Callable[[Files], None], sentence: str, balanced_cup: tuple[Plan, TournamentState], tmp_path: Path
) -> None:
    files = unpack(pack(*balanced_cup))
    assert len(json.loads(files["openings.json"])) == 2
    assert b"<h2>Openings</h2>" in files["page.html"]
    assert b"0, proved" in files["page.html"]
    act(files)
    files[CHECKSUM_FILE] = checksums({name: data for name, data in files.items() if name != CHECKSUM_FILE})
    found = verify(write(tmp_path, archive(files)))[0]
    assert any(sentence in each for each in found) if sentence else found == []


def test_values_of_openings_belong_to_balanced_ones(cup: tuple[Plan, TournamentState], tmp_path: Path) -> None:
    files = unpack(pack(*cup)) | {"openings.json": b"[]"}
    files[CHECKSUM_FILE] = checksums({name: data for name, data in files.items() if name != CHECKSUM_FILE})
    assert verify(write(tmp_path, archive(files)))[0] == ["openings.json does not belong to the plan"]


def change_review(**values: object) -> Callable[[Files], None]:
    def act(files: Files) -> None:
        first, *rest = files["reviews.jsonl"].splitlines(keepends=True)
        line = json.dumps(json.loads(first) | values, separators=(",", ":")).encode()
        files["reviews.jsonl"] = line + b"\n" + b"".join(rest)

    return act


def set_reviews(data: bytes) -> Callable[[Files], None]:
    return lambda files: files.update({"reviews.jsonl": data})


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (change_review(accuracy=[101, 5]), "line 1 is not a review: a field has a wrong value"),
        (change_review(game=7), "the review of game 7 belongs to another record"),
        (change_review(record="0" * 64), "the review of game 1 belongs to another record"),
        (change_review(words="<script>"), "is not written as Parlour writes it"),
        (set_reviews(b""), "is not written as Parlour writes it"),
        (set_reviews(b"\xff"), "line 1 cannot be read"),
        (set_reviews(b"[" * 10_000), "line 1 cannot be read"),
        (set_reviews(b"7"), "a field has a wrong type"),
    ],
)
def test_wrong_reviews_give_one_sentence(act: Callable[[Files], None], sentence: str, tmp_path: Path) -> None:
    files = unpack(pack(*reviewed_match()))
    act(files)
    files[CHECKSUM_FILE] = checksums({name: data for name, data in files.items() if name != CHECKSUM_FILE})
    (found,) = verify(write(tmp_path, archive(files))).differences
    assert found.startswith("reviews.jsonl")
    assert sentence in found


def test_bundle_with_reviews_verifies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    given, state = reviewed_match()
    path = write(tmp_path, pack(given, state))
    assert verify(path) == ([], 2, [], 2)
    assert main(["tournament", "verify", str(path)]) == 0
    assert "the values in the reviews of 2 games were not computed again" in capsys.readouterr().out
    files = unpack(path.read_bytes())
    assert b"accuracy" in files["table.txt"]
    change_review(accuracy=[1.5, 2.5])(files)  # the tables no longer agree with it
    files[CHECKSUM_FILE] = checksums({name: data for name, data in files.items() if name != CHECKSUM_FILE})
    wrong = verify(write(tmp_path, archive(files))).differences
    names = ("table.json", "table.csv", "table.txt", "page.html")
    assert wrong == [f"{name} does not follow from the games" for name in names]


def test_public_bundle_keeps_its_reviews(tmp_path: Path) -> None:
    given, state = reviewed_match()
    public, hidden = anonymize(given, state, {"ann": "player-1", "ben": "player-2"})
    files = unpack(pack(public, hidden))
    assert verify(write(tmp_path, archive(files))) == ([], 2, [], 2)
    assert not any(b"ann" in files[name] or b"ben" in files[name] for name in ("reviews.jsonl", "table.txt"))
