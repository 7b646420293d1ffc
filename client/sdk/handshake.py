"""The hello exchange: resume the old session, or log in with a token or a name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from client.sdk.errors import Refused
from client.sdk.transport import ConnectionFailed, Transport
from protocol.commands import Hello
from protocol.replies import Error, Welcome

TRY_NEXT = ("bad_session", "name_taken")  # errors after which the next way to identify may succeed


@dataclass(frozen=True, slots=True)
class Handshake:
    """The identity of a client. `fallback_name` is used if `name` is taken. `plays`: games a bot accepts.

    `bot`, `engine`, `version`, `wants`, `concurrent` and `ladder`: as in `hello`.
    """

    name: str = ""
    fallback_name: str = ""
    token: str = ""
    client: str = ""
    plays: tuple[str, ...] = ()
    wants: tuple[str, ...] = ()
    bot: bool = False
    engine: str = ""
    version: str = ""
    concurrent: int = 0
    ladder: bool = False

    async def perform(self, transport: Transport, resume: str, next_id: Callable[[], int]) -> Welcome:
        """Say hello with the resume secret first, then with the token or the names.

        Raises Refused if the server accepts none of them, ConnectionFailed if it does not reply to hello.
        """
        identities = [{"resume": resume}] if resume else []
        names = dict.fromkeys((self.name, self.fallback_name or self.name))
        identities += [{"token": self.token}] if self.token else [{"name": name} for name in names]
        for identity in identities:
            await transport.send(self._hello(next_id(), **identity))
            reply = await transport.receive()
            if isinstance(reply, Welcome):
                return reply
            if not isinstance(reply, Error):
                break
            if reply.code not in TRY_NEXT or identity is identities[-1]:
                raise Refused(reply)
        raise ConnectionFailed("the server did not reply to hello")

    def _hello(self, id: int, name: str = "", token: str = "", resume: str = "") -> Hello:
        return Hello(
            id=id,
            name=name,
            token=token,
            resume=resume,
            client=self.client,
            plays=self.plays,
            wants=self.wants,
            bot=self.bot,
            engine=self.engine,
            version=self.version,
            concurrent=self.concurrent,
            ladder=self.ladder,
        )
