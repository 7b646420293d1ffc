"""What a bot thinks of its move, as the text that travels with it: `depth 9 value +3.5 nodes 1200 line a4b3 d1c2`.

Watchers see it and records keep it, so it is words for people that programs can read too.
"""

from __future__ import annotations

from dataclasses import dataclass

LONGEST = 400  # characters; servers accept some more


@dataclass(frozen=True, slots=True)
class Note:
    """`value` is for the bot, in the game's points; `line` the moves it expects; times are seconds."""

    value: float | None = None
    proved: bool = False
    depth: int | None = None
    nodes: int | None = None
    wall: float | None = None
    cpu: float | None = None
    line: tuple[str, ...] = ()
    text: str = ""

    def __str__(self) -> str:
        words = [] if self.depth is None else [f"depth {self.depth}"]
        if self.value is not None:
            words.append(f"value {self.value:+.4g}{' proved' if self.proved else ''}")
        if self.nodes is not None:
            words.append(f"nodes {self.nodes}")
        words += [f"{name} {spent:.3f}" for name in ("wall", "cpu") if (spent := getattr(self, name)) is not None]
        note = " ".join(words)
        if self.line:
            note = f"{note} line {' '.join(self.line)}".strip()
        if self.text:
            note = f"{note} | {self.text}" if note else f"| {self.text}"
        return clean(note)


def clean(text: str, longest: int = LONGEST) -> str:
    """One line of printable characters, short enough for any server."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= longest else line[: longest - 1].rstrip() + "…"


def read(text: str) -> Note:
    """What a note says; words that are none of ours are its text."""
    head, bar, tail = text.partition("| ")
    words = head.split()
    found: dict[str, float] = {}
    line: tuple[str, ...] = ()
    proved = False
    at = 0
    while at < len(words):
        word = words[at]
        if word == "line":
            line = tuple(words[at + 1 :])
            break
        if word == "proved":
            proved = True
            at += 1
            continue
        number = as_number(words[at + 1]) if at + 1 < len(words) else None
        if word not in ("depth", "value", "nodes", "wall", "cpu") or number is None or word in found:
            return Note(text=text)
        found[word] = number
        at += 2
    return Note(
        value=found.get("value"),
        proved=proved,
        depth=int(found["depth"]) if "depth" in found else None,
        nodes=int(found["nodes"]) if "nodes" in found else None,
        wall=found.get("wall"),
        cpu=found.get("cpu"),
        line=line,
        text=tail if bar else "",
    )


def as_number(word: str) -> float | None:
    try:
        number = float(word)
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None  # neither infinite nor nan
