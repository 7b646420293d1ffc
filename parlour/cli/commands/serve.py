"""Run a server. Prints one line with its address as soon as it listens; SIGTERM ends it gently.

Every flag is also an environment variable: --watch-tick is PARLOUR_WATCH_TICK. A flag wins over a variable."""

from __future__ import annotations

import os
from argparse import SUPPRESS, ArgumentParser, Namespace
from dataclasses import fields

from parlour.cli.main import UserError
from server.cluster.bus import BusError
from server.config import BadSetting, Settings, read
from server.storage.interface import StoreError


def arguments(parser: ArgumentParser) -> None:
    for entry in fields(Settings):
        flag = f"--{entry.name.replace('_', '-')}"
        default = "no" if entry.default is False else entry.default
        shown = f" (default: {default})" if default != "" else ""
        help = entry.metadata["help"] + shown
        if isinstance(entry.default, bool):
            parser.add_argument(flag, nargs="?", const="yes", default=SUPPRESS, metavar="yes|no", help=help)
        else:
            choices = entry.metadata["choices"]
            metavar = "|".join(choices) if choices else type(entry.default).__name__.upper()
            parser.add_argument(flag, default=SUPPRESS, metavar=metavar, help=help)


def run(args: Namespace) -> int:
    from client.bots.loader import LoadError
    from parlour.cli.house_bots import house_bots, house_names
    from server.app import main

    try:
        settings = read(vars(args), os.environ)
        names = house_names(settings.house)
        main(settings, lambda running: house_bots(names, running, settings))
    except (BadSetting, BusError, StoreError, LoadError) as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}") from None
    return 0
