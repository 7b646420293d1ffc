"""A broker with TLS, a user and a password, and a broker that refuses the connection."""

from __future__ import annotations

import asyncio
import json
import logging
import shutil
import subprocess
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import aiomqtt
import pytest

from bench.cluster.broker import Broker, program
from bench.cluster.postgres import Missing
from server.app import running
from server.config import Settings
from tests.e2e.conftest import ConnectGuest
from tests.e2e.play import play, room_of
from tests.waiting import TIMEOUT_S, until

OPERATING = Path(__file__).parents[2] / "docs" / "operating.md"


def nats(cert: Path, key: Path) -> str:
    return (
        f'tls {{ cert_file: "{cert}", key_file: "{key}" }}\nauthorization {{ username: "parlour", password: "s3cret" }}'
    )


def mosquitto(cert: Path, key: Path) -> str:
    """Return the configuration of docs/operating.md: public topics are readable by all, only nodes can write."""
    passwords, acl = key.with_name("passwords"), key.with_name("acl")
    subprocess.run(["mosquitto_passwd", "-c", "-b", str(passwords), "parlour", "s3cret"], check=True)
    acl.write_text(OPERATING.read_text("utf-8").partition("$ cat acl\n")[2].partition("$ ")[0])
    return (
        f"certfile {cert}\nkeyfile {key}\npassword_file {passwords}\nacl_file {acl}\nallow_anonymous true\n"
        "user root\n"  # as another user it could not read the files if the test runs as root
    )


@pytest.fixture(params=["mosquitto", "nats"])
def secured(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Broker]:
    try:
        program(request.param)
    except Missing as missing:
        pytest.skip(str(missing))
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command to make a certificate")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=broker -addext subjectAltName=IP:127.0.0.1"
    subprocess.run([*words.split(), "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)
    broker = Broker(request.param, {"nats": nats, "mosquitto": mosquitto}[request.param](cert, key))
    broker.start()
    yield broker
    broker.close()


def settings(tmp_path: Path, broker: Broker, **more: str) -> Settings:
    return Settings(
        port=0,
        db=str(tmp_path / "x.db"),
        bus=broker.url.replace("mqtt:", "mqtts:"),
        bus_user="parlour",
        bus_password=more.get("password", "s3cret"),
        bus_ca=more.get("ca", str(tmp_path / "cert.pem")),
    )


async def test_node_connects_with_tls_user_and_password(secured: Broker, tmp_path: Path) -> None:
    async with running(settings(tmp_path, secured)) as server:
        await until("the bus is up", lambda: server.app.bus.up)


@pytest.mark.parametrize("secured", ["mosquitto"], indirect=True)
async def test_anonymous_subscribers_cannot_publish(secured: Broker, tmp_path: Path) -> None:
    trusted = aiomqtt.TLSParameters(ca_certs=str(tmp_path / "cert.pem"))
    async with (
        running(settings(tmp_path, secured)) as server,
        aiomqtt.Client("127.0.0.1", secured.port, tls_params=trusted) as stranger,
    ):
        await until("the bus is up", lambda: server.app.bus.up)
        await stranger.publish("parlour/v1/nodes/forged", b'{"node": "forged", "online": true}', retain=True)
        for topic in ("forged", "+"):  # retained messages come in this order
            await stranger.subscribe(f"parlour/v1/nodes/{topic}")
        node = await asyncio.wait_for(anext(aiter(stranger.messages)), TIMEOUT_S)
        assert json.loads(node.payload)["online"]
        assert "forged" not in str(node.topic)


@pytest.mark.parametrize("secured", ["mosquitto"], indirect=True)
async def test_messages_between_nodes_are_hidden_from_anonymous_subscribers(
    secured: Broker, tmp_path: Path, connect_guest: ConnectGuest
) -> None:
    trusted = aiomqtt.TLSParameters(ca_certs=str(tmp_path / "cert.pem"))
    connect = partial(aiomqtt.Client, "127.0.0.1", secured.port, tls_params=trusted)
    async with (
        running(settings(tmp_path, secured)) as server,
        connect() as stranger,
        connect(username="parlour", password="s3cret") as other,
    ):
        await until("the bus is up", lambda: server.app.bus.up)
        for reader in (stranger, other):
            for topic in ("peers/#", "#"):
                await reader.subscribe(f"parlour/v1/{topic}")
        ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
        await room_of(ann, ben, private=True, invite="ben")
        shown = f"parlour/v1/rooms/{await room_of(ann, ben)}/events"  # the invitation is published before its events
        assert "parlour/v1/peers" in await topics_until(other, shown)
        assert not any("/peers" in topic for topic in await topics_until(stranger, shown))


async def topics_until(reader: aiomqtt.Client, last: str) -> list[str]:
    """Return the topics of all messages up to the first on this topic."""
    topics = []
    async with asyncio.timeout(TIMEOUT_S):
        async for message in reader.messages:
            topics.append(str(message.topic))
            if topics[-1] == last:
                break
    return topics


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # paho does not close the socket
@pytest.mark.parametrize("wrong", [{"password": "guess"}, {"ca": ""}], ids=["password", "certificate"])
async def test_node_without_access_to_the_broker_works(
    wrong: dict[str, str],
    secured: Broker,
    tmp_path: Path,
    connect_guest: ConnectGuest,
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.WARNING, "parlour"):
        async with running(settings(tmp_path, secured, **wrong)) as server:
            await until(
                "the loss is logged", lambda: any(record.getMessage() == "bus_lost" for record in caplog.records)
            )
            ann, ben = await connect_guest(server.url, "ann"), await connect_guest(server.url, "ben")
            await play(ann, ben, await room_of(ann, ben), "a1", "b1")
            assert not server.app.bus.up
    logged = [getattr(record, "fields", {}) for record in caplog.records]
    assert not any("s3cret" in str(fields) or "guess" in str(fields) for fields in logged)
