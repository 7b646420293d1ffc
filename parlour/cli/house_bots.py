"""The bots of the house: child processes beside a server, which connect to it like anybody else.

They end with the server, however it ends: each reads from a pipe that the server holds, and leaves when it closes.
Each has an account, so that nobody else can come by its name, and takes up its games again after a restart; the tokens
lie beside the database.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from hashlib import sha256
from pathlib import Path

from client.bots.loader import LoadError
from client.bots.spec import BotSpec
from runtime import child_process
from runtime.backoff import Backoff
from runtime.paths import state_folder
from server.app import Running
from server.config import Settings
from server.ids import new_player_id
from server.logs import log
from server.storage.interface import Store, new_secret

NOBODY = "none"
LASTING = 30.0  # seconds after which a bot that dies was healthy
QUICK, THINKING = 20, 6  # games at a time of bots that answer at once, and of one that takes its time
GRACE = 2.0  # seconds to leave


def house_names(text: str) -> tuple[str, ...]:
    """The bots that --house asks for; LoadError or GameError if there is no such bot."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if names == (NOBODY,):
        return ()
    for name in names:
        recipe_of(name).check()
    return names


def recipe_of(name: str) -> BotSpec:
    """`search@3` is the search at level 3."""
    bot, at, level = name.partition("@")
    if at and (bot != "search" or not level.isdigit() or not 1 <= int(level[:3]) <= 10):
        raise LoadError(f"{name[:40]!r} is no bot of the house: only search has levels, as search@1 to search@10")
    return BotSpec(bot, level=int(level) if at else 10)


@asynccontextmanager
async def house_bots(names: tuple[str, ...], running: Running, settings: Settings) -> AsyncIterator[None]:
    """Bots that play on a server for as long as the block lasts."""
    tokens = await accounts(names, running.house.store, token_file(settings.db))
    keepers = [
        asyncio.create_task(keep(name, local(running.url), tokens.get(name, ""), settings.tls_cert)) for name in names
    ]
    try:
        yield
    finally:
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)


def local(url: str) -> str:
    """The address of a server on this machine: one that listens everywhere is here too."""
    return url.replace("//0.0.0.0:", "//127.0.0.1:").replace("//[::]:", "//[::1]:")


# -- accounts


def token_file(db: str) -> Path:
    if "://" not in db:
        return Path(f"{db}.house.json")
    return state_folder() / f"house-{sha256(db.encode()).hexdigest()[:16]}.json"


async def accounts(names: tuple[str, ...], store: Store, path: Path) -> dict[str, str]:
    """A token for each bot; none for one whose name belongs to somebody else, who then comes as a guest."""
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
        keep_secret(path, json.dumps({**known, **tokens}))
    return tokens


def read_tokens(path: Path) -> dict[str, str]:
    try:
        known = json.loads(path.read_text())
    except (OSError, ValueError):
        return {}
    return {name: token for name, token in known.items() if isinstance(token, str)} if isinstance(known, dict) else {}


def keep_secret(path: Path, text: str) -> None:
    """Written so that only the owner can read it; where it cannot be written, the bots are strangers next time."""
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)


# -- processes


async def keep(name: str, url: str, token: str, trust: str) -> None:
    """Have a bot there: whenever it dies it is started again, later and later if it dies soon."""
    backoff = Backoff(first=1.0, most=60.0)
    while True:
        began = time.monotonic()
        process = await start(name, url, token, trust)
        log("house_bot", bot=name, pid=process.pid)
        try:
            await process.wait()
        finally:
            await child_process.end(process, GRACE)
        if time.monotonic() - began > LASTING:
            backoff.reset()
        seconds = backoff.next()
        log("house_bot_died", logging.WARNING, bot=name, status=process.returncode, again_in=round(seconds, 1))
        await asyncio.sleep(seconds)


async def start(name: str, url: str, token: str, trust: str) -> asyncio.subprocess.Process:
    recipe = recipe_of(name)
    words = ["bot", recipe.bot, "--name", name, "--url", url, "--leave-with-stdin", "--lazy", "--no-state"]
    words += ["--concurrent", str(THINKING if recipe.bot == "search" else QUICK)]
    if recipe.bot == "search":
        words += ["--level", str(recipe.level)]
    if trust:
        words += ["--tls-trust", trust]
    return await child_process.start("parlour", *words, token=token)
