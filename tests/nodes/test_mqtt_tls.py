"""A broker with TLS, a user and a password; and one that does not let us in."""

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
from tests.e2e.conftest import Come
from tests.e2e.guest import PATIENCE
from tests.e2e.play import play, room_of
from tests.nodes.conftest import until

OPERATING = Path(__file__).parents[2] / "docs" / "operating.md"


def nats(cert: Path, key: Path) -> str:
    return (
        f'tls {{ cert_file: "{cert}", key_file: "{key}" }}\nauthorization {{ username: "parlour", password: "s3cret" }}'
    )


def mosquitto(cert: Path, key: Path) -> str:
    """As docs/operating.md has it: everybody may read what is public, and only the nodes write."""
    passwords, acl = key.with_name("passwords"), key.with_name("acl")
    subprocess.run(["mosquitto_passwd", "-c", "-b", str(passwords), "parlour", "s3cret"], check=True)
    acl.write_text(OPERATING.read_text("utf-8").partition("$ cat acl\n")[2].partition("$ ")[0])
    return (
        f"certfile {cert}\nkeyfile {key}\npassword_file {passwords}\nacl_file {acl}\nallow_anonymous true\n"
        "user root\n"  # if it is root at all: then it could not read the files as another
    )


@pytest.fixture(params=["mosquitto", "nats"])
def guarded(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Broker]:
    try:
        program(request.param)
    except Missing as missing:
        pytest.skip(str(missing))
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command to make a certificate")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=broker -keyout {key} -out {cert}"
    subprocess.run([*words.split(), "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
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


async def test_tls_user_and_password(guarded: Broker, tmp_path: Path) -> None:
    async with running(settings(tmp_path, guarded)) as server:
        await until(lambda: server.house.hall.bus.up)


@pytest.mark.parametrize("guarded", ["mosquitto"], indirect=True)
async def test_who_may_read_at_the_broker_may_not_write(guarded: Broker, tmp_path: Path) -> None:
    trusted = aiomqtt.TLSParameters(ca_certs=str(tmp_path / "cert.pem"))
    async with (
        running(settings(tmp_path, guarded)) as server,
        aiomqtt.Client("127.0.0.1", guarded.port, tls_params=trusted) as stranger,
    ):
        await until(lambda: server.house.hall.bus.up)
        await stranger.publish("parlour/v1/nodes/forged", b'{"node": "forged", "online": true}', retain=True)
        for topic in ("forged", "+"):  # what is kept comes in this order
            await stranger.subscribe(f"parlour/v1/nodes/{topic}")
        node = await asyncio.wait_for(anext(aiter(stranger.messages)), PATIENCE)
        assert json.loads(node.payload)["online"]
        assert "forged" not in str(node.topic)


@pytest.mark.parametrize("guarded", ["mosquitto"], indirect=True)
async def test_what_nodes_tell_each_other_is_not_for_readers(guarded: Broker, tmp_path: Path, come: Come) -> None:
    trusted = aiomqtt.TLSParameters(ca_certs=str(tmp_path / "cert.pem"))
    let_in = partial(aiomqtt.Client, "127.0.0.1", guarded.port, tls_params=trusted)
    async with (
        running(settings(tmp_path, guarded)) as server,
        let_in() as stranger,
        let_in(username="parlour", password="s3cret") as other,
    ):
        await until(lambda: server.house.hall.bus.up)
        for reader in (stranger, other):
            for topic in ("calls", "#"):
                await reader.subscribe(f"parlour/v1/{topic}")
        ann, ben = await come(server.url, "ann"), await come(server.url, "ben")
        await room_of(ann, ben, private=True, invite="ben")
        shown = f"parlour/v1/rooms/{await room_of(ann, ben)}/events"  # which is called before it is told
        assert "parlour/v1/calls" in await topics_until(other, shown)
        assert "parlour/v1/calls" not in await topics_until(stranger, shown)


async def topics_until(reader: aiomqtt.Client, last: str) -> list[str]:
    """Where messages came from, up to the first of a topic."""
    topics = []
    async with asyncio.timeout(PATIENCE):
        async for message in reader.messages:
            topics.append(str(message.topic))
            if topics[-1] == last:
                break
    return topics


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # paho leaves such a socket lying about
@pytest.mark.parametrize("wrong", [{"password": "guess"}, {"ca": ""}], ids=["password", "certificate"])
async def test_a_node_that_is_not_let_in_serves_all_the_same(
    wrong: dict[str, str], guarded: Broker, tmp_path: Path, come: Come, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "parlour"):
        async with running(settings(tmp_path, guarded, **wrong)) as server:
            await until(lambda: any(record.getMessage() == "bus_lost" for record in caplog.records))
            ann, ben = await come(server.url, "ann"), await come(server.url, "ben")
            await play(ann, ben, await room_of(ann, ben), "a1", "b1")
            assert not server.house.hall.bus.up
    said = [getattr(record, "fields", {}) for record in caplog.records]
    assert not any("s3cret" in str(fields) or "guess" in str(fields) for fields in said)
