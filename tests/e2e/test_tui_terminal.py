"""`parlour play` in a pseudo-terminal: whole games, and no processes left behind."""

from __future__ import annotations

import os
import pty
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from client.local_server import PrivateFolder
from tests.long import long
from tests.waiting import TIMEOUT_S


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "state"


class Screen:
    """A terminal of 80 x 24 in which `parlour` runs."""

    def __init__(self, home: Path, *words: str) -> None:
        environment = {key: value for key, value in os.environ.items() if not key.startswith("PARLOUR_")}
        environment |= {"TERM": "xterm-256color", "XDG_STATE_HOME": str(home), "LANG": "C.UTF-8", "NO_COLOR": "1"}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "parlour", *words],
            env=environment,
            dimensions=(24, 80),
            encoding="utf-8",
            timeout=TIMEOUT_S,
        )

    def see(self, *patterns: str) -> int:
        """Wait until the terminal shows one of the patterns. Return its index."""
        return int(self.child.expect([*patterns]))

    def type(self, text: str) -> None:
        self.child.send(text)

    def end(self) -> int:
        self.child.expect(pexpect.EOF)
        self.child.close()
        return int(self.child.exitstatus if self.child.exitstatus is not None else -self.child.signalstatus)


@pytest.fixture
def screens(home: Path) -> Iterator[Callable[..., Screen]]:
    opened: list[Screen] = []

    def start(*words: str) -> Screen:
        opened.append(Screen(home, *words))
        return opened[-1]

    yield start
    for screen in opened:
        screen.child.close(force=True)


def leftovers(home: Path) -> dict[int, str]:
    """Return the processes that have our folder in their arguments or environment."""
    found = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                words, values = ((folder / name).read_bytes() for name in ("cmdline", "environ"))
            except OSError:
                continue
            if str(home).encode() in words + values:
                found[int(folder.name)] = words.decode().replace("\0", " ")
    return found


def all_ended(home: Path) -> bool:
    end = time.monotonic() + TIMEOUT_S
    while leftovers(home) and time.monotonic() < end:
        time.sleep(0.05)
    return not leftovers(home)


def test_game_is_played_in_a_real_terminal_to_its_end(screens: Callable[..., Screen], home: Path) -> None:
    screen = screens("play", "conga", "--private", "--vs", "random", "--seat", "first", "--option", "max_plies=6")
    screen.see("Your move")
    screen.type("a4b4\r")
    for ply in (2, 4):
        screen.see(rf"{ply} r .{{0,60}}[a-d][1-4]")  # the bot has answered
        screen.type("s")
        screen.see("Hint: look at")
        screen.type("w")
        screen.see(r"best move found is (\w+)\.")
        screen.type(screen.child.match[1] + "\r")
    screen.see("limit of")
    screen.type("q")
    assert screen.end() == 0
    assert all_ended(home)


def test_quitting_asks_and_the_game_can_be_resumed(screens: Callable[..., Screen], home: Path) -> None:
    screen = screens("play", "mancala", "--private", "--vs", "greedy", "--seat", "first")
    screen.see("Your move")
    screen.type("q")
    screen.see("LEAVE")
    screen.type("\x19")
    assert screen.end() == 0
    assert all_ended(home)
    screen = screens("play", "mancala", "--private", "--vs", "greedy")
    screen.see("Mancala against greedy")
    screen.type("y")
    screen.see("Your move")
    screen.type("\x03")
    assert screen.end() == 0
    assert all_ended(home)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL, *long(signal.SIGHUP)])
def test_no_process_is_left_behind(number: signal.Signals, screens: Callable[..., Screen], home: Path) -> None:
    screen = screens("play", "conga", "--private", "--vs", "random")
    screen.see("Your move|is thinking")
    os.kill(screen.child.pid, number)
    if number == signal.SIGTERM:
        screen.see(re.escape("\x1b[?1049l"))  # the terminal is restored
        assert screen.end() == 0
    assert all_ended(home)


def test_private_server_is_restarted(screens: Callable[..., Screen], home: Path) -> None:
    screen = screens("play", "cohcoh", "--private", "--vs", "random", "--seat", "first")
    screen.see("Your move")
    (server,) = (pid for pid, words in leftovers(home).items() if "client.local_server" in words)
    os.kill(server, signal.SIGKILL)
    screen.see("reconnecting")
    screen.type("a1\r")
    screen.see("2 b .{0,60}[a-d][1-4]")
    screen.type("\x03")
    assert screen.end() == 0
    assert all_ended(home)


def test_closing_the_terminal_ends_the_client(home: Path) -> None:
    parent, child = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "XDG_STATE_HOME": str(home)}
    words = [sys.executable, "-m", "parlour", "play", "conga", "--private", "--vs", "random"]
    with subprocess.Popen(words, stdin=child, stdout=child, stderr=child, env=environment) as process:
        os.close(child)
        seen = b""
        while b"conga" not in seen.lower():
            seen += os.read(parent, 65536)
        os.close(parent)
        process.wait(TIMEOUT_S)
    assert all_ended(home)


@pytest.mark.long
def test_resigned_game_is_not_offered_again(screens: Callable[..., Screen], home: Path) -> None:
    for answer in ("", "n", "y"):
        screen = screens("play", "cohcoh", "--private", "--vs", "greedy" if answer else "random", "--seat", "first")
        if answer:
            screen.see("n-k-coh-coh against (random|greedy)")
            assert screen.child.match[1] == {"n": "random", "y": "greedy"}[answer]
            screen.type(answer)
        screen.see("Your move")
        screen.type("\x03")
        assert screen.end() == 0


def test_unknown_bot_shows_a_message(screens: Callable[..., Screen]) -> None:
    screen = screens("play", "conga", "--private", "--vs", "no-such-bot")
    screen.see("there is no bot 'no-such-bot'")
    assert screen.end() == 2
    screen = screens("play", "conga", "--private", "--vs", "random")
    screen.see("Your move|is thinking")


def test_occupied_private_server_is_reported(screens: Callable[..., Screen], home: Path) -> None:
    place = PrivateFolder(home / "parlour" / "private")
    place.open()
    try:
        for words in (("rooms",), ("watch", "room")):
            screen = screens(*words, "--private")
            screen.see("parlour: the private server is in use")
            assert screen.end() == 2
    finally:
        place.close()


def run(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "parlour", *words],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("play", "chess"), "there is no game 'chess'; choose one of conga, mancala, maxconnect4, cohcoh"),
        (("play", "conga", "--clock", "soon"), "'soon' is not a valid clock: try "),
        (
            ("play", "conga", "--option", "stones=99"),
            "option stones of conga must be a whole number from 1 to 15, not '99'",
        ),
        (("play",), "the lobby needs a terminal; name a game"),
        (("play", "conga", "--private", "--url", "x"), "--private and --url exclude each other; use one of them"),
        (("watch",), "without a terminal, 'parlour watch' needs exactly one room: parlour watch ROOM --plain"),
        (("watch", "a", "b", "--plain"), "text output needs exactly one room: parlour watch ROOM --plain"),
        (("play", "conga", "--private"), "standard input is empty: play in a terminal, or send your moves"),
        (("play", "conga", "--clock", "-1+2"), "'-1+2' is not a valid clock: try 5+3"),
        (("play", "conga", "--clock", "0+0"), "'0+0' is not a valid clock: a player needs at least 0.1 s: try 5+3"),
        (("play", "conga", "--code", "x"), "--code needs --room"),
        (
            ("rooms", "--url", "127.0.0.1:1"),
            "no connection to ws://127.0.0.1:1/ws: connection refused; start a server there with 'parlour serve', or",
        ),
        (("rooms", "--game", "chess"), "there is no game 'chess'; choose one of conga"),
        (("loadtest", "--url", "127.0.0.1:1"), "cannot test ws://127.0.0.1:1/ws: connection refused; start a server"),
        (("rooms", "--url", "no address"), "'no address' is not a server address"),
    ],
)
def test_mistakes_show_one_line(words: tuple[str, ...], sentence: str, tmp_path: Path) -> None:
    done = run(*words, PARLOUR_URL="", XDG_STATE_HOME=str(tmp_path))
    assert done.returncode == 2
    assert re.match(re.escape(f"parlour: {sentence}"), done.stderr), done.stderr
    assert done.stderr.count("\n") == 1
