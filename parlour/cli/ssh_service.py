"""The program of the SSH service. `parlour serve --ssh` starts it; it is not a command."""

from __future__ import annotations

import sys

from server.ssh.service import main

if __name__ == "__main__":
    sys.exit(main("parlour.cli.ssh_session"))
