"""Who may open a session, decided by the server: the SSH service itself has no access to the store."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

from server.config import Settings
from server.domain.decision import Refusal
from server.handlers.player_names import check_new_name
from server.storage.interface import Store, Unavailable
from server.transport.ip_limits import counted_address
from server.vouchers import VOUCHER_KEY, Voucher, sign_voucher

EXPIRY_GRACE_S = 60  # after the end of a session, which may reconnect until then


@dataclass(frozen=True, slots=True)
class Permits:
    """Answers the questions of the SSH service: whose key is this, and may this player open a session."""

    settings: Settings
    store: Store

    async def answer(self, question: dict[str, Any]) -> dict[str, str]:
        """Return the answer to a question. `error` in it is a sentence for the SSH client."""
        try:
            match question:
                case {"fingerprint": str(fingerprint)}:
                    return {"account": await self.store.account_of_key(fingerprint)}
                case {"user": str(user), "account": str(account), "address": str(address)}:
                    return await self.permit(user, account, address)
        except Refusal as error:
            return {"error": str(error)}
        except Unavailable:
            return {"error": "the server cannot read its database at the moment; connect again later"}
        return {"error": "the SSH service sent a question that the server does not know"}

    async def permit(self, user: str, account: str, address: str) -> dict[str, str]:
        """Return the name and the voucher of a player. Raises Refusal or Unavailable."""
        change = 0
        if account:
            owner = await self.store.account_named(account)
            if owner is None:
                raise Refusal("bad_token", "your account was revoked; ask the operator of the server")
            change = owner.change
        elif self.settings.auth == "tokens":
            how = "send your public key to its operator (~/.ssh/id_ed25519.pub)"
            raise Refusal("guests_refused", f"this server accepts accounts only, and knows none of your keys; {how}")
        else:
            check_new_name(user, self.settings.name_length)
            if await self.store.account_named(user) is not None:
                how = "connect with a key of it, or under another name: ssh OTHER_NAME@HOST"
                raise Refusal("name_taken", f"the name {user} belongs to an account; {how}")
        expires = int((time.time() + self.settings.ssh_session_time + EXPIRY_GRACE_S) * 1000)
        voucher = Voucher(counted_address(address), account, change, expires)
        signed = sign_voucher(voucher, await self.store.key(VOUCHER_KEY))
        return {"name": "" if account else user, "voucher": signed}
