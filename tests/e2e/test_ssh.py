"""`parlour serve --ssh`, with the ssh client of the system."""

from __future__ import annotations

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pexpect
import pytest

from tests.e2e.ssh import SshServer, until
from tests.waiting import TIMEOUT_S

pytestmark = [
    pytest.mark.skipif(shutil.which("ssh") is None, reason="needs an ssh client"),
    pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc"),
]
FINGERPRINT = re.compile(r"SHA256:\S+")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SshServer]:
    """Serve with the default limits, but few places."""
    server = SshServer(tmp_path_factory.mktemp("ssh"), "--ssh-sessions-per-address", "2", house="random")
    yield server
    server.stop()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., SshServer]]:
    """Start servers with flags."""
    servers: list[SshServer] = []

    def begin(*flags: str) -> SshServer:
        servers.append(SshServer(tmp_path, *flags))
        return servers[-1]

    yield begin
    for one in servers:
        one.stop()


def new_key(folder: Path, name: str) -> Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
    return folder / name


def gone(server: SshServer) -> bool:
    return not server.session_processes() and not server.session_folders()


def parlour(*words: str) -> str:
    done = subprocess.run([sys.executable, "-m", "parlour", *words], capture_output=True, text=True, check=True)
    return done.stdout


def test_game_is_played_over_ssh_to_its_end(server: SshServer) -> None:
    client = server.terminal("play", "cohcoh", "--option", "n=3", "--vs", "random", "--seat", "first")
    client.expect("Your move")
    [process] = server.session_processes()
    environment = Path(f"/proc/{process}/environ").read_text().split("\0")
    names = {line.partition("=")[0] for line in environment}
    assert not names & {"PYTHONPATH", "USER", "PARLOUR_DB", "SSH_AUTH_SOCK"}
    descriptors = [link.readlink() for link in Path(f"/proc/{process}/fd").iterdir()]
    assert not [link for link in descriptors if str(server.folder / "log") in str(link)], "nothing is inherited"
    limits = Path(f"/proc/{process}/limits").read_text()
    assert re.search(rf"Max data size +{512 << 20} ", limits)
    assert re.search(r"Max cpu time +600 ", limits)
    for cell in 3 * [f"{column}{row}" for column in "abc" for row in "123"]:  # a cell that is taken is refused
        client.send(f"{cell}\r")
        if client.expect([r"wins|won|lost|draw", r"Your move", "already|not a legal move|is taken|illegal"]) == 0:
            break
    else:
        pytest.fail("the game did not end")
    client.send("\x03")
    client.expect(re.escape("\x1b[?1049l"))
    client.expect(pexpect.EOF)
    until("the session has left nothing behind", lambda: gone(server))


def test_terminal_can_be_resized_and_a_lost_client_ends_its_session(server: SshServer) -> None:
    client = server.terminal()
    client.expect("to filter")
    client.setwinsize(10, 40)
    client.expect("80")  # the minimum size
    client.setwinsize(30, 100)
    client.expect("to filter")
    assert len(server.session_processes()) == len(server.session_folders()) == 1
    client.kill(9)
    until("the session has left nothing behind", lambda: gone(server))
    client.close(force=True)


def test_commands_work_without_a_terminal(server: SshServer) -> None:
    assert server.run("help").stdout.startswith("Parlour over SSH.")
    words = ("play", "cohcoh", "--option", "n=3", "--vs", "random", "--plain")
    done = server.run(*words, user="dan", stdin="a1\nresign\nyes\nquit\n")
    assert "a1" in done.stdout
    assert "Traceback" not in done.stderr
    [line] = until("the game is listed", lambda: listed(server, "dan", ()))
    followed = server.run("watch", re.search(r'"room": ?"(\w+)"', line)[1], "--plain")  # type: ignore[index]
    assert "dan" in followed.stdout


def test_forwarding_file_transfer_and_shells_are_refused(server: SshServer, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(0)
        port = listener.getsockname()[1]
        assert server.run(more=("-W", f"127.0.0.1:{port}")).returncode == 255
        with pytest.raises(BlockingIOError):
            listener.accept()  # the service has not even tried
    assert server.run(more=("-N", "-R", "0:127.0.0.1:1", "-oExitOnForwardFailure=yes")).returncode == 255
    assert server.run(more=("-N", "-R", f"{tmp_path}/s:127.0.0.1:1", "-oExitOnForwardFailure=yes")).returncode == 255
    assert "subsystem request failed" in server.run("sftp", more=("-s",)).stderr
    for words, why in (
        ("bash", "there is no command 'bash' over SSH"),
        ("x" * 2000, "a command has at most 1000 characters"),
    ):
        done = server.run(words)
        assert done.returncode in (1, 2)
        assert (done.stdout, done.stderr.count("\n")) == ("", 1)
        assert done.stderr.startswith(f"parlour: {why}")


def test_key_of_an_account_logs_in_as_the_account(server: SshServer, tmp_path: Path) -> None:
    key = new_key(tmp_path, "ann")
    db = str(server.folder / "parlour.db")
    parlour("account", "add", "ann", "--db", db)
    parlour("account", "key", "ann", f"{key}.pub", "--db", db)
    unknown = new_key(tmp_path, "unknown")
    mine, none = ("-i", str(key), "-oIdentityFile=none"), ("-i", str(unknown))
    moves = "a1\nresign\nyes\nquit\n"
    game = ("play", "cohcoh", "--vs", "random", "--seat", "first", "--clock", "5+3", "--rated", "--plain")
    assert (
        "Traceback"
        not in server.run(*game, user="whoever", more=("-i", str(unknown), "-i", str(key)), stdin=moves).stderr
    )
    [line] = until("the rated game is listed", lambda: listed(server, "ann", mine))
    assert '"rated": true' in line
    for more in (none, ()):
        refused = server.run("rooms", user="ann", more=more)
        assert refused.stderr.startswith("parlour: the name ann belongs to an account; connect with a key of it")
    # The public half alone proves nothing.
    (tmp_path / "public").mkdir()
    shutil.copy(f"{key}.pub", tmp_path / "public/ann.pub")
    stolen = server.run("rooms", user="ann", more=("-i", str(tmp_path / "public/ann.pub")))
    assert stolen.stderr.splitlines()[-1].startswith("parlour: the name ann belongs to an account")


def listed(server: SshServer, name: str, more: tuple[str, ...]) -> list[str]:
    """Return the finished games of a player."""
    lines = server.run("rooms", "--status", "ended", "--json", more=more).stdout.splitlines()
    return [line for line in lines if f'"{name}"' in line]


def test_names_of_guests(server: SshServer) -> None:
    for user, why in (
        ("random", "the name random belongs to an account; connect with a key of it, or under another name"),
        ("x" * 100, "a name has at most 32 characters"),
        ("st\u0430ff", "a word uses one alphabet"),
        ("../../etc", ""),
    ):
        done = server.run("rooms", user=user)
        assert done.stderr.startswith(f"parlour: {why}") if why else "Traceback" not in done.stderr, user
        assert done.returncode == (1 if why else 0)


def test_host_key_is_private_and_stays(server: SshServer) -> None:
    server.run("help")
    [line] = (server.folder / "known_hosts").read_text().splitlines()
    (server.folder / "one").write_text(line)
    shown = subprocess.run(
        ["ssh-keygen", "-l", "-f", server.folder / "one"], capture_output=True, text=True, check=True
    )
    assert FINGERPRINT.search(shown.stdout)[0] == server.fingerprint  # type: ignore[index]
    assert (server.folder / "parlour.db.ssh-key").stat().st_mode & 0o777 == 0o600


@pytest.mark.long
def test_address_has_a_limited_number_of_sessions(server: SshServer) -> None:
    clients = [server.terminal(user=name) for name in ("ann1", "ben1")]
    for client in clients:
        client.expect("to filter")
    full = server.run("rooms")
    assert (full.returncode, full.stderr) == (
        1, "parlour: your address has 2 SSH sessions, which is the limit; close one of them\n",
    )  # fmt: skip
    clients[0].close(force=True)
    until("there is a place", lambda: server.run("rooms").returncode == 0)
    clients[1].close(force=True)


def test_shutdown_ends_sessions_with_a_sentence(start: Callable[..., SshServer]) -> None:
    server = start("--ssh-sessions", "1", "--workers", "2")
    client = server.terminal(user="ann")
    client.expect("to filter")
    assert server.run("rooms").stderr.startswith("parlour: all 1 places for SSH are taken")
    server.process.terminate()  # the terminal is read meanwhile: a full one would keep the client from reading
    client.expect("parlour: the server is restarting; connect again in a moment")
    client.expect(pexpect.EOF)
    server.stop()
    assert not server.session_processes()
    assert not list(server.temporary.iterdir())


def test_idle_sessions_and_silent_clients_are_disconnected(start: Callable[..., SshServer]) -> None:
    server = start("--ssh-idle-timeout", "0.5", "--ssh-login-timeout", "5")
    with socket.create_connection(("127.0.0.1", server.port), TIMEOUT_S) as connection:
        client = server.terminal()
        client.expect("parlour: this session was idle for too long; connect again for a new one")
        client.expect(pexpect.EOF)
        until("the session has left nothing behind", lambda: gone(server))
        received = b""
        while data := connection.recv(4096):
            received += data
    assert received.startswith(b"SSH-2.0-Parlour")


@pytest.mark.long
def test_nothing_is_left_of_a_service_or_a_server_that_is_killed(start: Callable[..., SshServer]) -> None:
    server = start()
    client = server.terminal()
    client.expect("to filter")
    [service] = services(server.process.pid)
    os.kill(service, signal.SIGKILL)
    until("the service is back", lambda: len(server.events("ssh_listening")) == 2)
    client.expect(pexpect.EOF)
    assert gone(server)
    client = server.terminal()
    client.expect("to filter")
    [service] = services(server.process.pid)
    server.process.kill()
    client.expect("parlour: the server is restarting; connect again in a moment")
    client.expect(pexpect.EOF)
    until("the service has ended", lambda: not Path(f"/proc/{service}").exists())
    assert gone(server)
    assert not list(server.temporary.iterdir())


def services(parent: int) -> list[int]:
    """Return the SSH services of a server."""
    return [int(path.name) for path in Path("/proc").iterdir() if is_service(path, parent)]


def is_service(folder: Path, parent: int) -> bool:
    """Return whether a folder of /proc is that of the SSH service of a server."""
    if not folder.name.isdigit():
        return False
    try:
        words, status = (folder / "cmdline").read_bytes(), (folder / "status").read_text()
    except OSError:
        return False
    return b"parlour.cli.ssh_service" in words and f"PPid:\t{parent}\n" in status
