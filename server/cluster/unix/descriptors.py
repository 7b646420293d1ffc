"""Open sockets that one worker hands to another: each is one datagram with the descriptor and a message."""

from __future__ import annotations

import asyncio
import marshal
import os
import secrets
import socket
from array import array
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

MAX_DATAGRAM_BYTES = 1 << 17
OFFER, ANSWER = "offer", "answer"  # kinds of messages
ANSWER_RETRY_S = 0.02  # between attempts to send an answer to a worker that has many messages to read
MAX_ANSWER_ATTEMPTS = 150

Answer = Callable[[bool], object]  # whether an offer was taken


def address_of(folder: str, index: int) -> str:
    """Return the unix socket at which a worker receives descriptors."""
    return str(Path(folder) / f"descriptors-{index}")


class DescriptorLink:
    """Offers descriptors to the other workers of a machine, and receives theirs. `folder` has the sockets of all.

    `on_offer` gets a descriptor that now belongs to this process, the message with it, and a function that tells the
    other worker whether the descriptor was taken.
    """

    def __init__(self, folder: str, index: int) -> None:
        self._folder, self._index = folder, index
        self._socket: socket.socket | None = None
        self._keys = count(secrets.randbits(48))  # the worker that this one replaces had other keys
        self._open: dict[int, Answer] = {}  # offers without an answer
        self.on_offer: Callable[[int, bytes, Answer], None] = lambda descriptor, message, answer: os.close(descriptor)

    def open(self) -> None:
        """Receive from now on. Raises OSError."""
        address = address_of(self._folder, self._index)
        with suppress(FileNotFoundError):
            os.unlink(address)  # noqa: PTH108  # of the worker that this one replaces
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._socket.bind(address)
        asyncio.get_running_loop().add_reader(self._socket.fileno(), self.receive)

    def close(self) -> None:
        """Receive nothing more."""
        if self._socket is not None:
            asyncio.get_running_loop().remove_reader(self._socket.fileno())
            self._socket.close()
            self._socket = None

    def offer(self, index: int, descriptor: int, message: bytes, answer: Answer) -> int | None:
        """Offer a descriptor to a worker. Return the number of the offer, or None if it cannot be sent now.

        `answer` is called with the answer of the worker, if there is one.
        """
        key = next(self._keys)
        try:
            if not self._send(index, (OFFER, self._index, key, message), descriptor):
                return None
        except BlockingIOError:
            return None
        self._open[key] = answer
        return key

    def forget(self, key: int) -> bool:
        """Stop waiting for the answer to an offer. Return False if it has arrived, perhaps only just now."""
        self.receive()
        return self._open.pop(key, None) is not None

    def _send(self, index: int, message: tuple[Any, ...], descriptor: int | None = None) -> bool:
        """Send a message. Return False if the worker is being restarted.

        Raises BlockingIOError if it has many messages to read.
        """
        data = marshal.dumps(message)
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array("i", [descriptor]))] if descriptor is not None else []
        if self._socket is None or len(data) > MAX_DATAGRAM_BYTES:
            return False
        try:
            self._socket.sendmsg([data], rights, 0, address_of(self._folder, index))
        except BlockingIOError:
            raise
        except OSError:
            return False
        return True

    def _answer(self, sender: int, key: int, taken: bool, attempts: int = MAX_ANSWER_ATTEMPTS) -> None:
        """Answer an offer. If the other worker has many messages to read, try again later."""
        try:
            self._send(sender, (ANSWER, key, taken))
        except BlockingIOError:
            if attempts > 1:
                later = asyncio.get_running_loop().call_later
                later(ANSWER_RETRY_S, self._answer, sender, key, taken, attempts - 1)

    def receive(self) -> None:
        """Read all messages that have arrived."""
        while self._socket is not None:
            try:
                data, descriptors, _, _ = socket.recv_fds(self._socket, MAX_DATAGRAM_BYTES, 1)
            except OSError:  # there are no more
                return
            kind, *values = marshal.loads(data)
            if kind == ANSWER:
                key, taken = values
                answer = self._open.pop(key, None)
                if answer is not None:
                    answer(taken)
                continue
            sender, key, message = values
            tell = partial(self._answer, sender, key)
            if not descriptors:  # this process has as many open files as it may have
                tell(False)
                continue
            (descriptor,) = descriptors
            os.set_inheritable(descriptor, False)
            self.on_offer(descriptor, message, tell)
