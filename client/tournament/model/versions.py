"""What a tournament was played with."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version


def versions() -> dict[str, str]:
    found = {"python": platform.python_version(), "system": f"{platform.system()} {platform.machine()}"}
    for package in ("parlour", "numba", "websockets", "msgspec"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
