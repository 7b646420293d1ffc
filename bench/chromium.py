"""Find the Chromium of this system, which Playwright drives in tests, benchmarks and pictures."""

from __future__ import annotations

import shutil
from pathlib import Path

COMMANDS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
APPLICATIONS = (Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"),)  # macOS


def find_chromium() -> str | None:
    """Return the path of the browser, or None if there is none."""
    found = [path for command in COMMANDS if (path := shutil.which(command))]
    found += [str(path) for path in APPLICATIONS if path.exists()]
    return found[0] if found else None
