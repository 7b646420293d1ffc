"""House bots: child processes of a server that connect to it like any other bot.

They exit with the server, even if it is killed: each reads from a pipe that the server holds, and exits when it closes.
Each has an account, so that no other player can take its name, and continues its games after a restart. The tokens are
stored next to the database.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from pathlib import Path

from client.bots.loader import LoadError
from client.bots.spec import BotSpec
from runtime import child_process
from runtime.backoff import Backoff
from runtime.paths import state_folder
from runtime.supervisor import Supervisor
from runtime.untrusted_files import MAX_STATE_BYTES, parse_json, read_file
from server.config import Settings
from server.ids import new_player_id
from server.logs import log
from server.storage.interface import Store, new_secret

NO_BOTS = "none"
REVIEWER = "reviewer"  # reviews games instead of playing them
MAX_CONCURRENT_GAMES = 20  # of a bot that moves at once
MAX_CONCURRENT_SEARCH_GAMES = 8
EXIT_GRACE_S = 2.0


def house_names(text: str) -> tuple[str, ...]:
    """Return the bots that --house names. Raises LoadError or GameError if a name is unknown."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if names == (NO_BOTS,):
        return ()
    for name in names:
        if name != REVIEWER:
            parse_bot_name(name).check()
    return names


def parse_bot_name(name: str) -> BotSpec:
    """Return the bot of a name such as `search@3`, the search at level 3. Raises LoadError if the level is wrong."""
    bot, at, level = name.partition("@")
    if at and (bot != "search" or not level.isdigit() or not 1 <= int(level[:3]) <= 10):
        raise LoadError(f"{name[:40]!r} is not a bot: only search has levels, search@1 to search@10")
    return BotSpec(bot, level=int(level) if at else 10)


@asynccontextmanager
async def house_bots(names: tuple[str, ...], settings: Settings, url: str, store: Store) -> AsyncIterator[None]:
    """Run house bots on a server until the block ends."""
    tokens = await ensure_accounts(names, store, token_file(settings.db))
    url = local_url(url)
    if REVIEWER in names and REVIEWER not in tokens:
        log("no_reviewer", logging.ERROR, why=f"the name {REVIEWER} belongs to another account; see --reviewers")
        names = tuple(name for name in names if name != REVIEWER)
    supervisors = [supervisor(name, url, tokens.get(name, ""), settings.tls_cert) for name in names]
    for bot in supervisors:
        bot.start_soon()
    try:
        yield
    finally:
        await asyncio.gather(*(bot.stop() for bot in supervisors), return_exceptions=True)


def local_url(url: str) -> str:
    """Return an address for clients on this machine of a server that may listen on all interfaces."""
    return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


# -- accounts


def token_file(db: str) -> Path:
    if "://" not in db:
        return Path(f"{db}.house.json")
    return state_folder() / f"house-{sha256(db.encode()).hexdigest()[:16]}.json"


async def ensure_accounts(names: tuple[str, ...], store: Store, path: Path) -> dict[str, str]:
    """Return a token for each bot; create missing accounts.

    A bot whose name belongs to another account gets no token and plays as a guest.
    """
    known = read_tokens(path)
    tokens: dict[str, str] = {}
    for name in names:
        account = await store.account_of_token(known[name]) if name in known else None
        if account is not None and account.name == name:
            tokens[name] = known[name]
            continue
        token = new_secret()
        if await store.add_account(name, new_player_id(), token, int(time.time() * 1000)):
            tokens[name] = token
    if tokens and tokens != known:
        write_tokens(path, json.dumps({**known, **tokens}))
    return tokens


def read_tokens(path: Path) -> dict[str, str]:
    try:
        known = parse_json(read_file(path, MAX_STATE_BYTES))
    except (OSError, ValueError):
        return {}
    return {name: token for name, token in known.items() if isinstance(token, str)} if isinstance(known, dict) else {}


def write_tokens(path: Path, text: str) -> None:
    """Write a file that only its owner can read. If that fails, the bots play as guests after a restart."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)


# -- processes


def supervisor(name: str, url: str, token: str, trust: str) -> Supervisor[Process]:
    """Return a supervisor that starts a bot, and starts it again whenever it dies."""
    args = bot_args(name, url, trust)

    async def spawn() -> Process:
        process = await child_process.start("parlour", *args, token=token)
        log("house_bot", bot=name, pid=process.pid)
        return process

    def exited(process: Process, delay: float) -> None:
        log("house_bot_died", logging.WARNING, bot=name, status=process.returncode, again_in=round(delay, 1))

    def failed(error: Exception, delay: float) -> None:
        log("house_bot_failed", logging.ERROR, bot=name, why=str(error), again_in=round(delay, 1))

    return Supervisor(spawn, Backoff(first_s=1.0, max_s=60.0), EXIT_GRACE_S, on_exit=exited, on_failure=failed)


def bot_args(name: str, url: str, trust: str) -> list[str]:
    """Return the arguments of `parlour` for a house bot."""
    if name == REVIEWER:
        return ["reviewer", "--url", url, "--leave-with-stdin", *(("--tls-trust", trust) if trust else ())]
    spec = parse_bot_name(name)
    args = ["bot", spec.bot, "--name", name, "--url", url, "--leave-with-stdin", "--lazy", "--no-state"]
    args += ["--concurrent", str(MAX_CONCURRENT_SEARCH_GAMES if spec.bot == "search" else MAX_CONCURRENT_GAMES)]
    if spec.bot == "search":
        args += ["--level", str(spec.level)]
    if trust:
        args += ["--tls-trust", trust]
    return args
