"""Read an input file that the user names."""

from __future__ import annotations

import sys
from pathlib import Path

from parlour.errors import UserError
from runtime.file_errors import describe_file_error


def read_text(path: str) -> str:
    """Return the text of a file, or of standard input for `-`. Raises UserError if it cannot be read."""
    try:
        if path == "-" and sys.stdin is None:
            raise UserError("standard input is closed: give the name of a file instead of -")
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(describe_file_error("read", path, error)) from None
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: check that it is the right file") from None
