"""The first words to a server: who we are, in all the ways that may be right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from client.sdk.errors import Refused
from client.sdk.transport import ConnectionFailed, Transport
from protocol.commands import Hello
from protocol.replies import Error, Welcome

NEXT = ("bad_session", "name_taken")  # refusals after which another way may be right


@dataclass(frozen=True, slots=True)
class Handshake:
    """`fallback_name`: another name, if the first belongs to somebody. `plays`: what a bot wants to be invited to."""

    name: str = ""
    fallback_name: str = ""
    token: str = ""
    client: str = ""
    plays: tuple[str, ...] = ()

    async def make(self, link: Transport, resume: str, number: Callable[[], int]) -> Welcome:
        """Say hello as whoever we were; as somebody new if the server has forgotten us. Refused."""
        ways = [{"resume": resume}] if resume else []
        names = dict.fromkeys((self.name, self.fallback_name or self.name))
        ways += [{"token": self.token}] if self.token else [{"name": name} for name in names]
        for way in ways:
            await link.send(Hello(id=number(), client=self.client, plays=self.plays, **way))
            answer = await link.receive()
            if isinstance(answer, Welcome):
                return answer
            if not isinstance(answer, Error):
                break
            if answer.code not in NEXT or way is ways[-1]:
                raise Refused(answer)
        raise ConnectionFailed("the server does not answer hello")
