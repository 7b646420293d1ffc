"""The host key: by it, SSH clients recognise the server."""

from __future__ import annotations

import os
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import NamedTuple

import asyncssh

from runtime.paths import state_folder
from server.config import BadSetting, Settings

KEY_TYPE = "ssh-ed25519"


class HostKey(NamedTuple):
    """A private key as text, and the fingerprint that clients are shown."""

    text: str
    fingerprint: str


def host_key_path(settings: Settings) -> Path:
    """Return the file of the host key: `--ssh-host-key`, or a file beside the database or in the state folder."""
    if settings.ssh_host_key:
        return Path(settings.ssh_host_key)
    if "://" not in settings.db:
        return Path(f"{settings.db}.ssh-key")
    return state_folder() / f"ssh-{sha256(settings.db.encode()).hexdigest()[:16]}.key"


def open_host_key(path: Path) -> HostKey:
    """Return the host key in a file, and make it first if there is no file. Raises BadSetting."""
    try:
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            write_private(path, asyncssh.generate_private_key(KEY_TYPE).export_private_key("openssh"))
        if path.stat().st_mode & 0o077:
            raise BadSetting(f"other users may read the SSH host key {path}: run chmod 600 {path}")
        text = path.read_bytes()
        key = asyncssh.import_private_key(text)
    except OSError as error:
        why = (error.strerror or str(error)).lower()
        raise BadSetting(f"cannot use the SSH host key {path}: {why}: correct that, or change --ssh-host-key") from None
    except asyncssh.KeyImportError:
        how = "delete the file, and the server makes a new one, or change --ssh-host-key"
        raise BadSetting(f"the file {path} is not a private key without a passphrase: {how}") from None
    return HostKey(text.decode(), key.get_fingerprint())


def write_private(path: Path, data: bytes) -> None:
    """Write a new file that only its owner can read, whole or not at all. Keep a file that another server has made."""
    with NamedTemporaryFile(dir=path.parent, prefix=f"{path.name}-") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(file.name, path)
