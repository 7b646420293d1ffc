"""The host key of the SSH service."""

from __future__ import annotations

from pathlib import Path

import asyncssh
import pytest

from server.config import BadSetting, Settings
from server.ssh.host_key import host_key_path, open_host_key


def test_key_is_made_once_for_its_owner_only(tmp_path: Path) -> None:
    path = tmp_path / "folder/key"
    made = open_host_key(path)
    assert path.stat().st_mode & 0o777 == 0o600
    assert open_host_key(path) == made
    assert asyncssh.import_private_key(made.text).get_fingerprint() == made.fingerprint


def test_servers_that_start_at_the_same_time_have_one_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, generate, others = tmp_path / "key", asyncssh.generate_private_key, []

    def generate_late(kind: str) -> asyncssh.SSHKey:
        monkeypatch.setattr(asyncssh, "generate_private_key", generate)
        others.append(open_host_key(path))
        return generate(kind)

    monkeypatch.setattr(asyncssh, "generate_private_key", generate_late)
    assert [open_host_key(path)] == others
    assert list(tmp_path.iterdir()) == [path]


def test_key_is_beside_the_database(tmp_path: Path, state: Path) -> None:
    assert host_key_path(Settings(db="/var/lib/parlour.db")) == Path("/var/lib/parlour.db.ssh-key")
    assert host_key_path(Settings(ssh_host_key="/etc/key")) == Path("/etc/key")
    assert host_key_path(Settings(db="postgresql://ann:secret@db/parlour")).is_relative_to(state)
    assert "secret" not in str(host_key_path(Settings(db="postgresql://ann:secret@db/parlour")))


def test_unusable_files_are_refused_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_text("no key")
    path.chmod(0o644)
    with pytest.raises(BadSetting, match=r"other users may read the SSH host key .*: run chmod 600"):
        open_host_key(path)
    path.chmod(0o600)
    with pytest.raises(BadSetting, match="is not a private key without a passphrase"):
        open_host_key(path)
    with pytest.raises(BadSetting, match="cannot use the SSH host key"):
        open_host_key(tmp_path)
