"""Read public keys as `ssh-keygen` writes them. This needs no SSH library."""

from __future__ import annotations

import base64
import binascii
import hashlib
from typing import NamedTuple

KEY_TYPES = (
    "ssh-ed25519",
    "ecdsa-sha2-nistp256",
    "ecdsa-sha2-nistp384",
    "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com",
    "sk-ecdsa-sha2-nistp256@openssh.com",
    "ssh-rsa",
)
MIN_RSA_BITS = 2048
MAX_COMMENT_CHARS = 100


class BadKey(ValueError):
    """A text is not a public key that can be used. The text of the error is one sentence."""


class PublicKey(NamedTuple):
    """A public key by its fingerprint, with the comment that its owner wrote."""

    fingerprint: str
    comment: str


def read_public_keys(text: str) -> list[PublicKey]:
    """Return the keys of a text, one a line. Raises BadKey if a line is not a key, or if there is none."""
    if "PRIVATE KEY" in text:
        raise BadKey("this is a private key, which must stay with its owner: give the file that ends in .pub")
    lines = [line.strip() for line in text.splitlines()]
    keys = [read_public_key(line) for line in lines if line and not line.startswith("#")]
    if not keys:
        raise BadKey("there is no key in it: give a file such as ~/.ssh/id_ed25519.pub")
    return keys


def read_public_key(line: str) -> PublicKey:
    """Return the key of a line such as `ssh-ed25519 AAAA… comment`. Raises BadKey."""
    kind, _, rest = line.partition(" ")
    encoded, _, comment = rest.strip().partition(" ")
    if kind not in KEY_TYPES:
        raise BadKey(f"{kind[:40]!r} is not a supported type of key: make one with ssh-keygen -t ed25519")
    try:
        blob = base64.b64decode(encoded, validate=True)
        fields = split_fields(blob)
    except (binascii.Error, ValueError):
        fields = []
    if len(fields) < 2 or fields[0] != kind.encode():
        raise BadKey(f"the {kind} key is damaged: copy the whole line of the .pub file")
    if kind == "ssh-rsa" and int.from_bytes(fields[-1]).bit_length() < MIN_RSA_BITS:
        raise BadKey(f"an RSA key needs {MIN_RSA_BITS} bits or more: make a new one with ssh-keygen -t ed25519")
    readable = "".join(char for char in comment.strip() if char.isprintable())
    return PublicKey(fingerprint_of(blob), readable[:MAX_COMMENT_CHARS])


def split_fields(blob: bytes) -> list[bytes]:
    """Return the strings of a key in SSH's binary form. Raises ValueError if it is cut off."""
    fields = []
    while blob:
        length = int.from_bytes(blob[:4])
        if len(blob) < 4 + length:
            raise ValueError("cut off")
        fields.append(blob[4 : 4 + length])
        blob = blob[4 + length :]
    return fields


def fingerprint_of(blob: bytes) -> str:
    """Return the fingerprint of a key in SSH's binary form, as `ssh-keygen -l` prints it."""
    return "SHA256:" + base64.b64encode(hashlib.sha256(blob).digest()).decode().rstrip("=")
