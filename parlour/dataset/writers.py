"""Files with rows: JSON lines, or Parquet. A file appears under its name when it is complete."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Protocol

from parlour.dataset.rows import COLUMNS, Row
from parlour.errors import UserError
from runtime.file_errors import describe_file_error

GROUP_ROWS = 20_000  # of a Parquet file that are in memory
PARQUET = ".parquet"
SUFFIXES = (".jsonl", PARQUET)


class Format(Protocol):
    """A format of a file that is written row by row."""

    def write(self, rows: Sequence[Row]) -> None: ...

    def finish(self) -> None: ...


class JsonLines:
    """One JSON object a line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, rows: Sequence[Row]) -> None:
        self._file.write(b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows))

    def finish(self) -> None:
        """Do nothing: every line is complete."""


class Parquet:
    """Columns, in groups of rows."""

    def __init__(self, file: BinaryIO) -> None:
        """Begin a file. Raises UserError if pyarrow is not installed."""
        try:
            import pyarrow
            from pyarrow import parquet
        except ModuleNotFoundError:
            how = "install it with: pip install 'parlour[parquet]', or write .jsonl"
            raise UserError(f"writing Parquet needs pyarrow: {how}") from None
        self._arrow = pyarrow
        types = {
            str: pyarrow.string(),
            int: pyarrow.int32(),
            float: pyarrow.float64(),
            list[str]: pyarrow.list_(pyarrow.string()),
            list[int]: pyarrow.list_(pyarrow.int32()),
        }
        self._schema = pyarrow.schema([(name, types[kind]) for name, kind in COLUMNS.items()])
        self._writer = parquet.ParquetWriter(file, self._schema)
        self._rows: list[Row] = []

    def write(self, rows: Sequence[Row]) -> None:
        self._rows += rows
        if len(self._rows) >= GROUP_ROWS:
            self._flush()

    def finish(self) -> None:
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(self._arrow.Table.from_pylist(self._rows, self._schema))
            self._rows = []


class Output:
    """A file of rows, as the end of its name says. It replaces an older file when it is closed without an error."""

    def __init__(self, path: Path) -> None:
        """Begin a file. Raises UserError."""
        self.path, self._draft = path, path.with_name(f"{path.name}.draft")
        self.rows = 0
        try:
            self._file: BinaryIO = self._draft.open("wb")
        except OSError as error:
            raise UserError(describe_file_error("write", self._draft, error)) from None
        try:
            self._format: Format = (Parquet if path.suffix == PARQUET else JsonLines)(self._file)
        except BaseException:
            self._drop()
            raise

    def write(self, rows: Sequence[Row]) -> None:
        self._format.write(rows)
        self.rows += len(rows)

    def __enter__(self) -> Output:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if kind is not None:
            self._drop()
            return
        try:
            self._format.finish()
            self._file.close()
            self._draft.replace(self.path)
        except OSError as problem:
            self._drop()
            raise UserError(describe_file_error("write", self.path, problem)) from None

    def _drop(self) -> None:
        with suppress(OSError):  # a full disk
            self._file.close()
        with suppress(OSError):
            self._draft.unlink()
