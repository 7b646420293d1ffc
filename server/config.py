"""Everything that can be set, in one table. Each is a flag of `parlour serve` and an environment variable PARLOUR_…"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from protocol.types import Limits


class BadSetting(Exception):
    """A value that cannot be; the text is one sentence that says where it came from."""


def setting(default: Any, help: str, low: float | None = None, choices: tuple[str, ...] = ()) -> Any:
    return field(default=default, metadata={"help": help, "low": low, "choices": choices})


@dataclass(frozen=True, slots=True)
class Settings:
    host: str = setting("127.0.0.1", "the address to listen on; 0.0.0.0 is everywhere")
    port: int = setting(8765, "the port to listen on; 0 takes any that is free", low=0)
    db: str = setting("parlour.db", "the database: a file, or postgresql://… for several nodes")
    db_pool: int = setting(5, "connections to PostgreSQL, beside the one that writes", low=2)
    bus: str = setting("", "an MQTT broker for several nodes and for anybody who listens: mqtt://host or mqtts://host")
    bus_user: str = setting("", "the broker's user")
    bus_password: str = setting("", "the broker's password; better in the variable than in a flag, which all can read")
    bus_ca: str = setting("", "a file with the certificates (PEM) to trust, for a broker with TLS")
    bus_prefix: str = setting("parlour/v1", "how our topics begin")
    bus_format: str = setting("json", "what messages are made of there", choices=("json", "msgpack"))
    auth: str = setting("guests", "who may come: anybody, or only holders of tokens", choices=("guests", "tokens"))
    house: str = setting(
        "random,greedy,search@2,search@5,search@8,search",
        "bots that are always there; search@3 is of level 3; none for none",
    )
    tls_cert: str = setting("", "a certificate file (PEM): serve wss:// and https://")
    tls_key: str = setting("", "its private key file (PEM)")
    origins: str = setting("", "web pages that may connect, like https://example.org, several with commas; * for all")
    forwarded: bool = setting(False, "behind a proxy: take addresses from the last X-Forwarded-For")
    deflate: bool = setting(False, "offer permessage-deflate: less traffic, more memory and time")
    watch_tick: float = setting(0.02, "seconds between flushes to watchers; 0 writes at once", low=0)
    lobby_tick: float = setting(0.25, "seconds between updates of the lobby", low=0)
    rate: float = setting(30.0, "messages a second that a connection may send in the long run", low=0.1)
    burst: int = setting(90, "messages that it may send at once", low=1)
    connections_per_address: int = setting(200, "connections from one address at a time", low=1)
    rooms_per_player: int = setting(20, "open rooms in which one player may sit", low=1)
    name_length: int = setting(32, "characters in a name", low=1)
    text_length: int = setting(500, "characters in a chat line", low=1)
    note_length: int = setting(500, "characters in the note of a move", low=0)
    hello_timeout: float = setting(10.0, "seconds until a connection must have said hello", low=0.05)
    idle_timeout: float = setting(
        900.0,
        "seconds of silence after which one is closed who is in no room, watches no lobby and waits for no invitation",
        low=0.05,
    )
    ping_interval: float = setting(15.0, "seconds between pings, which also measure lag", low=0.05)
    send_buffer: int = setting(
        262_144, "unread bytes after which a watcher is skipped, a player (at 4 times) cut", low=1
    )
    stall_timeout: float = setting(10.0, "seconds that a watcher may stay that slow", low=0)
    expiry: float = setting(1800.0, "seconds that a room waits for its start", low=0.1)
    sweep: float = setting(1.0, "seconds between looks at time-outs and overdue rooms", low=0.01)
    log: str = setting(
        "auto",
        "how to log to standard error; auto: text on a terminal, otherwise JSON",
        choices=("auto", "json", "text"),
    )
    log_level: str = setting("info", "how much to log", choices=("debug", "info", "warning", "error"))

    @property
    def limits(self) -> Limits:
        from protocol.codec import MAX_MESSAGE_BYTES

        return Limits(
            message_bytes=MAX_MESSAGE_BYTES,
            messages_per_second=self.rate,
            burst=self.burst,
            rooms=self.rooms_per_player,
            name_length=self.name_length,
            text_length=self.text_length,
            note_length=self.note_length,
        )


def read_settings(given: Mapping[str, str | None], environment: Mapping[str, str]) -> Settings:
    """Settings from flags, else from the environment, else the defaults; BadSetting."""
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
        raise BadSetting("--tls-cert and --tls-key belong together")
    for path in (settings.tls_cert, settings.tls_key):
        if path and not Path(path).is_file():
            raise BadSetting(f"there is no file {path}")
    return settings


def convert(entry: Any, text: str, source: str) -> Any:
    low, choices = entry.metadata["low"], entry.metadata["choices"]
    if choices and text not in choices:
        raise BadSetting(f"{source} is one of {', '.join(choices)}, not {text[:40]!r}")
    if isinstance(entry.default, bool):
        words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}
        if text.lower() not in words:
            raise BadSetting(f"{source} is yes or no, not {text[:40]!r}")
        return words[text.lower()]
    if isinstance(entry.default, str):
        return text
    kind = int if isinstance(entry.default, int) else float
    try:
        number = kind(text)
    except ValueError:
        raise BadSetting(f"{source} is a number, not {text[:40]!r}") from None
    if not low <= number < 1e12 or (entry.name == "port" and number > 65535):
        raise BadSetting(f"{source} cannot be {text[:40]}")
    return number
