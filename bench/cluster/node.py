"""`parlour serve` as a plain process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from bench.cluster.ports import free_port


class Node:
    """One node. It keeps its port when it is restarted.

    `host`: its address. `launcher`: a command that runs the node as its arguments, such as `ip netns exec NAME`.
    """

    def __init__(
        self,
        db: str,
        bus: str,
        *flags: str,
        log: Path | None = None,
        host: str = "127.0.0.1",
        launcher: tuple[str, ...] = (),
    ) -> None:
        self.port = free_port()
        self.url = f"ws://{host}:{self.port}/ws"
        self._launcher = launcher
        self._flags = ["--host", host, "--port", str(self.port), "--db", db, *(["--bus", bus] if bus else []), *flags]
        self._log = log or Path(os.devnull)
        self.process: subprocess.Popen[bytes] | None = None

    def launch(self) -> None:
        environment = {"PARLOUR_HOUSE": "none", **os.environ}
        with self._log.open("ab") as out:
            self.process = subprocess.Popen(
                [*self._launcher, sys.executable, "-m", "parlour", "serve", *self._flags],
                stdout=subprocess.PIPE,
                stderr=out,
                env=environment,
            )

    def wait(self) -> None:
        """Wait until the node listens. Raises RuntimeError if it does not start."""
        assert self.process is not None
        assert self.process.stdout is not None
        line = self.process.stdout.readline().decode()
        if not line.startswith("parlour: listening on"):
            raise RuntimeError(f"the node does not start: {line!r}; see {self._log}")

    def start(self) -> None:
        self.launch()
        self.wait()

    def kill(self) -> None:
        """Kill the process, as in a crash."""
        self._end(gently=False)

    def stop(self) -> None:
        self._end(gently=True)

    def _end(self, gently: bool) -> None:
        if self.process is None:
            return
        if gently:
            self.process.terminate()
        else:
            self.process.kill()
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self.process = None
