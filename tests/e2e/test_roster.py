"""Accounts for a class: import a roster, hand out tokens, export, rotate."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest
from tests.e2e.test_accounts import account

ROSTER = "id,Name,group\n1,Ann Lee,a\n2, Zoë ,b\n\n3,=cmd,a\n"


def write_roster(folder: Path, text: str = ROSTER) -> str:
    path = folder / "roster.csv"
    path.write_text(text, encoding="utf-8-sig")
    return str(path)


async def test_token_of_a_student_works_until_it_is_rotated(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    server = await start()
    db = tmp_path / "parlour.db"
    assert (await account(db, "import", write_roster(tmp_path), "--tokens", str(tmp_path / "tokens")))[0] == 0
    token = re.findall(r"TOKEN=(\S+)", (tmp_path / "tokens" / "Ann_20_Lee.txt").read_text())[0]
    ann = await connect_guest(server.url, token=token)
    assert (ann.you["name"], ann.you["account"]) == ("Ann Lee", True)
    code, new, _ = await account(db, "rotate", "ann lee")
    assert code == 0
    late = await Guest.open(server.url)
    assert (await late.refused("hello", token=token))["code"] == "bad_token"
    assert (await late.refused("hello", resume=ann.session))["code"] == "bad_session"
    await late.close()
    again = await connect_guest(server.url, token=new)
    assert again.you["id"] == ann.you["id"]  # ratings and games stay


async def test_repeated_import_adds_only_new_students(tmp_path: Path) -> None:
    db, tokens = tmp_path / "p.db", tmp_path / "tokens"
    code, output, errors = await account(db, "import", write_roster(tmp_path), "--tokens", str(tokens))
    assert (code, output) == (0, f"3 accounts created, 0 existed already; tokens in {tokens}"), errors
    files = {path.name: path.read_text() for path in tokens.iterdir()}
    assert len(files) == 3
    assert all((path.stat().st_mode & 0o077) == 0 for path in tokens.iterdir())
    again = write_roster(tmp_path, ROSTER + "4,Dan,b\n")
    code, output, _ = await account(db, "import", again, "--tokens", str(tokens))
    assert (code, output) == (0, f"1 account created, 3 existed already; tokens in {tokens}")
    assert {name: (tokens / name).read_text() for name in files} == files
    code, output, _ = await account(db, "export")
    rows = list(csv.DictReader(output.splitlines()))
    assert [(row["name"], row["state"]) for row in rows] == [
        ("'=cmd", "active"), ("Ann Lee", "active"), ("Dan", "active"), ("Zoë", "active")
    ]  # fmt: skip
    assert not any(token in output for text in files.values() for token in re.findall(r"TOKEN=(\S+)", text))


async def test_sheet_is_private_escaped_and_never_overwritten(tmp_path: Path) -> None:
    db, sheet = tmp_path / "p.db", tmp_path / "sheet.html"
    roster = write_roster(tmp_path, "name\n<b>Ann\n")
    assert (await account(db, "import", roster, "--sheet", str(sheet), "--url", "ws://example.org/ws"))[0] == 0
    text = sheet.read_text()
    assert "&lt;b&gt;Ann" in text
    assert "<b>" not in text
    assert "ws://example.org/ws" in text
    assert sheet.stat().st_mode & 0o077 == 0
    code, _, errors = await account(db, "import", write_roster(tmp_path, "name\nBen\n"), "--sheet", str(sheet))
    assert code == 2
    assert "exists, and may have the only copy of its tokens" in errors
    assert sheet.read_text() == text
    assert (await account(db, "list"))[1].count("\n") == 0  # Ben was not created without a token


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("id\n1\n", "has no column 'name'"),
        ("name\n", "has no names"),
        ("name\nAnn\nann\n", "lines 2 and 3 have the same name, ann"),
        ("name\nAnn\n" + "x" * 99 + "\n", "line 3 of the roster"),
        ('name\n"Ann\n', "save the roster as CSV"),
    ],
)
async def test_wrong_roster_creates_nothing(tmp_path: Path, text: str, problem: str) -> None:
    db = tmp_path / "p.db"
    code, _, errors = await account(db, "import", write_roster(tmp_path, text), "--tokens", str(tmp_path / "t"))
    assert code == 2
    assert problem in errors
    assert not db.exists()
    assert not (tmp_path / "t").exists()


async def test_import_needs_a_place_for_the_tokens(tmp_path: Path) -> None:
    db = tmp_path / "p.db"
    assert "needs --tokens DIR or --sheet FILE" in (await account(db, "import", write_roster(tmp_path)))[2]
    assert "needs a file, for example roster.csv" in (await account(db, "import"))[2]
    assert "takes no --tokens" in (await account(db, "list", "--tokens", "x"))[2]
    assert not db.exists()
    assert (await account(db, "add", "ben"))[0] == 0
    assert "there is no account ann" in (await account(db, "rotate", "ann"))[2]
