"""The program of one worker. `parlour serve --workers N` starts it; it is not a command."""

from __future__ import annotations

import sys

from client.presentation.website import ROUTES, website_files
from server.transport.website import Website
from server.workers.worker import main

if __name__ == "__main__":
    sys.exit(main(Website(website_files(), ROUTES)))
