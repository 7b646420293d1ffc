"""The roster of a class: read the names, and write the tokens for the students."""

from __future__ import annotations

import csv
import os
from collections.abc import Mapping
from html import escape
from io import StringIO
from pathlib import Path

from client.tournament.export.tables import escape_formula
from client.tournament.play.player_process import file_name
from parlour.errors import UserError
from protocol.usernames import fold
from runtime.file_errors import describe_file_error
from runtime.printable import printable
from runtime.untrusted_files import UnsafeFile, read_file

MAX_ROSTER_BYTES = 4 << 20
MAX_ROSTER_NAMES = 10_000
HEADINGS = ("name", "username", "user name", "login", "student")  # of the column with the names
STYLE = """
body { font: 12pt sans-serif; } section { border: 1px dashed; padding: 1em; margin: 1em 0; break-inside: avoid; }
code { overflow-wrap: anywhere; }
"""


def read_names(path: Path) -> list[tuple[int, str]]:
    """Return the names of a roster with their line numbers. Raises UserError if it has none, or one twice."""
    try:
        text = read_file(path, MAX_ROSTER_BYTES).decode("utf-8-sig")
        rows = csv.reader(StringIO(text), strict=True)
        headings = [heading.strip().lower() for heading in next(rows, [])]
        column = next((headings.index(heading) for heading in HEADINGS if heading in headings), None)
        if column is None:
            raise UserError(f"{path} has no column 'name': its first line should have the headings of the columns")
        found = [(rows.line_num, row[column].strip()) for row in rows if len(row) > column and row[column].strip()]
    except OSError as error:
        raise UserError(describe_file_error("read", path, error)) from None
    except (UnsafeFile, UnicodeDecodeError, csv.Error) as error:
        raise UserError(f"cannot read {path}: {error}: save the roster as CSV in UTF-8") from None
    check_names(found, path)
    return found


def check_names(found: list[tuple[int, str]], path: Path) -> None:
    if not found:
        raise UserError(f"{path} has no names: add a line per student")
    if len(found) > MAX_ROSTER_NAMES:
        raise UserError(f"{path} has {len(found):,} names; the maximum is {MAX_ROSTER_NAMES:,}")
    seen: dict[str, int] = {}
    for line, name in found:
        if fold(name) in seen:
            raise UserError(f"{path}: lines {seen[fold(name)]} and {line} have the same name, {printable(name)}")
        seen[fold(name)] = line


def write_files(folder: Path, tokens: Mapping[str, str], url: str) -> None:
    """Write a file for each token, readable by the operator only. Raises UserError."""
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        for name, token in tokens.items():
            path = folder / f"{file_name(name)}.txt"
            path.unlink(missing_ok=True)
            write_secret(path, f"The token of {name}\n\n{instructions(token, url)}")
    except OSError as error:
        raise UserError(describe_file_error("write", folder, error)) from None


def write_sheet(path: Path, tokens: Mapping[str, str], url: str) -> None:
    """Write a page with a section per token, to print and cut. Raises UserError if the file exists."""
    parts = [
        f"<section><h2>{escape(name)}</h2><pre><code>{escape(instructions(token, url))}</code></pre></section>"
        for name, token in tokens.items()
    ]
    head = f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Tokens</title><style>{STYLE}</style>'
    try:
        write_secret(path, "\n".join([head, *parts, "</html>", ""]))
    except FileExistsError:
        raise UserError(f"{path} exists, and may have the only copy of its tokens: choose another name") from None
    except OSError as error:
        raise UserError(describe_file_error("write", path, error)) from None


def write_secret(path: Path, text: str) -> None:
    """Write a new file that only its owner can read, and wait until it is on disk."""
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def instructions(token: str, url: str) -> str:
    return f"export PARLOUR_TOKEN={token}\nparlour bot my_bot.py --url {url}\n"


def cell(name: str) -> str:
    """Return a name for a spreadsheet, without control characters and not as a formula."""
    return escape_formula(printable(name))
