"""Notes that bots attach to moves, as text: `depth 9 value +3.5 nodes 1200 line a4b3 d1c2`.

Watchers see notes and records keep them. The text is readable for people and can be parsed by programs.
"""

from __future__ import annotations

from dataclasses import dataclass

MAX_NOTE_CHARS = 400  # less than the limit of any server


@dataclass(frozen=True, slots=True)
class Note:
    """A bot's evaluation of its move.

    `value` is in the game's points, from the bot's view. `line` is the expected continuation. Times are in seconds.
    """

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


def clean(text: str, max_chars: int = MAX_NOTE_CHARS) -> str:
    """Return the text as one line of printable characters, shortened to `max_chars`."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= max_chars else line[: max_chars - 1].rstrip() + "…"


def parse_note(text: str) -> Note:
    """Parse a note. Text in any other format becomes Note(text=…)."""
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
        number = parse_number(words[at + 1]) if at + 1 < len(words) else None
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


def parse_number(word: str) -> float | None:
    """Return the number, or None if it is not a number, infinite or NaN."""
    try:
        number = float(word)
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None
