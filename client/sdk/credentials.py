"""Credentials file: keeps the resume secret, so that a bot returns to its games after a crash."""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

from client.sdk.url import websocket_url
from runtime.file_lock import open_locked
from runtime.paths import state_folder
from runtime.untrusted_files import MAX_STATE_BYTES, parse_json, read_file

MAX_STEM_CHARS = 80  # of the readable part of a file name


def default_credentials_path(url: str, name: str) -> Path:
    """Return the file of a player name on a server."""
    whole = f"{name}@{websocket_url(url).partition('://')[2].removesuffix('/ws')}"
    return state_folder() / "sessions" / credentials_file_name(whole)


def credentials_file_name(text: str) -> str:
    """Return the name of the file for a text, such as the name of a player. A digest keeps similar texts apart."""
    readable = re.sub(r"[^A-Za-z0-9_.-]+", "-", text)[:MAX_STEM_CHARS]
    digest = sha256(text.encode(errors="surrogatepass")).hexdigest()[:8]
    return f"{readable}-{digest}.json"


def read_secret(path: Path) -> str:
    """Return the secret in a file. Raises ValueError if the file is not a credentials file, OSError."""
    value = parse_json(read_file(path, MAX_STATE_BYTES))
    if not isinstance(value, dict) or not isinstance(value.get("session"), str):
        raise ValueError("it has no session")
    return str(value["session"])


def is_replaceable(path: Path) -> bool:
    """Return whether a file may be replaced by credentials: it does not exist, is empty, or has credentials."""
    try:
        if path.exists() and not (path.is_file() and path.stat().st_size == 0):
            read_secret(path)  # it may be empty: a client that was refused saves that
    except (OSError, ValueError):
        return False
    return True


class CredentialsFile:
    """A file with a resume secret that only its owner may read.

    The file is locked while in use: a second bot of the same name gets a new identity and does not take over the games
    of the first.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: int | None = None

    def open(self) -> str:
        """Lock the file and return the secret. Return "" if there is none or another process holds the lock."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = open_locked(self._path.with_suffix(".lock"))
        except OSError:
            return ""
        if self._lock is None:
            return ""
        try:
            return read_secret(self._path)
        except (OSError, ValueError):
            return ""

    def save(self, secret: str) -> None:
        """Replace the secret. Do nothing if the lock is not held or the file cannot be written."""
        if self._lock is None:
            return
        draft = self._path.with_name(f"{self._path.name}.draft")
        with suppress(OSError):  # with a full disk the bot cannot resume, but it can play on
            draft.unlink(missing_ok=True)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump({"session": secret}, file)
            draft.replace(self._path)

    def close(self) -> None:
        """Release the lock."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
