"""Who somebody is: a guest with a name, the holder of a token, or someone who comes back."""

from __future__ import annotations

from typing import NamedTuple

from protocol.commands import Hello
from protocol.types import Player
from protocol.usernames import is_readable, mixed_alphabets
from server.config import Settings
from server.domain.decision import Refusal
from server.ids import new_player_id, random_id
from server.storage.interface import Session, Store, new_secret

IN_ORDER = 10  # bearers of one name


class Identity(NamedTuple):
    session: Session
    secret: str  # brings this player back

    @property
    def player(self) -> Player:
        return Player(id=self.session.player, name=self.session.name, account=bool(self.session.account))


async def identify(store: Store, settings: Settings, hello: Hello, node: str) -> Identity:
    """Raises Refusal. A guest has taken a name at this node then: of those who are here, nobody else has it."""
    if hello.token:  # whatever else is said: a session beside it may be somebody else's
        account = await store.account_of_token(hello.token)
        if account is None:
            raise Refusal("bad_token", "this token is not known, or not any more")
        session = Session(account.player, account.name, account.name)
    elif hello.resume:
        return await come_back(store, settings, hello.resume, node)
    elif settings.auth == "tokens":
        raise Refusal("guests_refused", "this server is for holders of tokens only")
    else:
        player = new_player_id()
        session = Session(player, await guest_name(store, settings, hello.name, node, player), "")
    return Identity(session, new_secret())


async def come_back(store: Store, settings: Settings, secret: str, node: str) -> Identity:
    session = await store.session(secret)
    if session is None:
        raise Refusal("bad_session", "this session is not known any more; say hello without resume")
    owner = await store.account_named(session.name)
    if session.account and (owner is None or owner.player != session.player):
        raise Refusal("bad_session", "the account of this session has been revoked")
    if not session.account and settings.auth == "tokens":
        raise Refusal("guests_refused", "this server is for holders of tokens only")
    if not session.account:  # somebody else may have the name meanwhile
        session = session._replace(name=await free_name(store, session.name, node, session.player))
    return Identity(session, secret)


async def guest_name(store: Store, settings: Settings, asked: str, node: str, player: str) -> str:
    name = asked.strip() or f"guest-{random_id(4)}"
    check_new_name(name, settings.name_length)
    if await store.account_named(name) is not None:
        raise Refusal("name_taken", f"the name {name} belongs to the holder of a token; take another, or use the token")
    return await free_name(store, name, node, player)


async def free_name(store: Store, name: str, node: str, player: str) -> str:
    """The name, or with something behind it if somebody with that name is at any node, or it has an owner.

    A number, but by chance for the tenth of a name: whoever comes after a thousand is not to ask a thousand times.
    """
    candidate, number = name, 1
    while await store.account_named(candidate) is not None or not await store.claim_name(node, player, candidate):
        number += 1
        candidate = f"{name}~{number if number < IN_ORDER else random_id(3)}"
    return candidate


def check_name(name: str, most: int) -> None:
    if len(name) > most:
        raise Refusal("bad_name", f"a name has at most {most} characters")
    if not is_readable(name):
        raise Refusal("bad_name", "a name is made of printable characters that can be seen, without blanks at its ends")


def check_new_name(name: str, most: int) -> None:
    """Of somebody who has not been here yet; others keep theirs."""
    check_name(name, most)
    mixed = mixed_alphabets(name)
    if len(mixed) > 1:
        raise Refusal("bad_name", f"a word is written in one alphabet; this name mixes {' and '.join(mixed)} letters")
