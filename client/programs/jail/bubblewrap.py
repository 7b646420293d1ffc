"""A jail of Linux namespaces, made by bubblewrap (`bwrap`). It needs no root.

The program has no network and its own process numbers. It sees the system's programs and libraries, which it cannot
change, its folder, and a private /tmp. Nothing else of the machine is visible: no home, no other program, no token.

Root is special, because the kernel does not limit the number of root's processes. There the program runs as a user of
its own, one that no other program has.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path

from client.programs.failure import Failure
from client.programs.jail.base import WORK, FolderAccess, Jail
from client.programs.jail.seccomp import filter_file
from client.programs.limits import Limits
from client.programs.violation import NETWORK_NOTICE
from runtime.child_process import environment

MEGABYTE = 1 << 20
SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store")
# what programs and their loaders read; Debian keeps settings of Java and Python there
ETC = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "java-*", "python*")
KEPT_VARIABLES = ("PATH", "LANG", "LANGUAGE", "TZ", "JAVA_HOME", "JAVA_TOOL_OPTIONS")
BUS_VARIABLES = ("XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS")  # for systemd-run, not for the program
TEMPORARY, SOURCE = "/tmp", "/.folder"
SETUP_CAPABILITIES = ("CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_SETUID", "CAP_SETGID", "CAP_SETPCAP")
# The counters of the jail's own network: packets sent, and packets without a route.
REPORT_NETWORK = (
    "while read -r name a b c d e f g h i sent j lost rest; do case $name$sent in Ip:[0-9]*) "
    f'[ $((sent + lost)) -eq 0 ] || echo "{NETWORK_NOTICE}" >&2;; esac; done < /proc/net/snmp; '
)
USER_OPTIONS = "--clear-groups --no-new-privs --bounding-set=-all --inh-caps=-all"
FIRST_UID, UID_COUNT = 61184, 4336  # the range that systemd uses for short-lived users
JAILS_PER_PROCESS = 16  # with different user ids at the same time
PER_NAMESPACE_LIMITS = (5, 14)  # the version of Linux since which a user namespace counts its own processes
UID_NUMBERS = count()


@dataclass(frozen=True, slots=True)
class Bubblewrap(Jail):
    """`allowed`: further files and folders that the program may read. `cores`: the CPUs it may use, as in 0,2-3.

    `scope`: the command that puts a program into a control group, which limits the memory of all its processes.
    """

    folder: FolderAccess = "copied"
    allowed: tuple[Path, ...] = ()
    cores: str = ""
    scope: tuple[str, ...] = ()
    name = "bwrap"

    @property
    def writes_to_disk(self) -> bool:
        """Whether the folder is on the disk."""
        return self.folder == "writable"

    def memory_folders(self, folder: Path) -> tuple[str, ...]:
        """Return the private folders."""
        own = {"writable": (), "empty": (WORK,), "copied": (str(folder),)}[self.folder]
        return (TEMPORARY, "/dev/shm", *own)

    def command(self, argv: Sequence[str], folder: Path, limits: Limits, source: Path | None = None) -> list[str]:
        """Return a command of bubblewrap. Raises Failure if the folder holds the home folder."""
        if self.folder != "empty":
            check_folder(folder)
        inside = Path(WORK) if self.folder == "empty" else folder
        program = find_program(argv[0])
        mounts = [*system_mounts(limits), *self._folder_mounts(inside, source or folder, limits)]
        mounts += visible_mounts(
            [*program_files(program, folder), *named_files(argv[1:], folder), *self.allowed], inside
        )
        words = [*self._scope(limits), *(("taskset", "-c", self.cores) if self.cores else ())]
        words += bubblewrap_words()
        words += ["--unshare-pid", "--unshare-net", "--unshare-ipc", "--unshare-uts", "--unshare-cgroup-try"]
        words += ["--die-with-parent", "--as-pid-1", "--new-session", "--hostname", "jail"]
        words += [word for name in BUS_VARIABLES for word in ("--unsetenv", name)]
        words += [*user_options(), *mounts, "--remount-ro", "/dev", "--remount-ro", "/", "--chdir", str(inside), "--"]
        own = limits if counts_processes() else replace(limits, processes=0)
        return [*words, *self._setup(), *own.command([program, *argv[1:]], jailed=True, finally_run=REPORT_NETWORK)]

    def _scope(self, limits: Limits) -> list[str]:
        if not self.scope:
            return []
        memory = [f"--property=MemoryMax={limits.memory}M", "--property=MemorySwapMax=0"] if limits.memory else []
        tasks = [f"--property=TasksMax={limits.processes + 8}"] if limits.processes else []  # 8: bubblewrap's own
        return [*self.scope, *memory, *tasks, "--"]

    def _folder_mounts(self, inside: Path, source: Path, limits: Limits) -> list[str]:
        parents = [*parent_folders(inside)]
        if self.folder == "writable":
            return [*parents, "--bind", str(source), str(inside)]
        shown = ["--ro-bind", str(source), SOURCE] if self.folder == "copied" else []
        return [*shown, *parents, *private_folder(str(inside), limits)]

    def _setup(self) -> list[str]:
        """Return the command that fills the folder, and leaves root's rights behind. It ends with the program."""
        steps = [f"cp -R {SOURCE}/. ."] if self.folder == "copied" else []
        if os.geteuid() != 0:
            return ["/bin/sh", "-c", " && ".join([*steps, 'exec "$@"']), "sh"] if steps else []
        user = FIRST_UID + (os.getpid() * JAILS_PER_PROCESS + next(UID_NUMBERS) % JAILS_PER_PROCESS) % UID_COUNT
        steps.append(f"chown -R -h {user}:{user} .")
        drop = f"setpriv --reuid={user} --regid={user} {USER_OPTIONS}"
        return ["/bin/sh", "-c", " && ".join([*steps, f'exec {drop} "$@"']), "sh"]

    def environment(self, limits: Limits) -> dict[str, str]:
        """Return an environment that tells the program nothing about its user."""
        ours = environment()
        names = [name for name in ours if name in KEPT_VARIABLES or name.startswith("LC_")]
        names += [name for name in BUS_VARIABLES if self.scope and name in ours]
        kept = {name: ours[name] for name in names}
        return kept | {"HOME": TEMPORARY, "TMPDIR": TEMPORARY} | limits.environment(kept)

    def enforced(self, limits: Limits) -> str:
        """Return what the jail prevents."""
        memory = f"{limits.memory} MB of memory in all" if limits.memory else "no limit of memory"
        if limits.memory and not self.scope:
            memory += " (checked four times a second; each process at once)"
        processes = f"{limits.processes} processes" if counts_processes() or self.scope else "any number of processes"
        disk = f"{limits.disk} MB of files"
        return f"jail: bubblewrap; no network, no files but the program's own, {processes}, {memory}, {disk}"


def bubblewrap_words() -> list[str]:
    """Return the start of a command of bubblewrap, with a filter of system calls where there is one."""
    filter = filter_file()
    if filter is None:
        return ["bwrap"]
    return ["/bin/sh", "-c", 'exec "$@" 9< "$0"', str(filter), "bwrap", "--seccomp", "9"]


def user_options() -> list[str]:
    """Return the options for the user that bubblewrap runs as."""
    if os.geteuid() != 0:
        return ["--unshare-user"]
    return ["--cap-drop", "ALL", *(word for name in SETUP_CAPABILITIES for word in ("--cap-add", name))]


def counts_processes() -> bool:
    """Return whether the kernel counts the processes of this jail alone."""
    version = tuple(int(number) for number in re.findall(r"\d+", platform.release())[:2])
    return os.geteuid() == 0 or version >= PER_NAMESPACE_LIMITS


def system_mounts(limits: Limits) -> list[str]:
    """Return the mounts of the system: its programs, which cannot be changed, and private temporary folders."""
    words = []
    for path in map(Path, SYSTEM):
        if path.is_symlink():
            words += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            words += ["--ro-bind", str(path), str(path)]
    for found in sorted(found for pattern in ETC for found in Path("/etc").glob(pattern)):
        words += [*parent_folders(found), "--ro-bind", str(found), str(found)]
    words += ["--proc", "/proc", "--dev", "/dev"]
    return [*words, *private_folder("/dev/shm", limits), *private_folder(TEMPORARY, limits)]


def private_folder(path: str, limits: Limits) -> list[str]:
    """Return the mount of an empty folder in memory, of limited size."""
    size = ["--size", str(limits.disk * MEGABYTE)] if limits.disk else []
    return ["--perms", "1777", *size, "--tmpfs", path]


def visible_mounts(paths: Iterable[Path], folder: Path) -> Iterator[str]:
    """Yield the mounts that show files and folders at their own places, except those that are shown already."""
    shown = [folder, Path("/etc"), *map(Path, SYSTEM)]
    for path in paths:
        if not any(path.is_relative_to(known) for known in shown):
            check_readable(path)
            shown.append(path)
            yield from (*parent_folders(path), "--ro-bind", str(path), str(path))


def parent_folders(path: Path) -> Iterator[str]:
    """Yield the options that create the folders above a path, empty but for that path, so that it can be reached."""
    for parent in reversed(path.parents[:-1]):
        yield from ("--perms", "0755", "--dir", str(parent))


def check_readable(path: Path) -> None:
    """Raise Failure if we are root and the program, which runs as another user, cannot read a file or a folder."""
    needed = stat.S_IROTH | stat.S_IXOTH if path.is_dir() else stat.S_IROTH
    if os.geteuid() == 0 and path.stat().st_mode & needed != needed:
        how = f"make it readable with chmod -R a+rX {path}, or do not start Parlour as root"
        raise Failure("start", f"the program runs as another user in the jail and cannot read {path}: {how}")


def check_folder(folder: Path) -> None:
    """Raise Failure if a folder holds more than a program."""
    if Path.home().resolve().is_relative_to(folder.resolve()):
        raise Failure("start", f"the folder {folder} holds your home, which a jail hides: name another with --workdir")
    if any(folder.is_relative_to(path) for path in SYSTEM):
        raise Failure("start", f"the folder {folder} belongs to the system: copy the program to another one")


def find_program(name: str) -> str:
    """Return the path of a program: in a jail it must not depend on the PATH."""
    found = shutil.which(name)
    return name if found is None else str(Path(found).absolute())


def program_files(program: str, folder: Path) -> list[Path]:
    """Return what a program needs outside of the system's folders: its installation, or itself.

    A program in a folder `bin` belongs to an installation, such as a virtual environment. Links lead to others, but
    not to files that are no programs.
    """
    found: list[Path] = []
    path = Path(program)
    if not os.access(path, os.X_OK):
        return found
    while path.exists():
        prefix = path.parent.parent
        installed = path.parent.name in ("bin", "shims") and not holds_others(prefix, folder)
        found.append(prefix if installed else path)
        if not path.is_symlink():
            break
        path = Path(os.path.normpath(path.parent / path.readlink()))
    return found


def holds_others(prefix: Path, folder: Path) -> bool:
    """Return whether a folder holds more than one program: the user's files, temporary files, or the program's own."""
    data = Path.home() / ".local" / "share"  # of all programs; ~/.local/bin has links to some of them
    return any(path.is_relative_to(prefix) for path in (data, Path(tempfile.gettempdir()), folder))


def named_files(words: Iterable[str], folder: Path) -> list[Path]:
    """Return the files and folders that a command names with their absolute paths."""
    paths = [Path(part) for word in words for part in word.split(":") if part.startswith("/")]
    return [path for path in paths if path.exists() and not holds_others(path, folder)]
