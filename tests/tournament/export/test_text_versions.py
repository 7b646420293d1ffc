"""Bundles of older versions verify, although their texts are worded differently.

data/*-texts-N are bundles, unpacked, as Parlour wrote them with version N of the texts.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from client.tournament.export.bundle import BUNDLE_FILE, CHECKSUM_FILE, Files, archive, checksums, derived_files, pack
from client.tournament.export.html import digest, page_script, page_style
from client.tournament.export.text_versions import PAGE_DIGESTS, TEXT_VERSION
from client.tournament.export.verify import Verification, read_answers, read_plan, read_results, verify
from client.tournament.journal.replay import TournamentState
from parlour.cli.main import main
from runtime.untrusted_files import unpack
from tests.tournament.plans import plan
from tests.tournament.simulated import simulate

DATA = Path(__file__).parent / "data"
MATCH, GRADING = "match-texts-1", "grading-texts-1"
REWORDED = {MATCH: ["table.txt", "page.html"], GRADING: ["table.txt", "page.html", "grades.csv"]}
CURRENT_TEXTS = "5: bd6a51647c4ae0abf52edcd47dac6d7850ede4efeff69317674d44f4091c576b"


def old_bundle(name: str) -> Files:
    folder = DATA / name
    return {str(path.relative_to(folder).as_posix()): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def write(tmp_path: Path, files: Files) -> Path:
    path = tmp_path / "cup.zip"
    path.write_bytes(archive(files))
    return path


def verify_files(tmp_path: Path, files: Files) -> Verification:
    """Verify a bundle of these files, with correct checksums."""
    rest = {name: data for name, data in files.items() if name != CHECKSUM_FILE}
    return verify(write(tmp_path, rest | {CHECKSUM_FILE: checksums(rest)}))


def replace(name: str, old: str, new: str) -> Callable[[Files], None]:
    def act(files: Files) -> None:
        assert old.encode() in files[name], (name, old)
        files[name] = files[name].replace(old.encode(), new.encode(), 1)

    return act


@pytest.mark.parametrize("name", REWORDED)
def test_bundle_of_older_version_verifies(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(tmp_path, old_bundle(name))
    found = verify(path)
    assert found.differences == []
    assert found.games > 0
    assert found.reworded == REWORDED[name]
    assert main(["tournament", "verify", str(path)]) == 0
    output = capsys.readouterr().out
    assert "written by an older version of Parlour" in output
    assert "the wording was not compared" in output


def test_knockout_bundle_without_a_bracket_verifies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The style and the script of version 3 were others; here they are the current ones."""
    monkeypatch.setitem(PAGE_DIGESTS, 3, (digest(page_style()), digest(page_script())))
    given = plan("knockout", "ann", "ben", "cy", game="cohcoh")
    state = simulate(given)
    files = unpack(pack(given, state, tmp_path), 1 << 24)
    assert b"winner" in files["table.txt"]
    old = derived_files(given, state, state.results, with_bracket=False)
    files |= {name: old[name].encode() for name in ("table.txt", "page.html")}
    assert verify_files(tmp_path, files | {BUNDLE_FILE: b'{"texts": 3}'}).differences == []
    assert verify_files(tmp_path, files).differences == [
        "table.txt does not follow from the games", "page.html does not follow from the games",
    ]  # fmt: skip


TAMPERING: dict[str, tuple[str, Callable[[Files], None], str]] = {
    "points in the text": (MATCH, replace("table.txt", "old against new: 1", "old against new: 2"), "table.txt"),
    "a row": (MATCH, replace("table.txt", "1  old", "1  new"), "table.txt"),
    "an extra row": (MATCH, replace("table.txt", "\n\n", "\n3  zoe  0\n\n"), "table.txt"),
    "the headings": (MATCH, replace("table.txt", "+  =  -", "-  =  +"), "table.txt"),
    "swapped names": (MATCH, replace("table.txt", "old against new", "new against old"), "table.txt"),
    "a missing sentence": (MATCH, replace("table.txt", "test of +0", "\n"), "table.txt"),
    "a forfeit": (GRADING, replace("table.txt", "game 5: player-2", "game 5: player-1"), "table.txt"),
    "a crosstable": (GRADING, replace("table.txt", "-  4/4  4/4", "-  4/4  3/4"), "table.txt"),
    "no text": (MATCH, lambda files: files.update({"table.txt": b""}), "table.txt"),
    "not text": (MATCH, lambda files: files.update({"table.txt": b"\xff"}), "table.txt"),
    "no table": (MATCH, lambda files: files.__delitem__("table.txt"), "table.txt"),
    "a verdict": (GRADING, replace("grades.csv", "2,fail,", "2,pass,"), "grades.csv"),
    "a count of passes": (GRADING, replace("grades.csv", "player-1,1,3", "player-1,2,3"), "grades.csv"),
    "evidence": (GRADING, replace("grades.csv", "0 points of 2", "2 points of 2"), "grades.csv"),
    "a student": (GRADING, replace("grades.csv", "player-1,", "player-3,"), "grades.csv"),
    "an extra student": (GRADING, replace("grades.csv", "player-1,", "zoe,3,3\nplayer-1,"), "grades.csv"),
    "the title": (MATCH, replace("page.html", "</title>", "!</title>"), "page.html"),
    "a name on the page": (MATCH, replace("page.html", "<td>old</td>", "<td>new</td>"), "page.html"),
    "a result on the page": (MATCH, replace("page.html", '"result":"', '"result":"*'), "page.html"),
    "a sentence on the page": (MATCH, replace("page.html", "old against new: 1", "old against new: 2"), "page.html"),
    "the state of the tournament": (GRADING, replace("page.html", "8 games, finished", "8 games"), "page.html"),
    "the style": (MATCH, replace("page.html", "<style>", "<style>td { display: none }"), "page.html"),
    "the script": (MATCH, replace("page.html", '"use strict"', "fetch('/')"), "page.html"),
    "the policy": (MATCH, replace("page.html", "default-src 'none'", "default-src *"), "page.html"),
    "an extra script": (MATCH, replace("page.html", "</body>", "<script src=x></script></body>"), "page.html"),
    "a hidden table": (MATCH, replace("page.html", "<table>", "<table hidden>"), "page.html"),
    "a comment": (MATCH, replace("page.html", "<h1>", "<!-- --><h1>"), "page.html"),
    "malformed markup": (MATCH, replace("page.html", "<h1>", "<![x<h1>"), "page.html"),
    "a link": (GRADING, replace("page.html", 'href="#game-1"', 'href="#game-2"'), "page.html"),
    "the table": (MATCH, replace("table.csv", "1,old,1", "1,old,2"), "table.csv"),
    "the data": (MATCH, replace("table.json", '"points": 1', '"points": 2'), "table.json"),
    "the schedule": (MATCH, replace("schedule.json", '"round": 1', '"round": 2'), "schedule.json"),
    "the seed": (MATCH, replace("plan.toml", 'format = "match"', 'format = "match"\nseed = 7'), "game 1"),
    "a time": (MATCH, replace("games/00001.txt", "took=0.", "took=9."), "game 1"),
    "an answer": (GRADING, replace("answers.json", '"right": false', '"right": true'), "grades.csv"),
}


@pytest.mark.parametrize("name", ["match-texts-2", "grading-texts-2"])
def test_page_with_boards_of_characters_verifies(name: str, tmp_path: Path) -> None:
    files = old_bundle(name)
    assert verify(write(tmp_path, files)).differences == []
    assert verify_files(tmp_path, files).reworded == ["page.html"]
    act = replace("page.html", '"boards":["', '"boards":["x')
    act(files)
    assert verify_files(tmp_path, files).differences == ["page.html does not follow from the games"]


@pytest.mark.parametrize("kind", TAMPERING)
def test_tampering_with_older_bundle_is_reported(kind: str, tmp_path: Path) -> None:
    """Tamper first without and then with new checksums."""
    name, act, file = TAMPERING[kind]
    files = old_bundle(name)
    act(files)
    differences = verify(write(tmp_path, files)).differences
    assert any("checksum" in wrong or "missing" in wrong for wrong in differences)
    differences = verify_files(tmp_path, files).differences
    assert any(wrong.startswith(file) for wrong in differences), differences


def test_current_bundle_cannot_hide_numbers_behind_another_version(tmp_path: Path) -> None:
    """Without its version a bundle counts as an old one. Its numbers and its script are checked all the same."""
    given = plan("round-robin", "a", "b")
    path = tmp_path / "cup.zip"
    path.write_bytes(pack(given, simulate(given)))
    files = unpack(path.read_bytes())
    assert verify_files(tmp_path, files).reworded == []
    replace("table.txt", "likely to be stronger", "likely to be the stronger")(files)
    assert verify_files(tmp_path, files).differences == ["table.txt does not follow from the games"]
    del files[BUNDLE_FILE]
    assert verify_files(tmp_path, files) == ([], 2, ["table.txt"], 0)
    replace("table.txt", "against b: ", "against b: 1")(files)
    assert verify_files(tmp_path, files).differences == ["table.txt does not follow from the games"]


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        (b'{"texts": 99}', "newer version of Parlour"),
        (b'{"texts": 0}', "does not state a version"),
        (b'{"texts": true}', "does not state a version"),
        (b'{"texts": "1"}', "does not state a version"),
        (b"[]", "does not state a version"),
        (b"\xff", "does not state a version"),
    ],
)
def test_newer_and_invalid_versions_are_refused(stated: bytes, sentence: str, tmp_path: Path) -> None:
    differences = verify_files(tmp_path, old_bundle(MATCH) | {BUNDLE_FILE: stated}).differences
    assert any(sentence in wrong for wrong in differences)
    assert "table.txt does not follow from the games" in differences


def test_digests_of_the_page_are_current() -> None:
    """The page contains board.css and board.js of the browser client, so they change it too."""
    current = digest(page_style()), digest(page_script())
    assert PAGE_DIGESTS[TEXT_VERSION] == current, (
        "replace the digests of the current version if it is not released yet; else increase TEXT_VERSION, and add them"
    )
    assert sorted(PAGE_DIGESTS) == list(range(1, TEXT_VERSION + 1))


def test_version_changes_with_the_texts() -> None:
    texts = []
    for name in (MATCH, GRADING):
        files = old_bundle(name)
        state = TournamentState(results=read_results(files), answers=read_answers(files))
        derived = derived_files(read_plan(files), state, state.results)
        for text in (page_style(), page_script(), *PAGE_DIGESTS[TEXT_VERSION]):  # these have a test of their own
            derived["page.html"] = derived["page.html"].replace(text, "")
        texts += [derived[file] for file in REWORDED[name]]
    found = f"{TEXT_VERSION}: {sha256(''.join(texts).encode()).hexdigest()}"
    assert found == CURRENT_TEXTS, "the texts of a bundle have changed: increase TEXT_VERSION, then update this digest"
