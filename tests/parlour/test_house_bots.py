"""House bots: names, accounts, arguments. tests/e2e/test_bots_house.py runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from client.bots.loader import LoadError
from parlour.cli import house_bots
from parlour.cli.house_bots import (
    REVIEWER,
    bot_args,
    ensure_accounts,
    house_names,
    local_url,
    parse_bot_name,
    token_file,
)
from server.config import Settings
from server.storage.sqlite.store import SqliteStore


def test_names_are_split_without_duplicates() -> None:
    assert house_names("random, greedy,,random,search@3") == ("random", "greedy", "search@3")
    assert house_names("none") == house_names("") == ()


@pytest.mark.parametrize("name", ["greedy@3", "search@0", "search@11", "search@x", "search@"])
def test_wrong_level_is_reported(name: str) -> None:
    with pytest.raises(LoadError, match="is not a bot: only search has levels, search@1 to search@10"):
        house_names(name)


def test_search_without_a_level_has_the_highest() -> None:
    assert parse_bot_name("search").level == 10
    assert parse_bot_name("search@3").level == 3


def test_arguments_limit_the_games_of_a_search() -> None:
    search, other = bot_args("search@3", "ws://x", ""), bot_args("greedy", "ws://x", "cert.pem")
    assert search[search.index("--concurrent") + 1] == str(house_bots.MAX_CONCURRENT_SEARCH_GAMES)
    assert search[-2:] == ["--level", "3"]
    assert other[other.index("--concurrent") + 1] == str(house_bots.MAX_CONCURRENT_GAMES)
    assert other[-2:] == ["--tls-trust", "cert.pem"]


def test_reviewer_is_a_house_bot_by_default() -> None:
    assert house_names(Settings().house)[-1] == REVIEWER
    assert bot_args(REVIEWER, "ws://x", "") == ["reviewer", "--url", "ws://x", "--leave-with-stdin"]


async def test_reviewer_without_its_account_is_not_started(
    tmp_path: Path, state: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a guest it could not submit anything."""
    started: list[str] = []

    def supervise(name: str, *rest: str) -> FakeSupervisor:
        started.append(name)
        return FakeSupervisor()

    monkeypatch.setattr(house_bots, "supervisor", supervise)
    settings, store = Settings(db=str(tmp_path / "parlour.db")), SqliteStore(str(tmp_path / "parlour.db"))
    await store.open()
    try:
        await store.add_account(REVIEWER, "p-somebody", "token", 1)
        async with house_bots.house_bots(("random", REVIEWER), settings, "ws://x", store):
            assert started == ["random"]
    finally:
        await store.close()


class FakeSupervisor:
    def start_soon(self) -> None:
        """Do nothing."""

    async def stop(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("url", "local"),
    [
        ("ws://0.0.0.0:8765/ws", "ws://127.0.0.1:8765/ws"),
        ("ws://[::]:8765/ws", "ws://[::1]:8765/ws"),
        ("ws://192.0.2.1:8765/ws", "ws://192.0.2.1:8765/ws"),
    ],
)
def test_server_on_all_interfaces_is_reached_locally(url: str, local: str) -> None:
    assert local_url(url) == local


def test_tokens_are_next_to_a_file_or_in_the_state_folder(state: Path) -> None:
    assert token_file("games.db") == Path("games.db.house.json")
    assert token_file("postgresql://host/db").parent == state / "parlour"


async def test_accounts_are_created_once_and_never_taken_over(tmp_path: Path) -> None:
    store, path = SqliteStore(str(tmp_path / "parlour.db")), tmp_path / "tokens.json"
    await store.open()
    try:
        first = await ensure_accounts(("random", "greedy"), store, path)
        assert set(first) == {"random", "greedy"}
        assert path.stat().st_mode & 0o777 == 0o600
        assert await ensure_accounts(("random",), store, path) == {"random": first["random"]}
        path.unlink()
        assert await ensure_accounts(("random",), store, path) == {}, "the name belongs to an unknown token now"
    finally:
        await store.close()


@pytest.mark.parametrize("text", ["", "{", "[1]", '{"random": 1}', "[" * 60_000, " " * (1 << 17)])
def test_damaged_token_file_counts_as_empty(tmp_path: Path, text: str) -> None:
    (tmp_path / "tokens.json").write_text(text)
    assert house_bots.read_tokens(tmp_path / "tokens.json") == {}
