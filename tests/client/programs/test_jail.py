"""Jails: what a program in one can see and do, and what its failure says. The programs attack for real."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from client.programs.adapters import ADAPTERS
from client.programs.child import Child
from client.programs.failure import Failure
from client.programs.jail.base import NoJail
from client.programs.jail.bubblewrap import Bubblewrap, program_files
from client.programs.jail.choice import JailSettings, choose
from client.programs.jail.container import Container
from client.programs.jail.seccomp import filter_file
from client.programs.limits import Limits
from client.programs.line_bot import LineBot
from client.programs.oneshot_bot import OneShotBot
from client.programs.program import Program
from client.programs.watch import descendants
from client.programs.workdir import WorkdirFactory
from engine.registry import create
from tests.client.programs.attackers import SECRET, TIGHT, attacker, needs_jail
from tests.client.programs.conftest import Start
from tests.client.sample_programs import FIRST, arguments, budget, gone, script
from tests.waiting import TIMEOUT_S, until_blocking

CONGA = create("conga")
Patch = pytest.MonkeyPatch


def jailed(folder: Path, argv: tuple[str, ...], limits: Limits = TIGHT, **jail: object) -> Program:
    settings = Bubblewrap(**jail)  # type: ignore[arg-type]
    return Program(argv, folder, limits, settings, name="attacker", forensics=folder.parent / "forensics")


def failing(bot: LineBot) -> Failure:
    with pytest.raises(Failure) as caught:
        bot.choose(CONGA, CONGA.start(), budget())
    return caught.value


@needs_jail
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("forks", "it started too many processes and threads: the jail allows 24"),
        ("malloc", "Parlour's limit is 200 MB of memory: --memory sets it"),
        ("shared", "it used more than Parlour's limit of 200 MB of memory: --memory sets it"),
        ("family", "it used more than Parlour's limit of 200 MB of memory: --memory sets it"),
        ("files", "its files in the jail are too large: --disk sets the limit, 16 MB"),
        ("shm", "its files in the jail are too large: --disk sets the limit, 16 MB"),
        ("empties", "it created more than 50000 files"),
        ("network", "it tried to use the network, which the jail does not have"),
        ("secretive", "it tried to use the network, which the jail does not have"),
        ("writer", "it tried to write outside its folder and /tmp"),
        ("opener", "it opened too many files: the jail allows 256"),
    ],
)
def test_violation_ends_the_program_and_is_named(start: Start, tmp_path: Path, name: str, sentence: str) -> None:
    failure = failing(start(jailed(tmp_path / "program", attacker(tmp_path / "program", name))))
    assert sentence in str(failure)
    report = json.loads((Path(failure.evidence) / "report.json").read_text())
    assert (report["jail"], report["limit"]) == ("bwrap", sentence)
    assert not Path("/usr/lib/parlour-was-here").exists()


@needs_jail
def test_files_of_others_are_invisible(start: Start, tmp_path: Path) -> None:
    secret = tmp_path / "neighbour" / "secret.txt"
    secret.parent.mkdir()
    secret.write_text(SECRET)
    argv = attacker(tmp_path / "program", "neighbour", NEIGHBOUR=str(secret))
    (tmp_path / "program" / "link").symlink_to(secret)
    failure = failing(start(jailed(tmp_path / "program", argv)))
    assert "FileNotFoundError" in str(failure)
    argv = attacker(tmp_path / "program", "neighbour", NEIGHBOUR="link")
    failure = failing(start(jailed(tmp_path / "program", argv)))
    assert "FileNotFoundError" in str(failure)
    assert SECRET not in (Path(failure.evidence) / "stderr.txt").read_text()


@needs_jail
def test_token_is_invisible(start: Start, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PARLOUR_TOKEN", "open sesame")
    monkeypatch.setenv("MY_OWN_TOKEN", "open sesame")
    failure = failing(start(jailed(tmp_path / "program", attacker(tmp_path / "program", "token"))))
    assert "found nothing in " in str(failure)


@needs_jail
def test_services_of_this_machine_cannot_be_reached(start: Start, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        argv = attacker(tmp_path / "program", "loopback", PORT=server.getsockname()[1])
        assert "Connection refused" in str(failing(start(jailed(tmp_path / "program", argv))))


@needs_jail
@pytest.mark.skipif(filter_file() is None, reason="the filter of system calls is not known for this machine")
def test_memory_without_an_owner_is_refused(start: Start, tmp_path: Path) -> None:
    assert "Function not implemented" in str(
        failing(start(jailed(tmp_path / "program", attacker(tmp_path / "program", "memfd"))))
    )
    code = """
    import ctypes
    libc, flags = ctypes.CDLL(None), 0x10020000  # a new user and a new mount namespace
    results = [libc.shmget(0, 1 << 20, 0o1600), libc.msgget(0, 0o1600), libc.unshare(flags)]
    print(results, libc.mount(b"x", b"/tmp", b"tmpfs", 0, b""), flush=True)
    input()
    """
    bot = Child(script(tmp_path / "program", code), tmp_path / "program", TIGHT, Bubblewrap("copied"))
    assert bot.listen(TIMEOUT_S) in ("[-1, -1, 0] -1", "[-1, -1, -1] -1")
    bot.stop()


@needs_jail
def test_signals_do_not_leave_the_jail(start: Start, tmp_path: Path) -> None:
    with subprocess.Popen(["sleep", "600"]) as other:
        failure = failing(start(jailed(tmp_path / "program", attacker(tmp_path / "program", "signals"))))
        assert failure.kind == "exited"
        assert other.poll() is None
        other.kill()


@needs_jail
def test_daemon_ends_with_its_program(children: list[Child], tmp_path: Path) -> None:
    code = """
    import os, sys
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execve("/bin/sleep", ["a-daemon", "600"], {})
        os._exit(0)
    print(input(), flush=True)
    input()
    """
    child = Child(script(tmp_path, code), tmp_path, TIGHT, Bubblewrap("copied"))
    children.append(child)
    assert child.ask(b"hello", TIMEOUT_S) == "hello"
    until_blocking("the daemon runs", lambda: any(b"a-daemon" in arguments(pid) for pid in descendants(child.pid)))
    family = descendants(child.pid)
    child.kill()
    until_blocking("the daemon has exited", lambda: all(map(gone, family)))


@needs_jail
def test_jail_ends_with_a_killed_bot(tmp_path: Path) -> None:
    code = """
    from pathlib import Path
    from client.programs.child import Child
    from client.programs.jail.bubblewrap import Bubblewrap
    from client.programs.limits import Limits
    from client.programs.watch import descendants
    child = Child(["sh", "-c", "echo started; exec sleep 600"], Path.cwd(), Limits(), Bubblewrap("empty"))
    assert child.listen(60) == "started"
    print(*descendants(child.pid), flush=True)
    input()
    """
    words = (sys.executable, *script(tmp_path, code)[2:])
    with subprocess.Popen(words, cwd=tmp_path, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdout is not None
        family = list(map(int, bot.stdout.readline().split()))
        assert len(family) >= 3
        bot.kill()
        until_blocking("the jail is empty", lambda: all(map(gone, family)))


@needs_jail
def test_honest_program_is_not_suspected(start: Start, tmp_path: Path) -> None:
    failure = failing(start(jailed(tmp_path / "program", script(tmp_path / "program", "raise SystemExit('no idea')"))))
    assert str(failure) == "no answer: it exited with status 1: no idea"


@needs_jail
def test_honest_program_plays_and_its_cpu_time_is_measured(start: Start, tmp_path: Path) -> None:
    code = "import time\n" + FIRST.replace(
        "print(", "end = time.process_time() + 0.2\n    while time.process_time() < end: pass\n    print("
    )
    bot = start(jailed(tmp_path / "program", script(tmp_path / "program", code)))
    assert bot.choose(CONGA, CONGA.start(), budget()).move == CONGA.legal(CONGA.start())[0]
    assert bot.cpu >= 0.15


@needs_jail
def test_program_writes_to_a_copy_of_its_folder(children: list[Child], tmp_path: Path) -> None:
    code = "import os\nopen('log', 'w').close()\nprint(sorted(os.listdir()), os.listdir('/tmp'), flush=True)\ninput()"
    child = Child(script(tmp_path / "program", code), tmp_path / "program", TIGHT, Bubblewrap("copied"))
    children.append(child)
    assert child.listen(TIMEOUT_S).startswith("['bot.py', 'log'] ")
    assert os.listdir(tmp_path / "program") == ["bot.py"]  # noqa: PTH208


@needs_jail
def test_without_a_folder_only_named_files_are_visible(children: list[Child], tmp_path: Path) -> None:
    words = script(
        tmp_path, "import os\nprint(os.listdir(), os.listdir(os.path.dirname(__file__)), flush=True)\ninput()"
    )
    (tmp_path / "other.txt").write_text(SECRET)
    child = Child(words, tmp_path, TIGHT, Bubblewrap("empty"))
    children.append(child)
    assert child.listen(TIMEOUT_S) == "[] ['bot.py']"


@needs_jail
def test_script_reproduces_the_failure_in_the_same_jail(start: Start, tmp_path: Path) -> None:
    failure = failing(start(jailed(tmp_path / "program", attacker(tmp_path / "program", "network"))))
    script = Path(failure.evidence) / "reproduce.sh"
    assert "bwrap" in script.read_text()
    again = subprocess.run([script], capture_output=True, text=True, cwd="/", timeout=TIMEOUT_S, check=False)
    assert again.returncode == 1
    assert "Network is unreachable" in again.stderr


DEEP = """
import os
for _ in range(3000):
    os.mkdir("d")
    os.chdir("d")
"""
GREEDY = """
for number in range(200):
    open(f"fill-{number}", "wb").write(bytes(1 << 20))
import time
time.sleep(60)
"""
LEFT_BEHIND = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    for number in range(3):
        os.close(number)
    time.sleep(600)
print("1,4 2,3")
"""


@needs_jail
@pytest.mark.parametrize(
    ("code", "why"),
    [
        (DEEP, "it printed nothing"),
        (GREEDY, "it wrote more than 16 MB of files: --disk sets the limit"),
        ("import os; os.chmod('.', 0); print('x')", "expected a move like"),
        ("import os; os.symlink('/etc', 'link'); print(len(os.listdir('link/ssh')))", "FileNotFoundError"),
    ],
)
def test_run_of_homework_in_a_jail_leaves_nothing(code: str, why: str, tmp_path: Path, monkeypatch: Patch) -> None:
    (tmp_path / "temporary").mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    with pytest.raises(Failure, match=why):
        homework(tmp_path, code).choose(CONGA, CONGA.start(), budget())
    assert not list((tmp_path / "temporary").iterdir())


@needs_jail
def test_process_that_homework_leaves_behind_ends(tmp_path: Path) -> None:
    before = set(Path("/proc").glob("[0-9]*"))
    bot = homework(tmp_path, LEFT_BEHIND)
    assert bot.choose(CONGA, CONGA.start(), budget()).move == "a4b3"
    name = str(tmp_path / "bot.py").encode()
    started = [int(path.name) for path in set(Path("/proc").glob("[0-9]*")) - before]
    until_blocking("no process is left", lambda: not any(name in arguments(pid) for pid in started))


def homework(folder: Path, code: str) -> OneShotBot:
    program = Program(script(folder, code), folder, TIGHT, Bubblewrap("writable"), forensics=folder / "forensics")
    return OneShotBot(program, ADAPTERS["conga"], WorkdirFactory())


@needs_jail
@pytest.mark.skipif(shutil.which("taskset") is None, reason="needs taskset")
def test_cores_are_pinned(children: list[Child], tmp_path: Path) -> None:
    core = min(os.sched_getaffinity(0))
    words = script(tmp_path, "import os\nprint(os.sched_getaffinity(0), flush=True)\ninput()")
    children.append(Child(words, tmp_path, TIGHT, Bubblewrap("copied", cores=str(core))))
    assert children[-1].listen(TIMEOUT_S) == f"{{{core}}}"


def test_folder_that_holds_the_home_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    with pytest.raises(Failure, match="holds your home, which a jail hides: name another with --workdir"):
        Bubblewrap("copied").command(["true"], tmp_path, TIGHT)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root runs programs as another user")
def test_root_must_let_others_read_what_it_names(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.touch(mode=0o600)
    with pytest.raises(Failure, match=r"as another user in the jail and cannot read .*: make it readable with chmod"):
        Bubblewrap("empty").command(["python3", str(path)], tmp_path, TIGHT)


def test_installation_of_a_program_is_visible_but_never_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("home/bin", "home/java/bin", "home/.local/bin"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "run").touch(mode=0o755)
    (tmp_path / "home/bin/link").symlink_to("../java/bin/run")
    (tmp_path / "home/secret.txt").touch(mode=0o644)
    (tmp_path / "home/bin/disguised").symlink_to("../secret.txt")
    folder = tmp_path / "homework"
    assert program_files(str(tmp_path / "home/java/bin/run"), folder) == [tmp_path / "home/java"]
    assert program_files(str(tmp_path / "home/bin/run"), folder) == [tmp_path / "home/bin/run"]
    assert program_files(str(tmp_path / "home/bin/link"), folder) == [
        tmp_path / "home/bin/link", tmp_path / "home/java"
    ]  # fmt: skip
    assert program_files(str(tmp_path / "home/.local/bin/run"), folder) == [tmp_path / "home/.local/bin/run"]
    assert program_files(str(tmp_path / "home/bin/disguised"), folder) == []


@needs_jail
def test_interpreter_in_the_home_is_visible_through_all_links(
    children: list[Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A virtual environment of a Python from pyenv, uv or conda has such links. A copy of sh stands for Python."""
    home = tmp_path / "home"
    monkeypatch.setenv("HOME", str(home))
    version, environment = home / ".pyenv/versions/3.99", home / "project/.venv"
    for folder in (version / "bin", version / "lib", environment / "bin", tmp_path / "program"):
        folder.mkdir(parents=True)
    shutil.copy(Path("/bin/sh").resolve(), version / "bin/python3")
    (environment / "bin/python3").symlink_to(version / "bin/python3")
    (environment / "bin/python").symlink_to("python3")
    (version / "lib/module").write_text("imported")
    (home / "secret.txt").write_text(SECRET)
    code = f"read -r line < {version}/lib/module; cd {home}; echo $line .* * .pyenv/* .pyenv/versions/*; read -r line"
    child = Child([str(environment / "bin/python"), "-c", code], tmp_path / "program", TIGHT, Bubblewrap("empty"))
    children.append(child)
    assert child.listen(TIMEOUT_S) == "imported . .. .pyenv project .pyenv/versions .pyenv/versions/3.99"


def test_programs_below_any_folder_of_the_machine_are_visible(tmp_path: Path) -> None:
    """The folder where a program starts hides no folder of the machine."""
    command = Bubblewrap("empty").command(["sh", str(tmp_path)], tmp_path / "program", TIGHT)
    inside = command[command.index("--chdir") + 1]
    assert not Path(inside).exists()


def test_control_group_limits_memory_and_processes() -> None:
    scope = ("systemd-run", "--user", "--scope", "--quiet", "--collect")
    command = Bubblewrap("empty", scope=scope).command(["true"], Path("/work"), TIGHT)
    words = [*scope, "--property=MemoryMax=200M", "--property=MemorySwapMax=0", "--property=TasksMax=32", "--"]
    assert command[: len(words)] == words


def test_container_has_no_network_and_few_rights(tmp_path: Path) -> None:
    jail = Container("podman", "python:3", "writable", (Path("/usr/share/dict"),), "0")
    command = jail.command(["python3", "bot.py"], tmp_path, TIGHT)
    user = f"{os.getuid()}:{os.getgid()}"
    assert command[: command.index("python:3")] == [
        "podman", "run", "--rm", "--interactive", "--init", "--network=none", "--read-only",
        "--cap-drop=ALL", "--security-opt=no-new-privileges", f"--user={user}",
        "--memory=200m", "--memory-swap=200m", "--pids-limit=24", "--ulimit=nofile=256", "--cpuset-cpus=0",
        "--env=HOME=/tmp", f"--env=JAVA_TOOL_OPTIONS={TIGHT.environment({})['JAVA_TOOL_OPTIONS']}",
        "--mount=type=tmpfs,target=/tmp,tmpfs-mode=1777,tmpfs-size=16m",
        "--mount=type=bind,source=/usr/share/dict,target=/usr/share/dict,readonly",
        f"--mount=type=bind,source={tmp_path},target={tmp_path}", f"--workdir={tmp_path}",
    ]  # fmt: skip
    assert command[-2:] == ["python3", "bot.py"]


def test_docker_needs_an_image() -> None:
    with pytest.raises(Failure, match="needs an image: name one with --jail-image"):
        choose(JailSettings("docker"))


def test_auto_without_any_jail_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    jail = choose(JailSettings("auto"))
    assert isinstance(jail, NoJail)
    assert jail.enforced(Limits()).startswith("no jail: programs run with your rights")
    with pytest.raises(Failure, match="does not work here: install bubblewrap"):
        choose(JailSettings("bwrap"))


@needs_jail
def test_auto_takes_bubblewrap() -> None:
    jail = choose(JailSettings("auto"))
    assert jail.name == "bwrap"
    assert jail.enforced(Limits()).startswith("jail: bubblewrap; no network")
