"""The program of one SSH session: a few commands of `parlour`, for the server that the session belongs to.

It is not a command. The SSH service starts it for each session, with limits, an environment and a folder of its own.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import resource
import shlex
import signal
import sys
import termios
from argparse import Namespace

from parlour.cli.main import guarded, parser_of, run_command
from parlour.errors import UserError
from server.ssh.spec import SessionSpec

HELP = """\
Parlour over SSH. The commands are those of the parlour command:

  ssh HOST                          open the lobby
  ssh -t HOST play conga            play against a bot
  ssh -t HOST play conga --pair     find an opponent
  ssh -t HOST tv                    watch live games side by side
  ssh -t HOST watch ROOM            watch one game; when it has ended, step through its moves
  ssh HOST watch --plain            the newest game as text; watch ROOM --plain, watch ROOM --json
  ssh HOST play conga --plain       play line by line, without a full-screen display
  ssh HOST play --puzzles conga     find the only good move
  ssh HOST rooms                    list the rooms
  ssh HOST leaderboard              list the best players
  ssh HOST rules conga              explain a game

A full-screen display needs a terminal, so write -t. You play as a guest under your user name, as
in ssh NAME@HOST, or with your account if the server has your public key.
"""
LOOKS = {"theme", "ascii", "no_motion"}
GAME = {"game", "vs", "clock", "option", "seat", "pair", "bot_after", "rated"}
ALLOWED = {  # command: its arguments; all others keep their defaults
    "play": {*LOOKS, *GAME, "room", "code", "plain", "puzzles"},
    "watch": {*LOOKS, "rooms", "plain", "json", "code"},
    "tv": {*LOOKS, "game"},
    "rooms": {"game", "status", "json"},
    "leaderboard": {"game", "option", "player", "limit", "json"},
    "rules": {"game"},
}
FULL_SCREEN = ("tv", "watch")  # commands that need a terminal unless they print text
PR_SET_PDEATHSIG = 1
MAX_FILE_BYTES = 1 << 20
MAX_OPEN_FILES = 64


def main() -> int:
    """Read the spec from the descriptor that the argument names, and run the command. Return the exit code."""
    with os.fdopen(int(sys.argv[1]), "rb") as file:
        spec = SessionSpec.decode(file.read())
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # nothing of the service's is for this process
    confine(spec)
    return guarded(lambda: run(spec))


def confine(spec: SessionSpec) -> None:
    """Limit what this process can use, and end it with the SSH service."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != spec.service:
        sys.exit(1)
    if spec.terminal:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.umask(0o077)
    for what, limit in (
        (resource.RLIMIT_DATA, spec.memory_bytes),
        (resource.RLIMIT_FSIZE, MAX_FILE_BYTES),
        (resource.RLIMIT_NOFILE, MAX_OPEN_FILES),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(what, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CPU, (spec.cpu_time_s, spec.cpu_time_s + 5))


def run(spec: SessionSpec) -> int:
    """Run the command of the client. Raises UserError if it is not one of ours, or has other options."""
    try:
        words = shlex.split(spec.command) or ["play"]
    except ValueError:
        raise UserError("the quotes of the command do not match: correct them") from None
    if words[0] == "parlour" and len(words) > 1:
        del words[0]
    name, *rest = words
    if name in ("help", "--help", "-h"):
        print(HELP, end="")  # noqa: T201  # our own text
        return 0
    if name not in ALLOWED:
        raise UserError(f"there is no command {name[:40]!r} over SSH: use one of {', '.join(ALLOWED)}, help")

    def prepare(args: Namespace) -> None:
        check(name, args)
        is_text = getattr(args, "plain", False) or getattr(args, "json", False)
        if name in FULL_SCREEN and not spec.terminal and not is_text:
            text = ", or --plain for text" if name == "watch" else ""
            raise UserError(f"this command needs a terminal: write ssh -t HOST {name}{text}")
        args.url, args.name, args.tls_trust, args.voucher = spec.url, spec.name, spec.trust, spec.voucher

    return run_command(name, rest, prepare)


def check(name: str, args: Namespace) -> None:
    """Raise UserError if an argument is given that is not for SSH: it may name files or another server."""
    from engine.registry import GAMES

    parser = parser_of(name)
    for action in parser._actions:
        if action.dest in ("help", *ALLOWED[name]) or getattr(args, action.dest) == parser.get_default(action.dest):
            continue
        raise UserError(f"{action.option_strings[0]} is not available over SSH; 'ssh HOST help' shows what is")
    if getattr(args, "puzzles", None) not in (None, *GAMES):
        raise UserError(f"--puzzles takes one of {', '.join(GAMES)} over SSH")


if __name__ == "__main__":
    sys.exit(main())
