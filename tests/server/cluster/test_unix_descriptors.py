"""Open sockets that one worker hands to another."""

from __future__ import annotations

import os
import resource
import socket
from collections.abc import AsyncIterator, Iterator
from shutil import rmtree

import pytest

from server.cluster.unix.descriptors import MAX_DATAGRAM_BYTES, Answer, DescriptorLink
from server.workers.parent import private_folder
from tests.waiting import until

Links = tuple[DescriptorLink, DescriptorLink]
Sockets = tuple[socket.socket, socket.socket]


@pytest.fixture
def folder() -> Iterator[str]:
    folder = private_folder()
    yield folder
    rmtree(folder)


@pytest.fixture
async def links(folder: str) -> AsyncIterator[Links]:
    """Open the links of workers 0 and 1."""
    here, there = DescriptorLink(folder, 0), DescriptorLink(folder, 1)
    here.open()
    there.open()
    yield here, there
    here.close()
    there.close()


@pytest.fixture
def sockets() -> Iterator[Sockets]:
    """Return two sockets that are connected."""
    one, other = socket.socketpair()
    with one, other:
        yield one, other


class Offers:
    """Collects what a link receives."""

    def __init__(self, link: DescriptorLink) -> None:
        self.all: list[tuple[int, bytes, Answer]] = []
        link.on_offer = lambda descriptor, message, answer: self.all.append((descriptor, message, answer))


async def test_socket_works_in_the_other_worker(links: Links, sockets: Sockets) -> None:
    here, there = links
    offers, answers = Offers(there), list[bool]()
    one, other = sockets
    assert here.offer(1, one.fileno(), b"hello", answers.append) is not None
    one.close()
    await until("the offer arrives", lambda: offers.all)
    (descriptor, message, tell) = offers.all[0]
    assert message == b"hello"
    assert not os.get_inheritable(descriptor)
    with socket.socket(fileno=descriptor) as received:
        received.sendall(b"x")
        assert other.recv(1) == b"x"
    assert answers == []
    tell(True)
    await until("the answer arrives", lambda: answers)
    tell(False)  # a second answer is ignored
    here.receive()
    assert answers == [True]


async def test_offer_to_a_worker_that_is_gone_fails(folder: str) -> None:
    link = DescriptorLink(folder, 0)
    assert link.offer(1, 0, b"", lambda taken: None) is None  # it is not open yet
    link.open()
    assert link.offer(1, 0, b"", lambda taken: None) is None
    there = DescriptorLink(folder, 1)
    there.open()
    there.close()
    assert link.offer(1, 0, b"", lambda taken: None) is None
    assert link.offer(0, 0, bytes(MAX_DATAGRAM_BYTES), lambda taken: None) is None
    link.close()


async def test_worker_that_reads_nothing_gets_a_bounded_number_of_offers(links: Links, sockets: Sockets) -> None:
    here, _ = links
    one, _ = sockets
    sent = 0
    while here.offer(1, one.fileno(), bytes(1000), lambda taken: None) is not None:  # the loop does not run meanwhile
        sent += 1
        assert sent < 100_000


async def test_answer_to_a_worker_with_many_messages_is_sent_again(links: Links, sockets: Sockets) -> None:
    here, there = links
    offers, answers = Offers(there), list[bool]()
    one, _ = sockets
    assert here.offer(1, one.fileno(), b"", answers.append) is not None
    there.receive()
    descriptor, _, tell = offers.all[0]
    while there.offer(0, one.fileno(), b"", lambda taken: None) is not None:
        pass
    tell(True)
    await until("the answer arrives", lambda: answers)
    assert answers == [True]
    os.close(descriptor)


async def test_offer_to_a_worker_with_too_many_open_files_is_refused(links: Links, sockets: Sockets) -> None:
    here, there = links
    offers, answers = Offers(there), list[bool]()
    one, _ = sockets
    assert here.offer(1, one.fileno(), b"", answers.append) is not None
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, limits[1]))
    try:
        there.receive()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    await until("the answer arrives", lambda: answers)
    assert answers == [False]
    assert not offers.all


async def test_answer_that_has_arrived_is_read_before_an_offer_is_forgotten(links: Links, sockets: Sockets) -> None:
    here, there = links
    offers, answers = Offers(there), list[bool]()
    one, _ = sockets
    keys = [here.offer(1, one.fileno(), b"", answers.append) for _ in range(2)]
    there.receive()
    offers.all[0][2](True)  # the loop does not run meanwhile
    assert [key is not None and here.forget(key) for key in keys] == [False, True]
    assert answers == [True]
    for descriptor, _, _ in offers.all:
        os.close(descriptor)


async def test_link_that_is_opened_again_replaces_the_old_one(folder: str, sockets: Sockets) -> None:
    here, old, new = DescriptorLink(folder, 0), DescriptorLink(folder, 1), DescriptorLink(folder, 1)
    for link in (here, old, new):
        link.open()
    offers = Offers(new)
    one, _ = sockets
    assert here.offer(1, one.fileno(), b"", lambda taken: None) is not None
    await until("the offer arrives", lambda: offers.all)
    os.close(offers.all[0][0])
    for link in (here, old, new):
        link.close()
