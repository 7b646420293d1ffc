"""Games that other packages bring, as entry points of the group `parlour.games`: read by name, nothing is imported.

`importlib.metadata` reads the same files, but its import alone takes longer than most commands.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

GROUP = "parlour.games"
NAME = re.compile(r"[a-z][a-z0-9_]{0,30}")
MAX_ENTRY_POINTS_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Plugin:
    """An entry point: the name of a game, the package that brings it, its module and class."""

    name: str
    package: str
    module: str
    attribute: str


def installed_plugins(path: Iterable[str] | None = None) -> list[Plugin]:
    """Return the entry points of the installed packages, in the order of package and game. Imports no package.

    As in `importlib.metadata`, the first of several packages with the same name counts.
    """
    found: dict[str, list[Plugin]] = {}
    for folder in sys.path if path is None else path:
        for package, file in package_files(folder or "."):
            known = package.rpartition(" ")[0].lower()
            if known not in found:
                found[known] = list(read_entry_points(package, file))
    return [plugin for _, plugins in sorted(found.items()) for plugin in sorted(plugins, key=lambda one: one.name)]


def package_files(folder: str) -> list[tuple[str, str]]:
    """Return the packages that are installed in a folder, as name and version, and the texts of their entry points."""
    found = []
    try:
        with os.scandir(folder) as entries:
            names = sorted(entry.name for entry in entries if entry.name.endswith((".dist-info", ".egg-info")))
    except OSError:  # an archive, or a folder that does not exist
        return []
    for name in names:
        try:
            with open(os.path.join(folder, name, "entry_points.txt"), "rb") as file:  # noqa: PTH118, PTH123  # quick
                content = file.read(MAX_ENTRY_POINTS_BYTES)
        except OSError:  # most packages have none
            continue
        package, _, version = name.rpartition(".")[0].partition("-")
        found.append((f"{package.replace('_', '-')} {version or '0'}", content.decode("utf-8", "replace")))
    return found


def read_entry_points(package: str, text: str) -> Iterable[Plugin]:
    """Yield the games of an `entry_points.txt`."""
    section = ""
    for line in map(str.strip, text.splitlines()):
        if line.startswith("["):
            section = line.strip("[]").strip()
        elif section == GROUP and line and line[0] not in "#;":
            name, _, target = line.partition("=")
            module, _, attribute = target.partition("[")[0].partition(":")
            yield Plugin(name.strip(), package, module.strip(), attribute.strip())


def sort_out(plugins: Iterable[Plugin], own: Iterable[str]) -> tuple[dict[str, Plugin], dict[str, str]]:
    """Return the plugins whose names can be used, by name, and the sentences about all others."""
    accepted: dict[str, Plugin] = {}
    refused: dict[str, str] = {}
    reserved = set(own)
    for plugin in plugins:
        if NAME.fullmatch(plugin.name) is None:
            why = "a name is a lower-case letter, then up to 30 lower-case letters, digits and underscores"
        elif plugin.name in reserved:
            why = "Parlour has a game of this name; choose another one"
        elif plugin.name in accepted:
            why = f"the package {accepted[plugin.name].package} has a game of this name; uninstall one of the two"
        else:
            accepted[plugin.name] = plugin
            continue
        label = plugin.name if plugin.name not in reserved | set(accepted) else f"{plugin.name} of {plugin.package}"
        refused[label] = refusal(plugin, why)
    return accepted, refused


def refusal(plugin: Plugin, why: str) -> str:
    return f"the game {plugin.name!r} of the package {plugin.package} is refused: {why}"
