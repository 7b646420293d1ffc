"""Requests for reviews in both stores: a bounded queue, the oldest first, and never two reviewers for one game."""

from __future__ import annotations

import asyncio

import pytest

from server.storage.interface import Store
from server.storage.reviews import ReviewRow
from tests.server.storage.test_retention_queries import add_room


async def request(store: Store, *rooms: str) -> None:
    for at, room in enumerate(rooms):
        assert await store.request_review(room, f"player of {room}", 1000 + at, 100)


async def test_oldest_request_is_taken_first_and_only_once(store: Store) -> None:
    await request(store, "b", "a")
    assert await store.count_reviews_before(1001) == 1
    taken = await asyncio.gather(*(store.take_review(2000, 5000) for _ in range(3)))
    assert sorted(filter(None, taken)) == [("a", 1), ("b", 1)]
    assert taken.count(None) == 1


async def test_request_of_a_lost_reviewer_is_taken_again(store: Store) -> None:
    await request(store, "a")
    assert await store.take_review(2000, 5000) == ("a", 1)
    assert await store.take_review(4999, 9000) is None
    assert await store.keep_review("a", 7000)
    assert await store.take_review(6000, 9000) is None
    assert await store.take_review(7001, 9000) == ("a", 2)
    await store.release_review("a", 1)
    assert await store.take_review(7002, 9000) == ("a", 2)
    await store.release_reviews()
    assert await store.take_review(7003, 9000) == ("a", 3)


async def test_second_request_for_a_room_changes_nothing(store: Store) -> None:
    await request(store, "a")
    assert await store.request_review("a", "another player", 9000, 1)
    assert await store.review("a") == ReviewRow(1000, 0, 0, None)
    assert await store.last_review_request("player of a") == 1000
    assert await store.last_review_request("another player") == 0


async def test_full_queue_takes_no_request(store: Store) -> None:
    await request(store, "a", "b")
    assert not await store.request_review("c", "ann", 2000, 2)
    assert await store.review("c") is None
    assert await store.save_review("a", b"done")
    assert await store.request_review("c", "ann", 2000, 2)


async def test_review_is_stored_once(store: Store) -> None:
    await request(store, "a")
    assert await store.save_review("a", b"first")
    assert not await store.save_review("a", b"second")
    assert not await store.keep_review("a", 9000)
    await store.drop_review("a")
    found = await store.review("a")
    assert found is not None
    assert found.review == b"first"
    assert await store.take_review(2000, 5000) is None


async def test_request_that_cannot_be_met_is_dropped(store: Store) -> None:
    await request(store, "a")
    await store.drop_review("a")
    assert await store.review("a") is None
    assert not await store.save_review("a", b"late")


@pytest.mark.parametrize("done", [True, False])
async def test_review_goes_with_its_room(store: Store, done: bool) -> None:
    await add_room(store, "a", result="*")
    await request(store, "a")
    if done:
        await store.save_review("a", b"done")
    await store.delete_rooms(["a"])
    assert await store.review("a") is None
