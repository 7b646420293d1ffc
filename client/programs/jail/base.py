"""The interface of a jail, and the absence of one."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from client.programs.limits import Limits
from runtime.child_process import environment

FolderAccess = Literal["copied", "writable", "empty"]
"""What a program sees of its folder.

copied: a copy that is lost with the program. writable: the folder itself, which is a copy already. empty: an empty
folder, and only the files that the command names.
"""

# Where a program starts that sees no folder of ours. No machine has a folder of this name: its files would be hidden.
WORK = "/.work"


class Jail(ABC):
    """Starts programs with fewer rights."""

    name: str
    confines = True  # whether the program has fewer rights than this process

    @property
    def writes_to_disk(self) -> bool:
        """Whether the program writes to its folder on the disk of this machine."""
        return False

    def memory_folders(self, folder: Path) -> tuple[str, ...]:
        """Return the folders in memory that the program can write to, as it sees them."""
        return ()

    @abstractmethod
    def command(self, argv: Sequence[str], folder: Path, limits: Limits, source: Path | None = None) -> list[str]:
        """Return the command that runs a program in a folder. Raises Failure if the folder must not be shown.

        `source`: the folder whose content the program finds there, if it is another one.
        """

    @abstractmethod
    def environment(self, limits: Limits) -> dict[str, str]:
        """Return the environment of that command."""

    @abstractmethod
    def enforced(self, limits: Limits) -> str:
        """Return a sentence about what the jail prevents."""


class NoJail(Jail):
    """Programs run with the rights of this process. Their limits still apply."""

    name = "none"
    confines = False

    def command(self, argv: Sequence[str], folder: Path, limits: Limits, source: Path | None = None) -> list[str]:
        """Return a command that sets the limits."""
        return limits.command(argv)

    def environment(self, limits: Limits) -> dict[str, str]:
        """Return our environment without tokens."""
        ours = environment()
        return ours | limits.environment(ours)

    def enforced(self, limits: Limits) -> str:
        """Return the sentence that nothing is prevented."""
        return "no jail: programs run with your rights, and can read your files and use the network"
