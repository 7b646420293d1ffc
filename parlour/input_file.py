"""Read an input file that the user names."""

from __future__ import annotations

import sys
from pathlib import Path

from parlour.errors import UserError
from runtime.file_errors import describe_file_error
from runtime.untrusted_files import MAX_RECORD_BYTES, UnsafeFile, read_file, read_stream


def read_text(path: str) -> str:
    """Return the text of a file, or of standard input for `-`. Raises UserError if it cannot be read."""
    try:
        if path == "-" and sys.stdin is None:
            raise UserError("standard input is closed: give the name of a file instead of -")
        if path == "-":
            data = read_stream(sys.stdin.buffer, MAX_RECORD_BYTES)
        else:
            data = read_file(Path(path), MAX_RECORD_BYTES)
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise UserError(f"{path} is not UTF-8 text: check that it is the right file") from None
    except UnsafeFile as error:
        raise UserError(f"cannot read {path}: {error}") from None
    except OSError as error:
        raise UserError(describe_file_error("read", path, error)) from None
