"""A jail that is a container of docker or podman, made from an image that the operator names."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from client.programs.jail.base import WORK, FolderAccess, Jail
from client.programs.jail.bubblewrap import check_folder, named_files
from client.programs.limits import Limits
from runtime.child_process import environment

SOURCE, TEMPORARY = "/.folder", "/tmp"
CLIENT_VARIABLES = ("PATH", "HOME", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "DOCKER_CONTEXT")


@dataclass(frozen=True, slots=True)
class Container(Jail):
    """`engine`: docker or podman. The image must contain a shell and what the program needs."""

    engine: str
    image: str
    folder: FolderAccess = "copied"
    allowed: tuple[Path, ...] = ()
    cores: str = ""
    name = "docker"

    @property
    def writes_to_disk(self) -> bool:
        """Whether the folder is on the disk."""
        return self.folder == "writable"

    def command(self, argv: Sequence[str], folder: Path, limits: Limits, source: Path | None = None) -> list[str]:
        """Return a command that runs the program in a new container. Raises Failure if the folder holds the home."""
        if self.folder != "empty":
            check_folder(folder)
        inside = WORK if self.folder == "empty" else str(folder)
        words = [self.engine, "run", "--rm", "--interactive", "--init", "--network=none", "--read-only"]
        words += ["--cap-drop=ALL", "--security-opt=no-new-privileges", f"--user={os.getuid()}:{os.getgid()}"]
        words += [*self._limits(limits), f"--env=HOME={TEMPORARY}", *self._variables(limits)]
        words += [self._private(path, limits) for path in (TEMPORARY, *([] if self.folder == "writable" else [inside]))]
        shown = [*named_files(argv, folder), *self.allowed]
        words += [mount(path, str(path)) for path in shown if not str(path).startswith(f"{inside}/")]
        if self.folder == "writable":
            words.append(f"--mount=type=bind,source={source or folder},target={inside}")
        elif self.folder == "copied":
            words.append(mount(source or folder, SOURCE))
        fill = ["/bin/sh", "-c", f'cp -R {SOURCE}/. . && exec "$@"', "sh"] if self.folder == "copied" else []
        return [*words, f"--workdir={inside}", self.image, *fill, *limits.command(argv)]

    def _limits(self, limits: Limits) -> list[str]:
        memory = [f"--memory={limits.memory}m", f"--memory-swap={limits.memory}m"] if limits.memory else []
        processes = [f"--pids-limit={limits.processes}"] if limits.processes else []
        files = [f"--ulimit=nofile={limits.open_files}"] if limits.open_files else []
        return [*memory, *processes, *files, *([f"--cpuset-cpus={self.cores}"] if self.cores else [])]

    def _variables(self, limits: Limits) -> list[str]:
        return [f"--env={name}={value}" for name, value in limits.environment({}).items()]

    def _private(self, path: str, limits: Limits) -> str:
        size = f",tmpfs-size={limits.disk}m" if limits.disk else ""
        return f"--mount=type=tmpfs,target={path},tmpfs-mode=1777{size}"

    def environment(self, limits: Limits) -> dict[str, str]:
        """Return what the engine's own command needs. The program gets none of it."""
        ours = environment()
        return {name: ours[name] for name in CLIENT_VARIABLES if name in ours}

    def enforced(self, limits: Limits) -> str:
        """Return what the jail prevents."""
        return f"jail: {self.engine} with the image {self.image}; no network, no files but the program's own"


def mount(source: Path, target: str) -> str:
    """Return the option that shows a file or a folder in the container, read-only."""
    return f"--mount=type=bind,source={source},target={target},readonly"
