"""Accounts: `parlour account`, and hello with a token."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pexpect
import pytest

from server.storage.interface import Unavailable
from tests.e2e.conftest import ConnectGuest, Start
from tests.e2e.guest import Guest
from tests.waiting import TIMEOUT_S

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMqPnh1bKVgUWkMPbRcH1cZ5EvXT4XpW8dJkqC7lTqvN ann@home\n"
FINGERPRINT = "SHA256:ZhNa92cDcib6Z0/E6J002p/zt6zE7a3ho1pg4Opsfy0"


async def account(db: Path, *words: str) -> tuple[int, str, str]:
    """Run `parlour account`. Return its exit code and texts, without the notice of a wait on a busy machine."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "parlour", "account", *words, "--db", str(db),
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    out, err = await process.communicate()
    assert process.returncode is not None
    lines = [line for line in err.decode().splitlines() if "waiting for a process that writes" not in line]
    return process.returncode, out.decode().strip(), "\n".join(lines).strip()


async def test_only_the_holder_of_a_token_can_use_its_name(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    server = await start()
    db = tmp_path / "parlour.db"
    guest = await connect_guest(server.url, "Alice")
    code, token, _ = await account(db, "add", "alice")
    assert code == 0
    assert len(token) >= 32
    alice = await connect_guest(server.url, token=token)
    assert (alice.you["name"], alice.you["account"]) == ("alice", True)
    stranger = await Guest.open(server.url)
    assert (await stranger.refused("hello", name="ALICE"))["code"] == "name_taken"
    assert (await stranger.refused("hello", token="wrong"))["code"] == "bad_token"
    await stranger.close()
    again = await connect_guest(server.url, resume=guest.session)
    assert again.you["name"] == "Alice~2"
    assert (await account(db, "list"))[1].split("\t")[0] == "alice"
    assert (await account(db, "revoke", "Alice"))[0] == 0
    await asyncio.wait_for(alice.socket.wait_closed(), TIMEOUT_S)
    assert (alice.socket.close_code, alice.socket.close_reason) == (1008, "your account has been revoked")
    late = await Guest.open(server.url)
    assert (await late.refused("hello", token=token))["code"] == "bad_token"
    assert (await late.refused("hello", resume=alice.session))["code"] == "bad_session"
    await late.close()


async def test_new_token_disconnects_the_clients_of_the_old_one(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    server = await start()
    db = tmp_path / "parlour.db"
    _, old, _ = await account(db, "add", "alice")
    by_token = await connect_guest(server.url, token=old)
    by_session = await connect_guest(server.url, resume=by_token.session)
    code, new, _ = await account(db, "rotate", "alice")
    assert code == 0
    for client in (by_token, by_session):
        await asyncio.wait_for(client.socket.wait_closed(), TIMEOUT_S)
        text = "the token of your account was replaced; connect with the new one"
        assert (client.socket.close_code, client.socket.close_reason) == (1008, text)
    late = await Guest.open(server.url)
    assert (await late.refused("hello", token=old))["code"] == "bad_token"
    assert (await late.refused("hello", resume=by_token.session))["code"] == "bad_session"
    await late.close()
    alice = await connect_guest(server.url, token=new)
    assert (await connect_guest(server.url, resume=alice.session)).you["name"] == "alice"


async def test_account_mistakes_get_one_sentence(tmp_path: Path) -> None:
    db = tmp_path / "parlour.db"
    key = tmp_path / "key.pub"
    key.write_text(KEY)
    assert (await account(db, "add", "ann"))[0] == 0
    for words, text in (
        (("add", "Ann"), "there is already an account"),
        (("add", "x" * 99), "at most 32 characters"),
        (("add", "new\nline"), "visible characters"),
        (("add", "St\u0430ff"), "one alphabet"),
        (("add",), "needs a name"),
        (("list", "ann"), "needs no name"),
        (("revoke", "bob"), "there is no account bob"),
        (("key", "bob", str(key)), "there is no account bob"),
        (("key", "ann"), "needs a file"),
        (("key", "ann", str(db)), "is not UTF-8 text"),
        (("keys", "ann"), "needs no name"),
        (("unkey", "SHA256:x"), "no account has the key SHA256:x"),
        (("add", "bob", str(key)), "takes one name only"),
    ):
        code, out, err = await account(db, *words)
        assert (code, out) == (2, "")
        assert text in err
        assert "Traceback" not in err
        assert len(err.splitlines()) == 1


async def test_public_keys_are_added_listed_and_removed(tmp_path: Path) -> None:
    db, key = tmp_path / "parlour.db", tmp_path / "key.pub"
    key.write_text(KEY)
    for name in ("ann", "ben"):
        await account(db, "add", name)
    assert await account(db, "key", "Ann", str(key)) == (0, f"{FINGERPRINT} logs in as ann", "")
    code, _, err = await account(db, "key", "ben", str(key))
    assert code == 2
    assert "belongs to the account ann" in err
    _, out, _ = await account(db, "keys")
    assert [out.split("\t")[n] for n in (0, 1, 3)] == ["ann", FINGERPRINT, "ann@home"]
    assert (await account(db, "unkey", FINGERPRINT))[1].startswith(f"{FINGERPRINT} no longer logs in as ann")
    assert await account(db, "keys") == (0, "", "")


async def test_server_for_accounts_refuses_guests(start: Start, connect_guest: ConnectGuest, tmp_path: Path) -> None:
    server = await start(auth="tokens")
    _, token, _ = await account(tmp_path / "parlour.db", "add", "ann")
    guest = await Guest.open(server.url)
    assert (await guest.refused("hello", name="guest"))["code"] == "guests_refused"
    await guest.hello(token=token)
    await guest.close()


async def test_guests_of_the_same_name_get_a_suffix(start: Start, connect_guest: ConnectGuest) -> None:
    server = await start()
    names = [(await connect_guest(server.url, "sam")).you["name"] for _ in range(3)]
    assert names == ["sam", "sam~2", "sam~3"]
    assert (await connect_guest(server.url)).you["name"].startswith("guest-")


async def test_account_resumes_its_games_without_a_session(
    start: Start, connect_guest: ConnectGuest, tmp_path: Path
) -> None:
    server = await start()
    _, token, _ = await account(tmp_path / "parlour.db", "add", "ann")
    ann = await connect_guest(server.url, token=token)
    room = (await ann.ask("create", game="conga", seat=1))["room"]
    again = await connect_guest(server.url, token=token)
    assert (await again.find(type="snapshot"))["room"] == room


async def test_name_is_free_again_after_a_failed_hello(
    start: Start, connect_guest: ConnectGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = await start()

    async def save_session(*_: object) -> None:
        raise Unavailable("the disk is full")

    with monkeypatch.context() as fault:
        fault.setattr(server.app.store, "save_session", save_session)
        guest = await Guest.open(server.url)
        assert (await guest.refused("hello", name="sam"))["code"] == "unavailable"
    await guest.hello("sam")
    assert guest.you["name"] == "sam"
    await guest.close()


def test_new_token_is_explained_on_a_terminal(tmp_path: Path) -> None:
    words = ["-m", "parlour", "account", "add", "ann", "--db", str(tmp_path / "parlour.db")]
    child = pexpect.spawn(sys.executable, words, encoding="utf-8", timeout=TIMEOUT_S)
    child.expect(pexpect.EOF)
    token, *lines = child.before.split()
    text = " ".join(lines)
    assert "This is the token of ann" in text
    assert f"export PARLOUR_TOKEN={token} parlour play conga --pair --rated --url ws://" in text
