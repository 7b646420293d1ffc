"""Find the jail that `--jail` asks for, and check that it works on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

from client.programs.failure import Failure
from client.programs.jail.base import FolderAccess, Jail, NoJail
from client.programs.jail.bubblewrap import Bubblewrap
from client.programs.jail.container import Container
from client.programs.limits import Limits

JailKind = Literal["auto", "bwrap", "docker", "none"]
JAIL_KINDS: tuple[str, ...] = get_args(JailKind)
ENGINES = ("docker", "podman")
PROBE_TIMEOUT_S = 20.0


@dataclass(frozen=True, slots=True)
class JailSettings:
    """What the operator asks for. `allowed`: paths to show to programs. `cores`: CPUs, as in 0,2-3."""

    kind: str = "none"
    image: str = ""
    allowed: tuple[Path, ...] = ()
    cores: str = ""


def choose(settings: JailSettings, folder: FolderAccess = "copied") -> Jail:
    """Return the jail. Raises Failure if the one that was asked for does not work here."""
    if settings.kind == "none":
        return NoJail()
    if settings.kind == "docker" or (settings.kind == "auto" and settings.image):
        return choose_container(settings, folder)
    jail = Bubblewrap(folder, settings.allowed, settings.cores, scope())
    problem = find_problem(jail)
    if not problem:
        return jail
    if settings.kind == "auto":
        return NoJail()
    raise Failure("start", f"the jail bwrap does not work here: {problem}")


def choose_container(settings: JailSettings, folder: FolderAccess) -> Jail:
    """Return a container. Raises Failure if no engine answers."""
    if not settings.image:
        raise Failure("start", "the jail docker needs an image: name one with --jail-image")
    for engine in filter(shutil.which, ENGINES):
        if not run([engine, "version"], dict(os.environ)):
            return Container(engine, settings.image, folder, settings.allowed, settings.cores)
    raise Failure("start", f"the jail docker does not work here: neither {' nor '.join(ENGINES)} answers")


def find_problem(jail: Bubblewrap) -> str:
    """Return why bubblewrap does not work here, or an empty text."""
    if shutil.which("bwrap") is None:
        return "install bubblewrap (apt-get install bubblewrap)"
    limits = Limits()
    probe = Bubblewrap("empty", (), jail.cores, jail.scope)
    return run(probe.command(["true"], Path.cwd(), limits), probe.environment(limits))


def scope() -> tuple[str, ...]:
    """Return the command of systemd that puts a program into a control group, if it works here."""
    if shutil.which("systemd-run") is None or not Path("/run/systemd/system").is_dir():
        return ()
    user = () if os.geteuid() == 0 else ("--user",)
    words = ("systemd-run", *user, "--scope", "--quiet", "--collect")
    return () if run([*words, "--property=TasksMax=16", "--", "true"], dict(os.environ)) else words


def run(argv: Sequence[str], env: dict[str, str]) -> str:
    """Run a command and return why it failed, or an empty text."""
    try:
        done = subprocess.run(argv, env=env, capture_output=True, timeout=PROBE_TIMEOUT_S, check=False, text=True)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else (done.stderr.strip() or f"it exits with status {done.returncode}")
