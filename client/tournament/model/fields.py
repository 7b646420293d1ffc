"""Values out of a TOML file, each looked at: a wrong one is named with its file, its table and its key."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Collection
from pathlib import Path
from typing import Any

from client.tournament.model.errors import TournamentError


class Fields:
    """One table of a file. `done` complains about whatever nobody has asked for."""

    def __init__(self, values: dict[str, Any], where: str) -> None:
        self._values, self.where = dict(values), where
        self._asked: list[str] = []

    @classmethod
    def of_file(cls, path: Path) -> Fields:
        return cls(read(path), str(path))

    def wrong(self, key: str, expected: str) -> TournamentError:
        return TournamentError(f"{self.where}: {key} should be {expected}, not {str(self._values[key])[:60]!r}")

    def missing(self, key: str, expected: str) -> TournamentError:
        return TournamentError(f"{self.where}: {key} is missing: it should be {expected}")

    def __contains__(self, key: str) -> bool:
        return key in self._values

    def _take(self, key: str) -> Any:
        self._asked.append(key)
        return self._values.get(key)

    def text(self, key: str, default: str | None = None, choices: Collection[str] = (), expected: str = "text") -> str:
        expected = f"one of {', '.join(choices)}" if choices else expected
        value = self._take(key)
        if value is None:
            if default is None:
                raise self.missing(key, expected)
            return default
        if not isinstance(value, str) or (choices and value not in choices):
            raise self.wrong(key, expected)
        if not value.strip() or "\0" in value:
            raise self.wrong(key, "text, and not an empty one")
        return value

    def whole(self, key: str, default: int | None, low: int, high: int) -> int:
        value = self._take(key)
        if value is None and default is not None:
            return default
        expected = f"a whole number from {low} to {high}"
        if value is None:
            raise self.missing(key, expected)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.wrong(key, expected)
        return value

    def number(self, key: str, default: float, low: float, high: float) -> float:
        """Between two bounds, which are too small and too large themselves."""
        value = self._take(key)
        if value is None:
            return default
        if not isinstance(value, int | float) or isinstance(value, bool) or not low < value < high:
            raise self.wrong(key, f"a number between {low:g} and {high:g}")
        return float(value)

    def flag(self, key: str) -> bool:
        value = self._take(key)
        if value is not None and not isinstance(value, bool):
            raise self.wrong(key, "true or false")
        return bool(value)

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._take(key)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(entry, str) and entry.strip() for entry in value):
            raise self.wrong(key, "a list of texts")
        return tuple(value)

    def table(self, key: str) -> dict[str, Any]:
        value = self._take(key)
        if value is not None and not isinstance(value, dict):
            raise self.wrong(key, f"a table, as in [{key}]")
        return value or {}

    def tables(self, key: str) -> list[Fields]:
        value = self._take(key)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(entry, dict) for entry in value):
            raise self.wrong(key, f"tables, each of which begins with [[{key}]]")
        return [Fields(entry, f"{self.where}: {key} {number}") for number, entry in enumerate(value, 1)]

    def done(self) -> None:
        for key in self._values:
            if key not in self._asked:
                close = difflib.get_close_matches(key, self._asked, 1)
                hint = f"; is it {close[0]}?" if close else f"; there are {', '.join(self._asked)}"
                raise TournamentError(f"{self.where}: there is no key {key[:40]!r} here{hint}")


def read(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise TournamentError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise TournamentError(f"cannot read {path}: it is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise TournamentError(f"{path} is no TOML: {error}") from None
