"""Read an input file that the user names."""

from __future__ import annotations

import sys
from pathlib import Path

from parlour.errors import UserError


def read_text(path: str) -> str:
    """Return the text of a file, or of standard input for `-`. Raises UserError if it cannot be read."""
    try:
        if path == "-" and sys.stdin is None:
            raise UserError("standard input is closed")
        data = sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
        return data.decode("utf-8-sig")
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise UserError(f"cannot read {path}: it is not UTF-8 text") from None
