"""The text that `parlour serve` prints on a terminal: what is running, and what to try next."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from client.sdk.url import DEFAULT_URL
from parlour.cli.house_bots import REVIEWER, local_url
from server.config import Settings
from server.storage.interface import without_password

if TYPE_CHECKING:
    from server.ssh.supervisor import SshListener


def greeting(url: str, settings: Settings, bots: Sequence[str], ssh: SshListener | None = None) -> str:
    """Return the greeting of a server that listens at `url` and runs these house bots. `ssh`: for SSH, if any."""
    local = local_url(url)
    where = "" if local == DEFAULT_URL else f" --url {local}"
    default_db = settings.db == Settings().db
    if "://" in settings.db:
        database, db = without_password(settings.db), " --db postgresql://…"
    else:
        database, db = str(Path(settings.db).absolute()), "" if default_db else f" --db {settings.db}"
    guests = "guests and accounts may connect" if settings.auth == "guests" else "only accounts may connect"
    parlour = program()
    commands = {
        f"{parlour} play conga{where}": "play against a house bot" if set(bots) - {REVIEWER} else "play",
        f"{parlour} watch{where}": "open the lobby and watch games",
        f"{parlour} bot my_bot.py{where}": "connect your own bot",
        f"{parlour} account add NAME{db}": "create an account and print its token",
    }
    width = max(map(len, commands))
    examples = "\n".join(f"  {command:{width}}   {purpose}" for command, purpose in commands.items())
    return f"""\
Parlour is running: a server where board-game bots and people play.

  address     {url}  ({guests})
  browser     {page_of(local)}{"" if ssh is None else ssh_lines(ssh)}
  database    {database}
  house bots  {", ".join(bots) or "none"}

Try in another terminal:

{examples}

Ctrl-C stops the server. Running games continue after the next start.
"""


def ssh_lines(ssh: SshListener) -> str:
    """Return how to connect with SSH, and the fingerprint that clients are shown."""
    host, port = ssh.address
    shown = {"0.0.0.0": "HOST", "::": "HOST"}.get(host, host)
    return f"\n  ssh         ssh -p {port} {shown}\n              host key {ssh.host_key.fingerprint} (ED25519)"


def page_of(url: str) -> str:
    """Return the address of the lobby for browsers."""
    return f"http{url.removeprefix('ws').removesuffix('/ws')}/"


def program() -> str:
    """Return how to call `parlour` in another terminal: by its path if it is not on PATH."""
    script = Path(sys.argv[0])
    return str(script.absolute()) if script.name == "parlour" and shutil.which("parlour") is None else "parlour"
