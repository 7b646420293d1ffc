"""The settings of the server. Each is a flag of `parlour serve` and an environment variable PARLOUR_NAME."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from protocol.types import Limits
from runtime.cores import usable_cores

ARBITER_ALLOWANCE = 16  # by which the limits of an arbiter that the operator names are higher
MAX_PORT = 65535
MAX_NUMBER = 10**12
MAX_WORKERS = 256


class BadSetting(Exception):
    """An invalid value. The text is one sentence that names the flag or the variable."""


def setting(default: Any, help: str, low: float | None = None, choices: tuple[str, ...] = ()) -> Any:
    return field(default=default, metadata={"help": help, "low": low, "choices": choices})


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults. Durations are in seconds."""

    host: str = setting("127.0.0.1", "address to listen on; 0.0.0.0 for all interfaces")
    port: int = setting(8765, "port to listen on; 0 for any free port", low=0)
    workers: str = setting("1", "processes that serve clients: a number, or auto for one less than there are cores")
    backlog: int = setting(4096, "connections that may wait to be accepted; the system may lower this", low=1)
    db: str = setting("parlour.db", "database: a file, or postgresql://… for several nodes")
    db_pool: int = setting(5, "connections to PostgreSQL, in addition to the one that writes", low=2)
    bus: str = setting("", "MQTT broker for several nodes and for subscribers: mqtt://host or mqtts://host")
    bus_user: str = setting("", "user name for the broker")
    bus_password: str = setting("", "password for the broker; prefer the variable, since all local users can see flags")
    bus_ca: str = setting("", "file with the CA certificates (PEM) to trust for mqtts://")
    bus_prefix: str = setting("parlour/v1", "prefix of all MQTT topics")
    bus_format: str = setting("json", "format of MQTT messages for subscribers", choices=("json", "msgpack"))
    bus_public: str = setting(
        "all",
        "what subscribers at the broker get of public rooms: all (events and states), states, or none",
        choices=("all", "states", "none"),
    )
    auth: str = setting(
        "guests", "who may connect: guests and accounts, or only accounts (tokens)", choices=("guests", "tokens")
    )
    house: str = setting(
        "random,greedy,search@2,search@5,search@8,search,reviewer",
        "house bots, separated by commas; search@3 plays at level 3, reviewer reviews games; none for no house bots",
    )
    tls_cert: str = setting("", "certificate file (PEM); enables wss:// and https://")
    tls_key: str = setting("", "private key file (PEM) of the certificate")
    origins: str = setting(
        "", "web origins that may connect, such as https://example.org, separated by commas; * for all"
    )
    public_host: str = setting(
        "",
        "names by which browsers may open this server without TLS, separated by commas, such as games.example; its "
        "addresses and the name of the machine need no entry",
    )
    forwarded: bool = setting(False, "behind a proxy: take client addresses from the last X-Forwarded-For")
    deflate: bool = setting(False, "offer permessage-deflate: less traffic, more memory and CPU time")
    watch_tick: float = setting(
        0.02, "seconds between writes to watchers, up to twice as many for many watchers; 0 writes immediately", low=0
    )
    lobby_tick: float = setting(0.25, "seconds between lobby updates", low=0)
    rate: float = setting(
        30.0, "messages per second that a connection may send on average; commands that cost more count more", low=0.1
    )
    burst: int = setting(90, "messages that a connection may send at once", low=1)
    connections_per_address: int = setting(200, "maximum connections from one address", low=1)
    rooms_per_player: int = setting(20, "maximum open rooms in which a player is seated", low=1)
    rooms_per_minute: int = setting(
        600, "rooms that one address, or one account, may create per minute; at most 100 at once", low=1
    )
    arbiters: str = setting(
        "",
        f"accounts of tournament arbiters, separated by commas: their limits for messages and rooms are "
        f"{ARBITER_ALLOWANCE} times as high",
    )
    reviewers: str = setting("reviewer", "accounts that may submit reviews of games, separated by commas")
    chat_rate: float = setting(
        2.0,
        "chat lines per second that a player may send to a room; all its watchers together may send as many, each of "
        "them a quarter",
        low=0.01,
    )
    chat_burst: int = setting(20, "chat lines that a player may send to a room at once; watchers as above", low=4)
    chat_lines: int = setting(500, "chat lines of players that a room keeps, and of watchers", low=0)
    name_length: int = setting(32, "maximum characters in a name", low=1)
    text_length: int = setting(500, "maximum characters in a chat line", low=1)
    note_length: int = setting(500, "maximum characters in the note of a move", low=0)
    hello_timeout: float = setting(10.0, "seconds within which a connection must send hello", low=0.05)
    idle_timeout: float = setting(
        900.0,
        "seconds after which a silent connection is closed, unless it is in a room, watches the lobby or waits for "
        "invitations",
        low=0.05,
    )
    ping_interval: float = setting(15.0, "seconds between pings, which also measure lag", low=0.05)
    send_buffer: int = setting(
        262_144, "unread bytes after which a watcher misses updates; a player is disconnected at 4 times this", low=1
    )
    stall_timeout: float = setting(10.0, "seconds after which a watcher that misses updates is disconnected", low=0)
    expiry: float = setting(1800.0, "seconds after which a room that has not started is closed", low=0.1)
    keep_aborted: float = setting(30.0, "days to keep rooms that ended without a result; 0: forever", low=0)
    keep_chat: float = setting(365.0, "days to keep the chat of games that have ended; 0: forever", low=0)
    keep_sessions: float = setting(30.0, "days to keep sessions that no client has used; 0: forever", low=0)
    ssh: str = setting("", "also serve the terminal client over SSH: PORT or HOST:PORT; needs the extra ssh")
    ssh_host_key: str = setting("", "file of the SSH host key; made at the first start (default: beside the database)")
    ssh_sessions: int = setting(20, "maximum SSH sessions", low=1)
    ssh_sessions_per_address: int = setting(4, "maximum SSH sessions from one address", low=1)
    ssh_memory: int = setting(512, "megabytes of memory for each SSH session", low=128)
    ssh_cpu_time: int = setting(600, "seconds of CPU time for each SSH session", low=5)
    ssh_login_timeout: float = setting(30.0, "seconds within which an SSH client must log in", low=0.1)
    ssh_idle_timeout: float = setting(
        3600.0,
        "seconds without a key press (without a terminal: without output) after which an SSH session ends",
        low=0.1,
    )
    ssh_session_time: float = setting(28_800.0, "seconds after which an SSH session ends", low=0.1)
    sweep: float = setting(1.0, "seconds between checks for timeouts and overdue rooms", low=0.01)
    log: str = setting(
        "auto",
        "how to log to standard error; auto: text on a terminal, otherwise JSON",
        choices=("auto", "json", "text"),
    )
    log_level: str = setting("info", "how much to log", choices=("debug", "info", "warning", "error"))

    @property
    def worker_count(self) -> int:
        """The number of processes that serve clients."""
        return max(1, usable_cores() - 1) if self.workers == "auto" else int(self.workers)

    def limits(self, allowance: int = 1) -> Limits:
        """Return the limits that `welcome` tells a client."""
        from protocol.codec import MAX_MESSAGE_BYTES
        from protocol.weights import WEIGHTS_BY_NAME

        return Limits(
            message_bytes=MAX_MESSAGE_BYTES,
            messages_per_second=self.rate * allowance,
            burst=self.burst * allowance,
            rooms=self.rooms_per_player * allowance,
            name_length=self.name_length,
            text_length=self.text_length,
            note_length=self.note_length,
            weights=WEIGHTS_BY_NAME,
        )


def read_settings(given: Mapping[str, str | None], environment: Mapping[str, str]) -> Settings:
    """Return settings from flags, from the environment, or the defaults, in this order. Raises BadSetting."""
    values: dict[str, Any] = {}
    for entry in fields(Settings):
        variable = f"PARLOUR_{entry.name.upper()}"
        text, source = given.get(entry.name), f"--{entry.name.replace('_', '-')}"
        if text is None:
            text, source = environment.get(variable), variable
        if text is not None:
            values[entry.name] = convert(entry, text, source)
    settings = Settings(**values)
    if bool(settings.tls_cert) != bool(settings.tls_key):
        raise BadSetting("--tls-cert and --tls-key belong together: give both")
    check_workers(settings.workers)
    if settings.ssh:
        ssh_address(settings)
    for path in (settings.tls_cert, settings.tls_key):
        if path and not Path(path).is_file():
            raise BadSetting(f"there is no file {path}: check --tls-cert and --tls-key")
    return settings


def ssh_address(settings: Settings) -> tuple[str, int]:
    """Return the host and the port of `--ssh`. Raises BadSetting."""
    host, _, port = settings.ssh.rpartition(":")
    if not (port.isascii() and port.isdigit() and int(port[:6]) <= MAX_PORT):
        raise BadSetting(f"--ssh must be a port such as 2222, or HOST:PORT, not {settings.ssh[:40]!r}")
    if os.name != "posix":
        raise BadSetting("this system has no pseudo-terminals, which SSH sessions need: start the server without --ssh")
    return host.strip("[]") or settings.host, int(port)


def check_workers(text: str) -> None:
    """Raise BadSetting if a text is not a number of workers that this system can run."""
    if text != "auto" and not (text.isascii() and text.isdigit() and 1 <= int(text[:6]) <= MAX_WORKERS):
        raise BadSetting(f"--workers must be a number from 1 to {MAX_WORKERS}, or auto, not {text[:40]!r}")
    if text != "1" and not hasattr(socket, "AF_UNIX"):
        raise BadSetting("this system has no unix sockets, which workers need: start the server with --workers 1")


def convert(entry: Any, text: str, source: str) -> Any:
    """Return the value of a text for a field of Settings. Raises BadSetting. `source`: the flag or the variable."""
    low, choices = entry.metadata["low"], entry.metadata["choices"]
    if choices and text not in choices:
        raise BadSetting(f"{source} must be one of {', '.join(choices)}, not {text[:40]!r}")
    if isinstance(entry.default, bool):
        words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}
        if text.lower() not in words:
            raise BadSetting(f"{source} must be yes or no, not {text[:40]!r}")
        return words[text.lower()]
    if isinstance(entry.default, str):
        return text
    kind = int if isinstance(entry.default, int) else float
    try:
        number = kind(text)
    except ValueError:
        what = "a whole number" if kind is int else "a number"
        raise BadSetting(f"{source} must be {what}, not {text[:40]!r}") from None
    high = MAX_PORT if entry.name == "port" else MAX_NUMBER
    if not low <= number <= high:
        raise BadSetting(f"{source} must be between {low:g} and {high:g}, not {text[:40]}")
    return number
