"""One connection to a server, as messages. The only importer of the WebSocket library on this side."""

from __future__ import annotations

import asyncio
import errno
import os
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidMessage, InvalidStatus, InvalidURI, NegotiationError, WebSocketException
from websockets.typing import Subprotocol

from client.sdk.errors import NoServer, SessionError
from client.sdk.url import is_local
from protocol.codec import Codec, Malformed
from protocol.replies import ServerMessage
from protocol.types import Message

LARGEST = 8 << 20  # bytes of a server's message


class ConnectionFailed(SessionError):
    """The connection is gone, or could not be made; another try may help."""


class ConnectionRefused(ConnectionFailed):
    """There is a machine, and nobody listens on it."""


class Transport:
    def __init__(self, connection: ClientConnection, codec: Codec[Message], idle_timeout: float) -> None:
        self._connection, self._codec, self._idle_timeout = connection, codec, idle_timeout

    async def send(self, message: Message) -> None:
        with suppress(WebSocketException):  # the reader of this connection sees the same, and takes care of it
            await self._connection.send(self._codec.encode(message), text=self._codec.text)

    async def receive(self) -> ServerMessage:
        """The next message, which must not let us wait for too long."""
        async with asyncio.timeout(self._idle_timeout):
            return self._decode(await self._connection.recv())

    async def messages(self) -> AsyncIterator[ServerMessage]:
        async for frame in self._connection:
            yield self._decode(frame)

    def _decode(self, frame: str | bytes) -> ServerMessage:
        return self._codec.decode_server_message(frame.encode() if isinstance(frame, str) else frame)

    @property
    def farewell(self) -> str:
        """Why the server has closed the connection."""
        reason = self._connection.close_reason
        return f"the server closed the connection{f': {reason}' if reason else ''}"


@asynccontextmanager
async def open_transport(
    url: str, codec: Codec[Message], idle_timeout: float, trust: str = ""
) -> AsyncIterator[Transport]:
    """A connection, closed at the end of the block. Dropped if it fails; NoServer if trying again is of no use."""
    try:
        async with connect(
            url,
            subprotocols=[Subprotocol(codec.subprotocol)],
            compression=None,
            proxy=None if is_local(url) else True,
            ssl=trusting(url, trust),
            open_timeout=idle_timeout,
            ping_interval=idle_timeout / 2,
            ping_timeout=idle_timeout / 2,
            close_timeout=1,
            max_size=LARGEST,
            user_agent_header=None,
        ) as connection:
            yield Transport(connection, codec, idle_timeout)
    except InvalidStatus as error:
        status = error.response.status_code
        if status < 500 and status != 429:
            raise NoServer(f"there is no Parlour at {url} (HTTP status {status})") from None
        raise ConnectionFailed(f"{url} answers with HTTP status {status}") from None
    except NegotiationError:
        raise NoServer(f"the server at {url} does not speak {codec.subprotocol}") from None
    except InvalidURI as error:
        raise NoServer(str(error)) from None
    except ssl.SSLCertVerificationError as error:
        raise NoServer(f"the certificate of {url} cannot be trusted: {error.verify_message}") from None
    except InvalidMessage as error:
        hint = "" if url.startswith("wss:") else "; if that is a server with TLS, say wss://"
        raise ConnectionFailed(f"no connection to {url}: {reason(error)}{hint}") from None
    except TimeoutError:
        raise ConnectionFailed(f"no answer from {url}") from None
    except (OSError, WebSocketException, Malformed) as error:
        raise (ConnectionRefused if refused(error) else ConnectionFailed)(
            f"no connection to {url}: {reason(error)}"
        ) from None


def trusting(url: str, trust: str) -> ssl.SSLContext | bool | None:
    """How to check the server: as usual, and by a certificate file that somebody trusts.

    On this very machine that file is enough, whatever name it is made out to.
    """
    if not url.startswith("wss:"):
        return None
    if not trust:
        return True
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(trust)
    except (OSError, ssl.SSLError) as error:
        raise NoServer(f"{trust} is no certificate file: {reason(error)}") from None
    context.check_hostname = not is_local(url)
    return context


def reason(error: Exception) -> str:
    """What is wrong, in the system's words without its numbers."""
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error)).lower().replace("_", " ")
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno).lower()
    if isinstance(error, OSError) and error.strerror:  # a name that nobody knows
        return error.strerror.lower()
    return "connection refused" if refused(error) else str(error) or type(error).__name__


def refused(error: Exception) -> bool:
    several = f"Multiple exceptions: [Errno {errno.ECONNREFUSED}]"  # a name with several addresses
    return isinstance(error, ConnectionRefusedError) or str(error).startswith(several)
