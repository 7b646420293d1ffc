"""`parlour serve` as a process: its logs, and TLS."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import ssl
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import ConnectGuest, Spawn
from tests.e2e.guest import Guest
from tests.e2e.play import move, room_of
from tests.waiting import TIMEOUT_S


async def test_logs_are_json_lines_without_secrets(tmp_path: Path, connect_guest: ConnectGuest) -> None:
    command = [sys.executable, "-m", "parlour", "serve", "--port", "0", "--db", str(tmp_path / "x.db")]
    process = await asyncio.create_subprocess_exec(
        *command, "--log-level", "debug", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    url = (await asyncio.wait_for(process.stdout.readline(), TIMEOUT_S)).decode().split()[-1]
    ann, ben = await connect_guest(url, "ann"), await connect_guest(url, "ben")
    room = await room_of(ann, ben)
    await move(ann, room, 0, "a1", note="a private thought")
    await ann.ask("say", room=room, text="something said")
    await ann.socket.send(b"\xc1")
    await ann.find(type="error")
    await ben.ask("resign", room=room)
    process.terminate()
    _, err = await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    lines = [json.loads(line) for line in err.decode().splitlines()]
    assert {"listening", "created", "ended", "draining", "stopped"} <= {line["event"] for line in lines}
    for secret in (ann.session, ben.session, "something said", "a private thought", "Traceback"):
        assert secret not in err.decode()


async def test_background_job_of_a_script_ends_by_sigterm_only(tmp_path: Path, connect_guest: ConnectGuest) -> None:
    """A shell script starts `job &` with SIGINT ignored: Ctrl-C is for the script."""
    command = [sys.executable, "-m", "parlour", "serve", "--port", "0", "--db", str(tmp_path / "x.db")]
    ignoring = ["/bin/sh", "-c", 'trap "" INT HUP; exec "$@"', "sh"]
    process = await asyncio.create_subprocess_exec(
        *ignoring, *command, "--house", "none", stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    url = (await asyncio.wait_for(process.stdout.readline(), TIMEOUT_S)).decode().split()[-1]
    ann = await connect_guest(url, "ann")
    for number in (signal.SIGINT, signal.SIGHUP):
        process.send_signal(number)
        await ann.ask("create", game="cohcoh")  # a server that drains refuses it
    process.terminate()
    await asyncio.wait_for(process.communicate(), TIMEOUT_S)
    assert process.returncode == 0


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[Path, Path]:
    """Create a self-signed certificate and its key."""
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command to make a certificate")
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run([*words, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    return certificate, key


async def test_game_is_played_over_tls(certificate: tuple[Path, Path], spawn: Spawn) -> None:
    server = await spawn("--tls-cert", str(certificate[0]), "--tls-key", str(certificate[1]))
    assert server.url.startswith("wss://")
    trust = ssl.create_default_context(cafile=str(certificate[0]))
    trust.check_hostname = False
    guests = [await Guest.open(server.url, ssl=trust) for _ in range(2)]
    for guest in guests:
        await guest.hello()
    room = await room_of(guests[0], guests[1])
    await move(guests[0], room, 0, "a1")
    await guests[1].find(type="moved", ply=1)
    for guest in guests:
        await guest.close()
