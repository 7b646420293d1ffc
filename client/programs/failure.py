"""How a bot failed: a word for programs and a sentence for people."""

from __future__ import annotations

from typing import Literal

Kind = Literal["start", "timeout", "exited", "no_output", "garbage", "illegal", "flood", "error", "stopped"]


class Failure(Exception):
    """A bot did not give a legal move. `move` is its answer, if it gave one."""

    def __init__(self, kind: Kind, sentence: str, move: str = "") -> None:
        super().__init__(sentence)
        self.kind: Kind = kind
        self.move = move
        self.evidence = ""  # the folder of the crash report
