"""Authentication: identify a guest by name, an account by token, or a session by its secret."""

from __future__ import annotations

from typing import NamedTuple

from protocol.commands import Hello
from protocol.types import Player
from server.config import Settings
from server.domain.decision import Refusal
from server.handlers.player_names import check_new_name, claim_free_name, claim_numbered_name, new_guest_name
from server.ids import new_player_id
from server.storage.interface import Account, PlayerRooms, Session, Store, new_secret
from server.vouchers import Voucher


class Identity(NamedTuple):
    """A player, and the secret that brings the player back."""

    session: Session
    secret: str
    player: Player
    rooms: PlayerRooms | None = None  # None for a new session, which is not saved yet
    saved_at: int = 0  # when the store saved this session, 0 if it has yet to
    account_change: int = 0  # the latest change of the account that the client knew


async def identify(
    store: Store, settings: Settings, hello: Hello, node: str, voucher: Voucher | None = None
) -> Identity:
    """Return the identity of the client that sent a hello, and claim a guest's name for this node.

    `voucher`: with the account of a client whose public key the SSH service has checked.

    Raises Refusal or Unavailable.
    """
    if hello.token:  # takes precedence over a session, which may belong to another player
        account = await store.account_of_token(hello.token)
        if account is None:
            raise Refusal(
                "bad_token", "unknown or revoked token: check it, or ask the operator of the server for a new one"
            )
        return account_identity(account)
    if hello.resume:
        return await resume_session(store, settings, hello.resume, node)
    if voucher is not None and voucher.account:
        account = await store.account_named(voucher.account)
        if account is None or account.change != voucher.change:
            raise Refusal("bad_token", "your account was changed since you connected; connect again with ssh")
        return account_identity(account)
    if settings.auth == "tokens":
        raise guests_refused()
    name = hello.name.strip() or new_guest_name()
    check_new_name(name, settings.name_length)
    if await store.account_named(name) is not None:
        raise Refusal("name_taken", f"the name {name} belongs to an account; choose another, or use its token")
    id = new_player_id()
    name = await claim_free_name(store, name, node, id)
    return Identity(Session(id, name, ""), new_secret(), Player(id=id, name=name))


def account_identity(account: Account) -> Identity:
    session = Session(account.player, account.name, account.name)
    player = Player(id=account.player, name=account.name, account=True)
    return Identity(session, new_secret(), player, account_change=account.change)


async def resume_session(store: Store, settings: Settings, secret: str, node: str) -> Identity:
    """Return the player of a session. Raises Refusal if it cannot be resumed, or Unavailable."""
    returning = await store.load_session(secret)
    if returning is None:
        raise Refusal("bad_session", "unknown or expired session; say hello without resume")
    (id, name, account), saved_at, name_owner, rooms, account_change = returning
    if account:
        if name_owner != id:
            raise Refusal("bad_session", "the account of this session has been revoked: ask the operator of the server")
    elif settings.auth == "tokens":
        raise guests_refused()
    elif name_owner is not None or not await store.claim_name(node, id, name):
        name, saved_at = await claim_numbered_name(store, name, node, id), 0
    player = Player(id=id, name=name, account=bool(account))
    return Identity(Session(id, name, account), secret, player, rooms, saved_at, account_change)


def guests_refused() -> Refusal:
    """Return the refusal of a guest by a server for accounts only."""
    return Refusal("guests_refused", "this server accepts accounts only; ask its operator for a token")
