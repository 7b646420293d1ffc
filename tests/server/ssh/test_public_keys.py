"""Public keys in the form of `ssh-keygen`."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from server.ssh.public_keys import BadKey, read_public_keys

ED25519 = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIMqPnh1bKVgUWkMPbRcH1cZ5EvXT4XpW8dJkqC7lTqvN ann@home"


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen")
@pytest.mark.parametrize("kind", [("-ted25519",), ("-tecdsa",), ("-trsa", "-b2048")], ids="".join)
def test_fingerprint_is_that_of_ssh_keygen(kind: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", *kind, "-N", "", "-C", "ann@home", "-f", file], check=True)
    shown = subprocess.run(["ssh-keygen", "-l", "-f", file], check=True, capture_output=True, text=True).stdout
    [key] = read_public_keys(file.with_suffix(".pub").read_text())
    assert (key.fingerprint, key.comment) == (shown.split()[1], "ann@home")
    with pytest.raises(BadKey, match="private key, which must stay"):
        read_public_keys(file.read_text())


def test_file_may_have_several_keys_and_comments() -> None:
    first, second = read_public_keys(f"# keys of Ann\n{ED25519}\n\n{ED25519.replace('IMqP', 'IMqQ')} \x1b[31m\n")
    assert first.fingerprint != second.fingerprint
    assert second.comment == "ann@home [31m", "control characters are dropped"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "there is no key in it"),
        ("hello world", "'hello' is not a supported type of key"),
        ("ssh-dss AAAAB3NzaC1kc3M=", "'ssh-dss' is not a supported type of key"),
        ("ssh-ed25519", "the ssh-ed25519 key is damaged"),
        ("ssh-ed25519 %%%", "the ssh-ed25519 key is damaged"),
        (ED25519.replace("ssh-ed25519", "ssh-rsa"), "the ssh-rsa key is damaged"),
        (ED25519[:50], "the ssh-ed25519 key is damaged"),
        ("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAAQM=", "an RSA key needs 2048 bits"),
    ],
)
def test_other_texts_are_refused(text: str, why: str) -> None:
    with pytest.raises(BadKey, match=why):
        read_public_keys(text)
