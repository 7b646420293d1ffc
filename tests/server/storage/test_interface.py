"""The contract of every store, with real files and a real PostgreSQL."""

from __future__ import annotations

import asyncio

import pytest

from server.domain.downtime import Downtime
from server.storage.factory import open_store
from server.storage.interface import (
    Append,
    Conflict,
    PlayerRooms,
    ReturningPlayer,
    Session,
    Store,
    Unavailable,
    append_and_wait,
    new_secret,
)
from tests.server.storage.rows import row


async def test_events_are_read_in_order(store: Store) -> None:
    await append_and_wait(store, Append("r", 0, (b"a", b"b"), row("r")))
    await append_and_wait(store, Append("r", 2, (b"c",)))
    assert await store.events("r") == [b"a", b"b", b"c"]
    assert await store.events("r", after=2) == [b"c"]


async def test_second_event_with_the_same_seq_is_a_conflict(store: Store) -> None:
    first = append_and_wait(store, Append("r", 0, (b"a",)))
    second = append_and_wait(store, Append("r", 0, (b"b",)))
    await first
    with pytest.raises(Conflict):
        await second
    assert await store.events("r") == [b"a"]


async def test_bad_append_does_not_fail_others_in_its_batch(store: Store) -> None:
    await append_and_wait(store, Append("taken", 0, (b"x",)))
    jobs = [append_and_wait(store, Append(f"r{n}", 0, (b"a", b"b"), row(f"r{n}"))) for n in range(50)]
    late = append_and_wait(store, Append("taken", 0, (b"late",), row("taken")))
    odd = append_and_wait(store, Append("odd", 0, (object(),), None))  # type: ignore[arg-type]  # cannot be bound
    jobs += [append_and_wait(store, Append(f"s{n}", 0, (b"a",))) for n in range(50)]
    await asyncio.gather(*jobs)
    with pytest.raises(Conflict):
        await late
    with pytest.raises(Unavailable, match="cannot be stored"):
        await odd
    assert await store.events("r49") == [b"a", b"b"]
    assert await store.events("taken") == [b"x"]
    assert len(await store.unfinished_rooms()) == 50


async def test_append_to_two_rooms_is_atomic(store: Store) -> None:
    await append_and_wait(store, Append("new", 0, (b"x",)))
    both = append_and_wait(store, Append("old", 0, (b"a",), also=Append("new", 0, (b"b",))))
    with pytest.raises(Conflict):
        await both
    assert await store.events("old") == []
    await append_and_wait(store, Append("old", 0, (b"a",), also=Append("new", 1, (b"b",), row("new"))))
    assert await store.events("new") == [b"x", b"b"]


async def test_concurrent_appends_share_a_transaction(place: str) -> None:
    commits: list[int] = []
    store = open_store(place, on_commit=lambda seconds, jobs: commits.append(jobs))
    await store.open()
    await asyncio.gather(*(append_and_wait(store, Append(f"r{n}", 0, (b"a",))) for n in range(777)))
    await store.close()
    assert sum(commits) == 777
    assert len(commits) <= 3  # the first may be on its own, the others queue up meanwhile


async def test_close_writes_queued_appends(place: str) -> None:
    store = open_store(place)
    await store.open()
    jobs = [append_and_wait(store, Append("r", n, (b"a",))) for n in range(20)]
    await store.close()
    assert all(job.done() and job.exception() is None for job in jobs)


async def test_room_index_finds_rooms_and_deadlines(store: Store) -> None:
    await append_and_wait(store, Append("r1", 0, (b"a",), row("r1", "waiting", deadline=50)))
    await append_and_wait(store, Append("r2", 0, (b"a",), row("r2", game="mancala", deadline=70)))
    await append_and_wait(store, Append("r3", 0, (b"a",), row("r3", private=True)))
    await append_and_wait(store, Append("r4", 0, (b"a",), row("r4", "ended", result="1-0", changed_at=8)))
    await append_and_wait(
        store, Append("r5", 0, (b"a",), row("r5", "ended", result="0-1", changed_at=9, names=("cy", "di")))
    )
    await append_and_wait(store, Append("r6", 0, (b"a",), row("r6", "ended", changed_at=10)))
    assert await store.rooms("", "", 10) == [b"r2", b"r1"]
    assert await store.rooms("mancala", "", 10) == [b"r2"]
    assert await store.rooms("", "waiting", 10) == [b"r1"]
    assert await store.history("", "", None, 10) == [(9, b"r5"), (8, b"r4")]
    assert await store.history("", "", 9, 10) == [(8, b"r4")]
    assert await store.history("conga", "ANN", None, 10) == [(8, b"r4")]
    assert await store.rooms_of("p2") == ["r1", "r2", "r3"]
    assert await store.due(60) == [("r1", 50)]
    await store.postpone("r1", 50, 55)
    await store.postpone("r1", 50, 99)
    assert await store.due(60) == [("r1", 55)]
    await append_and_wait(store, Append("r1", 1, (b"b",), row("r1", deadline=None)))
    assert await store.due(60) == []


async def test_text_with_a_null_character_matches_nothing(store: Store) -> None:
    assert await store.events("a\0b") == []
    assert await store.history("a\0b", "c\0d", None, 10) == []
    assert await store.account_named("a\0b") is None


async def test_rooms_waiting_for_a_name(store: Store) -> None:
    await append_and_wait(store, Append("r1", 0, (b"a",), row("r1", "waiting", private=True, names=("", "ben"))))
    await append_and_wait(store, Append("r2", 0, (b"a",), row("r2", "waiting", names=("straße".casefold(), "ben"))))
    await append_and_wait(store, Append("r3", 0, (b"a",), row("r3", names=("ann", "ben"))))
    assert await store.rooms_for("p9", "Ben") == PlayerRooms([], ["r1", "r2"])
    assert await store.rooms_for("p9", "STRASSE") == PlayerRooms([], ["r2"])
    assert await store.rooms_for("p2", "ann") == PlayerRooms(["r1", "r2", "r3"], [])


async def test_last_opponent_is_the_current_or_latest_one(store: Store) -> None:
    assert await store.last_opponent("p1", "Ann") == ""
    await append_and_wait(store, Append("r1", 0, (b"a",), row("r1", "ended", result="1-0", changed_at=8)))
    assert await store.last_opponent("p1", "ann") == "p2"
    assert await store.last_opponent("p2", "BEN") == "p1"
    assert await store.last_opponent("p9", "ann") == ""  # another player with that name
    await append_and_wait(store, Append("r2", 0, (b"a",), row("r2", "waiting", players=("p1", ""), changed_at=20)))
    await append_and_wait(
        store, Append("r3", 0, (b"a",), row("r3", "ended", players=("p4", "p1"), names=("di", "ann"), changed_at=19))
    )
    assert await store.last_opponent("p1", "Ann") == "p2"  # a waiting room and a game without a result do not count
    await append_and_wait(store, Append("r4", 0, (b"a",), row("r4", players=("p3", "p1"), changed_at=9)))
    assert await store.last_opponent("p1", "Ann") == "p3"


async def test_account_name_is_free_again_after_revocation(store: Store) -> None:
    assert await store.add_account("Ann", "p1", "t1", 5)
    assert not await store.add_account("ann", "p2", "t2", 6)
    assert await store.revoke_account("ANN", 7)
    assert not await store.revoke_account("ann", 7)
    assert await store.account_of_token("t1") is None
    assert await store.add_account("ann", "p2", "t2", 8)
    assert [(account.name, account.revoked_at) for account in await store.accounts()] == [("Ann", 7), ("ann", None)]


async def test_rotated_token_replaces_the_old_one_and_ends_its_sessions(store: Store) -> None:
    assert await store.add_account("Ann", "p1", "t1", 5)
    assert await store.add_account("Ben", "p2", "t2", 5)
    assert await store.save_session("s1", Session("p1", "Ann", "Ann"), 6, account_change=1)
    assert await store.save_session("s2", Session("p2", "Ben", "Ben"), 6, account_change=2)
    assert await store.rotate_account("ann", "t3")
    assert await store.account_of_token("t1") is None
    account = await store.account_of_token("t3")
    assert account is not None
    assert (account.name, account.player) == ("Ann", "p1")
    assert await store.load_session("s1") is None
    assert await store.load_session("s2") is not None
    await store.revoke_account("ann", 7)
    assert not await store.rotate_account("ann", "t4")
    assert await store.account_of_token("t4") is None


async def test_session_of_an_account_that_has_changed_is_not_saved(store: Store) -> None:
    assert await store.add_account("Ann", "p1", "t0", 5)
    account = await store.account_of_token("t0")
    assert account is not None
    assert await store.save_session("s0", Session("p1", "Ann", "Ann"), 6, account.change)
    await store.rotate_account("ann", "t1")
    assert not await store.save_session("s1", Session("p1", "Ann", "Ann"), 6, account.change)
    assert not await store.save_session("s0", Session("p1", "Ann", "Ann"), 7, account.change)
    assert [await store.load_session(secret) for secret in ("s0", "s1")] == [None, None]


async def test_rotation_leaves_no_session_of_the_old_token(store: Store) -> None:
    assert await store.add_account("Ann", "p1", "t0", 5)
    for number in range(1, 6):
        account = await store.account_of_token(f"t{number - 1}")
        assert account is not None
        session, secrets = Session("p1", "Ann", "Ann"), [f"s{number}-{n}" for n in range(8)]
        saves = [store.save_session(secret, session, 6, account.change) for secret in secrets]
        await asyncio.gather(*saves[:4], store.rotate_account("ann", f"t{number}"), *saves[4:])
        assert [await store.load_session(secret) for secret in secrets] == [None] * 8


async def test_changes_of_accounts_are_numbered(store: Store) -> None:
    assert await store.last_account_change() == 0
    await asyncio.gather(*(store.add_account(f"ann{n}", f"p{n}", f"t{n}", 5) for n in range(8)))
    assert [change.number for change in await store.account_changes(0)] == [1, 2, 3, 4, 5, 6, 7, 8]
    await store.revoke_account("ann3", 7)
    ((number, account),) = await store.account_changes(8)
    assert (number, account.player, account.revoked_at) == (9, "p3", 7)
    assert await store.last_account_change() == 9
    assert await store.account_changes(9) == []


async def test_guest_name_is_free_after_the_last_connection_has_left(store: Store) -> None:
    assert await store.claim_name("a", "p1", "Ann")
    assert await store.claim_name("b", "p1", "Ann")
    assert not await store.claim_name("a", "p2", "ann")
    await store.mark_absent("b", "p1", "ann")
    await store.mark_absent("a", "p1", "ann")
    assert await store.claim_name("a", "p2", "ANN")


async def test_player_of_a_name_is_the_account_or_the_connected_guest(store: Store) -> None:
    assert await store.player_named("ann") == ""
    assert await store.claim_name("a", "p1", "Ann")
    assert await store.player_named("ANN") == "p1"
    await store.mark_absent("a", "p1", "ann")
    assert await store.player_named("ann") == ""
    assert await store.add_account("Ann", "p2", "t", 5)
    assert await store.player_named("ann") == "p2"


async def test_last_alive_is_the_latest_heartbeat(store: Store) -> None:
    assert await store.last_alive() is None
    await store.mark_alive("a", 5)
    await store.mark_alive("b", 9)
    await store.mark_alive("a", 7)
    assert await store.last_alive() == 9


async def test_heartbeat_says_whether_its_node_is_on_the_bus(store: Store) -> None:
    await store.mark_alive("a", 5)
    await store.mark_alive("b", 9, on_bus=False)
    await store.mark_alive("old", 4)
    assert await store.living_nodes(5) == {"a": True, "b": False}
    await store.mark_alive("a", 9, on_bus=False)
    await store.mark_alive("b", 9)
    assert await store.living_nodes(5) == {"a": False, "b": True}


async def test_all_nodes_get_the_same_key(store: Store, place: str) -> None:
    other = open_store(place)
    await other.open()
    keys = await asyncio.gather(store.key("bus"), other.key("bus"))
    assert (len(set(keys)), len(keys[0])) == (1, 32)
    assert await store.key("other") != keys[0]
    await other.close()


async def test_dead_node_keeps_the_time_of_its_last_heartbeat(store: Store) -> None:
    await store.mark_alive("a", 5)
    await store.mark_alive("b", 9)
    assert await store.has_living_node(9, 20)
    await store.mark_dead("b")
    await store.mark_dead("b")
    assert not await store.has_living_node(6, 20)
    assert await store.has_living_node(5, 20)
    assert await store.last_alive() == 9


async def test_downtime_postpones_running_games(store: Store) -> None:
    for name, status, deadline in (
        ("late", "running", 9_000),
        ("soon", "running", 1_000),
        ("untimed", "running", None),
        ("waiting", "waiting", 500),
        ("over", "ended", None),
    ):
        await append_and_wait(store, Append(name, 0, (b"a",), row(name, status, deadline=deadline)))
    for name, started_at in (("new", 150), ("newest", 390)):
        await append_and_wait(store, Append(name, 0, (b"a",), row(name, deadline=2_000, changed_at=started_at)))
    assert await store.has_running_rooms()
    assert await store.unfinished_rooms("waiting") == ["waiting"]
    await store.mark_alive("a", 100)
    await store.add_downtime(Downtime(100, 400), 20, 5_000)
    assert sorted(await store.due(10_000)) == [
        ("late", 5_000), ("new", 2_230), ("newest", 2_000), ("soon", 1_280), ("untimed", 5_000), ("waiting", 500),
    ]  # fmt: skip
    await store.add_downtime(Downtime(500, 700), 0, 9_000)
    assert await store.downtimes() == [Downtime(100, 400), Downtime(500, 700)]
    assert await store.last_alive() == 700, "a node recorded this when it started"
    await store.move_times(-1, 600)
    assert await store.downtimes() == [Downtime(100, 400)], "the clock was set back"


async def test_waiting_and_ended_rooms_are_not_running(store: Store) -> None:
    assert not await store.has_running_rooms()
    await append_and_wait(store, Append("w", 0, (b"a",), row("w", "waiting")))
    await append_and_wait(store, Append("e", 0, (b"a",), row("e", "ended")))
    assert not await store.has_running_rooms()


async def test_reopened_store_has_all_events(store: Store, place: str) -> None:
    await append_and_wait(store, Append("r", 0, (b"a",)))
    again = open_store(place)
    await again.open()
    assert await again.events("r") == [b"a"]
    await again.close()


async def test_session_and_account_are_found_by_their_secrets(store: Store) -> None:
    await store.save_session("my-secret", Session("p1", "ann", ""), 5)
    assert await store.add_account("Ann", "p1", "my-token", 5)
    returning = await store.load_session("my-secret")
    assert returning is not None
    assert returning.session == Session("p1", "ann", "")
    assert await store.load_session("other") is None
    account = await store.account_of_token("my-token")
    assert account is not None
    assert account.name == "Ann"
    assert await store.delete_sessions(6, 10) == 1
    assert await store.load_session("my-secret") is None


async def test_loaded_session_has_the_rooms_of_its_player(store: Store) -> None:
    await store.save_session("secret", Session("p1", "ann", ""), 5)
    assert await store.load_session("secret") == ReturningPlayer(Session("p1", "ann", ""), 5, None, PlayerRooms([], []))
    for name, status, players in (
        ("r3", "running", ("p1", "p2")),
        ("r2", "waiting", ("", "p1")),
        ("r1", "ended", ("p1", "p2")),
        ("r0", "running", ("p2", "p3")),
    ):
        await append_and_wait(store, Append(name, 0, (b"a",), row(name, status, players=players, names=("", ""))))
    await append_and_wait(store, Append("r4", 0, (b"a",), row("r4", "waiting", players=("p2", ""), names=("", "ann"))))
    returning = await store.load_session("secret")
    assert returning is not None
    assert returning.rooms == PlayerRooms(["r2", "r3"], ["r4"])


async def test_loaded_session_tells_which_account_owns_its_name(store: Store) -> None:
    await store.save_session("secret", Session("p1", "José", ""), 5)
    assert await store.add_account("JOSE\u0301", "p2", "token", 6)
    returning = await store.load_session("secret")
    assert returning is not None
    assert returning.name_owner == "p2"
    await store.revoke_account("josé", 7)
    returning = await store.load_session("secret")
    assert returning is not None
    assert returning.name_owner is None


async def test_latest_seqs_of_several_rooms_are_read_at_once(store: Store) -> None:
    for room, count in (("r1", 1), ("r2", 3)):
        await append_and_wait(store, Append(room, 0, (b"x",) * count))
    assert await store.latest_seqs(["r1", "r2", "nowhere"]) == {"r1": 1, "r2": 3}
    assert await store.latest_seqs([]) == {}


def test_secrets_are_unique_and_alphanumeric() -> None:
    secrets = {new_secret() for _ in range(500)}
    assert len(secrets) == 500
    assert all(secret.isalnum() and len(secret) == 48 for secret in secrets)


async def test_times_move_along_with_a_changed_clock(store: Store) -> None:
    await store.save_session("secret", Session("p1", "ann", ""), 500)
    await store.mark_alive("dead", 900)
    for ms, now, seen_at in ((-400, 500, 100), (10_000, 9_000, 9_000)):
        await store.move_times(ms, now)
        returning = await store.load_session("secret")
        assert returning is not None
        assert returning.saved_at == seen_at, "never in the future"
    await store.mark_alive("n", 400)
    assert await store.last_alive() == 400, "the heartbeat in the future is gone"
