"""A broker with TLS, a user and a password; and one that does not let us in."""

from __future__ import annotations

import logging
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from bench.cluster.broker import Broker
from bench.cluster.postgres import Missing
from server.app import running
from server.settings import Settings
from tests.e2e.conftest import Come
from tests.e2e.play import play, room_of
from tests.nodes.conftest import until


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Broker]:
    if shutil.which("openssl") is None:
        pytest.skip("needs the openssl command to make a certificate")
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=broker -keyout {key} -out {cert}"
    subprocess.run([*words.split(), "-addext", "subjectAltName=IP:127.0.0.1"], check=True, capture_output=True)
    guards = (
        f'tls {{ cert_file: "{cert}", key_file: "{key}" }}\nauthorization {{ username: "parlour", password: "s3cret" }}'
    )
    try:
        broker = Broker("nats", guards)
    except Missing as missing:
        pytest.skip(str(missing))
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
