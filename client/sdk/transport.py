"""One WebSocket connection to a server, as typed messages."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import InvalidMessage, InvalidStatus, InvalidURI, NegotiationError, WebSocketException
from websockets.typing import Subprotocol

from client.sdk.errors import NoServer, SessionError
from client.sdk.url import is_local
from protocol.codec import Codec, Malformed, UnknownType
from protocol.replies import ServerMessage
from protocol.types import Message

VOUCHER_HEADER = "Parlour-Voucher"  # server/vouchers.py reads it
MAX_MESSAGE_BYTES = 8 << 20
CLOSE_TIMEOUT_S = 1.0


class ConnectionFailed(SessionError):
    """The connection could not be opened, or was lost. A retry may succeed."""


class ConnectionRefused(ConnectionFailed):
    """The host refused the connection: no server listens there."""


class Transport:
    """An open connection that sends and receives messages."""

    def __init__(self, connection: ClientConnection, codec: Codec[Message], idle_timeout: float) -> None:
        self._connection, self._codec, self._idle_timeout = connection, codec, idle_timeout

    async def send(self, message: Message) -> None:
        """Send a message. A lost connection is reported by the reading side only."""
        with suppress(WebSocketException):
            await self._connection.send(self._codec.encode(message), text=self._codec.text)

    async def receive(self) -> ServerMessage:
        """Return the next message of a known type. Raises TimeoutError after the idle timeout."""
        async with asyncio.timeout(self._idle_timeout):
            while (message := self._decode(await self._connection.recv())) is None:
                pass
            return message

    async def messages(self) -> AsyncIterator[ServerMessage]:
        """Yield messages of known types until the server closes the connection."""
        async for frame in self._connection:
            if (message := self._decode(frame)) is not None:
                yield message

    def _decode(self, frame: str | bytes) -> ServerMessage | None:
        """Return a message, None if only a newer client knows its type. Raises Malformed."""
        try:
            return self._codec.decode_server_message(frame.encode() if isinstance(frame, str) else frame)
        except UnknownType:
            return None

    @property
    def close_text(self) -> str:
        """Return a sentence that says why the server closed the connection."""
        reason = self._connection.close_reason
        return f"the server closed the connection{f': {reason}' if reason else ''}"


@asynccontextmanager
async def open_transport(
    url: str, codec: Codec[Message], idle_timeout: float, trust: str = "", voucher: str = ""
) -> AsyncIterator[Transport]:
    """Open a connection for the length of the block. `voucher`: see Session.

    Raises ConnectionFailed if a retry may succeed, NoServer if not.
    """
    try:
        async with connect(
            url,
            subprotocols=[Subprotocol(codec.subprotocol)],
            compression=None,
            proxy=None if is_local(url) else True,
            ssl=ssl_context(url, trust),
            open_timeout=idle_timeout,
            ping_interval=idle_timeout / 2,
            ping_timeout=idle_timeout / 2,
            close_timeout=CLOSE_TIMEOUT_S,
            max_size=MAX_MESSAGE_BYTES,
            user_agent_header=None,
            additional_headers={VOUCHER_HEADER: voucher} if voucher else None,
        ) as connection:
            yield Transport(connection, codec, idle_timeout)
    except InvalidStatus as error:
        status = error.response.status_code
        if status < 500 and status != 429:
            raise NoServer(f"there is no Parlour server at {url} (HTTP status {status}): check the address") from None
        raise ConnectionFailed(f"{url} answered with HTTP status {status}") from None
    except NegotiationError:
        how = "check the address, or use the same version of Parlour on both sides"
        raise NoServer(f"the server at {url} does not speak {codec.subprotocol}: {how}") from None
    except InvalidURI as error:
        raise NoServer(str(error)) from None
    except ssl.SSLCertVerificationError as error:
        how = "give the server's certificate with --tls-trust FILE"
        raise NoServer(f"the certificate of {url} is not trusted ({error.verify_message}): {how}") from None
    except TimeoutError:
        raise ConnectionFailed(f"no answer from {url}") from None
    except (OSError, WebSocketException, Malformed) as error:
        raise (ConnectionRefused if is_refused(error) else ConnectionFailed)(
            f"no connection to {url}: {error_text(error)}{connection_hint(url, error)}"
        ) from None


def ssl_context(url: str, trust: str) -> ssl.SSLContext | bool | None:
    """Return how to verify the server. `trust` is a certificate file to trust beside the system's certificates.

    For a server on this machine the host name in the certificate is not checked. Raises NoServer if the file is not
    a certificate.
    """
    if not url.startswith("wss:"):
        return None
    if not trust:
        return True
    context = ssl.create_default_context()
    try:
        context.load_verify_locations(trust)
    except (OSError, ssl.SSLError) as error:
        raise NoServer(f"{trust} is not a certificate file ({error_text(error)}): give one in PEM form") from None
    context.check_hostname = not is_local(url)
    return context


def error_text(error: Exception) -> str:
    """Return the system's message without its error number."""
    if isinstance(error, ssl.SSLError):
        return (error.reason or str(error)).lower().replace("_", " ")
    if isinstance(error, OSError) and error.errno is not None and error.errno > 0:
        return os.strerror(error.errno).lower()
    if isinstance(error, OSError) and error.strerror:  # an unknown host name
        return error.strerror.lower()
    if isinstance(error, ConnectionResetError):
        return "the server closed the connection"
    return "connection refused" if is_refused(error) else str(error) or type(error).__name__


def connection_hint(url: str, error: Exception) -> str:
    """Return what to do about an error that points to a wrong address, or an empty text."""
    if isinstance(error, socket.gaierror):
        return "; check the address"
    if url.startswith("wss:"):
        wrong = isinstance(error, ssl.SSLError | ConnectionResetError | EOFError)
        return "; if the server does not use TLS, write ws://" if wrong else ""
    return "; if the server uses TLS, write wss://" if isinstance(error, InvalidMessage) else ""


def is_refused(error: Exception) -> bool:
    several = f"Multiple exceptions: [Errno {errno.ECONNREFUSED}]"  # a host name with several addresses
    return isinstance(error, ConnectionRefusedError) or str(error).startswith(several)
