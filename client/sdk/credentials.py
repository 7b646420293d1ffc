"""The secret that brings a bot back to its games after a crash, in a file that only its owner can read."""

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


def default_credentials_path(url: str, name: str) -> Path:
    """One file for each bot on each server. People read its name's letters, the digest tells names apart."""
    whole = f"{name}@{websocket_url(url).partition('://')[2].removesuffix('/ws')}"
    stem = (
        re.sub(r"[^A-Za-z0-9_.-]+", "-", whole)[:80]
        + "-"
        + sha256(whole.encode(errors="surrogatepass")).hexdigest()[:8]
    )
    return state_folder() / "sessions" / f"{stem}.json"


class CredentialsFile:
    """Locked while in use: a second bot of the same name is somebody else, and does not play the first one's games."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock: int | None = None

    def open(self) -> str:
        """The secret, or nothing: the file is not there, cannot be read, or belongs to a bot that runs."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = open_locked(self._path.with_suffix(".lock"))
        except OSError:
            return ""
        if self._lock is None:
            return ""
        try:
            secret = json.loads(self._path.read_text())["session"]
        except (OSError, ValueError, KeyError, TypeError):
            return ""
        return secret if isinstance(secret, str) else ""

    def save(self, secret: str) -> None:
        if self._lock is None:
            return
        draft = self._path.with_suffix(".draft")
        with suppress(OSError):  # a full disk costs the way back, not the game
            draft.unlink(missing_ok=True)
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                json.dump({"session": secret}, file)
            draft.replace(self._path)

    def close(self) -> None:
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None
