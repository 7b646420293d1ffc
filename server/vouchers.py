"""Vouchers: what the SSH service vouches for, signed with a key from the store.

A terminal client that runs for an SSH client connects from this machine. Its voucher tells the server the address of
the SSH client, so that limits per address hold, and the account of its public key. Nothing
else can make one: the key does not leave the server.
"""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

VOUCHER_HEADER = "Parlour-Voucher"  # client/sdk/transport.py sends it
VOUCHER_KEY = "ssh"  # the name of the key in the store
MAX_VOUCHER_CHARS = 1000


class Voucher(NamedTuple):
    """Where a client really is, and which account it has proved to be; `account` is empty for a guest.

    `change`: the latest change of the account, as in `Account`. `expires`: in milliseconds since the epoch.
    """

    address: str
    account: str
    change: int
    expires: int


def sign_voucher(voucher: Voucher, key: bytes) -> str:
    """Return a voucher as text for an HTTP header."""
    payload = urlsafe_b64encode(json.dumps(voucher).encode()).decode()
    return f"{payload}.{signature(payload, key)}"


def read_voucher(text: str, key: bytes, now: int) -> Voucher | None:
    """Return the voucher of a text, or None if it was not signed with the key or has expired."""
    payload, _, signed = text[:MAX_VOUCHER_CHARS].rpartition(".")
    if not hmac.compare_digest(signed.encode(errors="replace"), signature(payload, key).encode()):
        return None
    voucher = Voucher(*json.loads(urlsafe_b64decode(payload)))
    return voucher if now < voucher.expires else None


def signature(payload: str, key: bytes) -> str:
    return hmac.digest(key, payload.encode(errors="replace"), "sha256").hex()
