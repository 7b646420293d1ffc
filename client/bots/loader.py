"""Load a bot class from a file: FILE.py, or FILE.py:Class if the file has several."""

from __future__ import annotations

import importlib.util
import sys
import traceback
from functools import cache
from pathlib import Path
from types import ModuleType

from client.sdk.bot import Bot


class LoadError(Exception):
    """A bot cannot be loaded. The message is one sentence for the user."""


@cache
def load(text: str) -> type[Bot]:
    """Return the bot class named by FILE.py or FILE.py:Class. Raises LoadError."""
    path, _, name = text.partition(":") if ".py:" not in text else text.rpartition(":")
    module = run_file(Path(path))
    bots = {
        key: value
        for key, value in vars(module).items()
        if isinstance(value, type) and issubclass(value, Bot) and value.__module__ == module.__name__
    }
    if name and name not in bots:
        raise LoadError(f"{path} has no bot {name[:40]!r}; it has {', '.join(bots) or 'none'}")
    if not name and len(bots) != 1:
        found = ", ".join(bots) or "none"
        raise LoadError(f"{path} must define one subclass of parlour.Bot, or name one as {path}:Name; it has {found}")
    return bots[name] if name else next(iter(bots.values()))


def run_file(path: Path) -> ModuleType:
    """Run the file as a module and return it. Raises LoadError.

    Its folder is appended to sys.path, so that files there cannot shadow our packages.
    """
    if not path.is_file():
        raise LoadError(f"there is no file {path}: check the name")
    folder = str(path.resolve().parent)
    if folder not in sys.path:
        sys.path.append(folder)
    spec = importlib.util.spec_from_file_location(f"bot_file_{path.stem}", path.absolute())
    if spec is None or spec.loader is None:
        raise LoadError(f"{path} is not a Python file: its name must end in .py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        raise LoadError(f"{path} cannot be loaded: {explain(error, path)}") from None
    return module


def explain(error: BaseException, path: Path) -> str:
    """Return the error's message and the line of the file that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename) == path.absolute()]
    line = error.lineno if isinstance(error, SyntaxError) else lines[-1] if lines else None
    text = error.msg if isinstance(error, SyntaxError) else f"{type(error).__name__}: {error}"
    return " ".join(text.split()) + (f" (line {line})" if line else "")
