"""TLS: a certificate must be trusted by the system or by --tls-trust."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from client.sdk.errors import NoServer
from client.sdk.transport import ConnectionFailed, open_transport
from protocol.codec import MSGPACK
from protocol.commands import List
from server.config import BadSetting
from tests.e2e.local_server import running_server, session, until
from tests.waiting import TIMEOUT_S


@pytest.fixture
def certificate(tmp_path: Path) -> tuple[str, str]:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    cert, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    words = [
        "-newkey",
        "rsa:2048",
        "-nodes",
        "-days",
        "2",
        "-subj",
        "/CN=parlour.example",
        "-out",
        cert,
        "-keyout",
        key,
    ]
    subprocess.run(["openssl", "req", "-x509", *words], check=True, capture_output=True, timeout=TIMEOUT_S)
    return cert, key


async def test_certificate_must_be_trusted(tmp_path: Path, certificate: tuple[str, str]) -> None:
    cert, key = certificate
    async with running_server(tmp_path, tls_cert=cert, tls_key=key) as server:
        assert server.url.startswith("wss://")
        async with session(server.url, "alice", trust=cert) as alice:
            assert (await alice.ask(List(id=alice.id()))).rooms == ()
        with pytest.raises(NoServer, match=r"is not trusted \(self.signed certificate\): give the server"):
            await session(server.url).open()
        with pytest.raises(NoServer, match="is not a certificate file"):
            await session(server.url, trust=key + ".missing").open()


async def test_tls_mistakes_are_explained(tmp_path: Path, certificate: tuple[str, str]) -> None:
    cert, key = certificate
    async with running_server(tmp_path, tls_cert=cert, tls_key=key) as server:
        with pytest.raises(ConnectionFailed, match="if the server uses TLS, write wss://"):
            async with open_transport(server.url.replace("wss:", "ws:"), MSGPACK, idle_timeout=20.0):
                pass
    with pytest.raises(BadSetting, match="should be a certificate and its key, in PEM files"):
        async with running_server(tmp_path, tls_cert=key, tls_key=cert):
            pass


async def test_bot_plays_over_tls(tmp_path: Path, certificate: tuple[str, str]) -> None:
    cert, key = certificate
    async with running_server(tmp_path, tls_cert=cert, tls_key=key) as server:
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "parlour", "bot", "random", "--url", server.url, "--tls-trust", cert, "--no-state",
            stdout=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        await until("the bot is connected", lambda: server.app.presence.is_here("random"))
        process.terminate()
        assert await asyncio.wait_for(process.wait(), TIMEOUT_S) == 0
