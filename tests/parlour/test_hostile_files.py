"""Untrusted files as arguments: each is refused with one sentence, within bounded CPU time and memory."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED, ZipFile

import pytest

from runtime.untrusted_files import MAX_JSON_VALUES, MAX_LOG_BYTES, MIN_ENTRY_BYTES
from tests.long import long
from tests.waiting import TIMEOUT_S

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
MAX_MEMORY_MB = 200
MAX_CPU_S = 6.0  # 2 s on an idle core: hyperthreads and a busy machine can triple what is counted
RUN = """
import re, sys, time
from pathlib import Path
from parlour.cli.main import main
code = main(sys.argv[1:])
peak = re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())  # ru_maxrss counts the parent's memory
print(int(peak[1]) >> 10, time.process_time(), file=sys.stderr)
sys.exit(code)
"""
HEAD = 'game = "conga"\n[[player]]\nbot = "random"\n[[player]]\nbot = "greedy"\n'


def run(*words: str | Path) -> tuple[int, list[str]]:
    """Run a command that has to stay within the limits. Return its exit code and its lines."""
    done = subprocess.run(
        [sys.executable, "-c", RUN, *map(str, words)], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
    )
    assert "Traceback" not in done.stderr
    *lines, cost = (done.stdout + done.stderr).splitlines()
    memory_mb, cpu_s = cost.split()
    assert int(memory_mb) < MAX_MEMORY_MB
    assert float(cpu_s) < MAX_CPU_S
    return done.returncode, lines


def refused(*words: str | Path) -> str:
    """Run a command that has to refuse a file. Return its sentence."""
    code, lines = run(*words)
    assert code == 2, lines
    assert len(lines) == 1, lines
    return lines[0]


def zipped(method: int = ZIP_DEFLATED, **files: bytes) -> bytes:
    out = io.BytesIO()
    with ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("_", "."), data)
    return out.getvalue()


BUNDLES: dict[str, tuple[Callable[[], bytes], int, str]] = {
    "bomb": (lambda: zipped(a=bytes(100 << 20)), 2, "times its size"),
    "many games": (lambda: zipped(plan_toml=f"games=100000\nrounds=1000\n{HEAD}".encode()), 1, "games"),
    "deep plan": (lambda: zipped(plan_toml=b"a=" + b"[" * 10**5), 1, "nested deeper"),
    "dotted plan": (lambda: zipped(plan_toml=b"a." * 10**5 + b"a=1"), 1, "parts"),
    "many values": (
        lambda: zipped(ZIP_STORED, plan_toml=HEAD.encode(), results_json=b"[" + b"[]," * (10 << 20) + b"[]]"),
        1,
        "more than 1,000,000 values",
    ),
    "deep results": (lambda: zipped(plan_toml=HEAD.encode(), results_json=b"[" * 10**5), 1, "nested deeper"),
}


@pytest.mark.parametrize(
    "kind", ["bomb", "many games", "many values", *long("deep plan", "dotted plan", "deep results")]
)
def test_hostile_bundle_is_refused(kind: str, tmp_path: Path) -> None:
    make, code, sentence = BUNDLES[kind]
    file = tmp_path / "cup.zip"
    file.write_bytes(make())
    exit_code, lines = run("tournament", "verify", file)
    assert exit_code == code, lines
    assert any(sentence in line for line in lines), lines


PLANS = {
    "deep": ("a=" + "[" * 10**5, "nested deeper"),
    "dotted": ("a." * 10**5 + "a=1", "parts"),
    "long": ("#" * (2 << 20), "larger than 1 MB"),
    "number": ("seed=" + "9" * 5000, "not valid TOML"),
    "players": (
        'format="swiss"\n' + HEAD + "".join(f'[[player]]\nname="{n}"\nbot="random"\n' for n in range(2000)),
        "the maximum is 1,000",
    ),
    "tables": ("".join(f"[a{n}]\n" for n in range(100_000)), "unknown key"),
}


@pytest.mark.parametrize("kind", ["deep", "dotted", "players", *long("long", "number", "tables")])
def test_hostile_plan_is_refused(kind: str, tmp_path: Path) -> None:
    text, sentence = PLANS[kind]
    (tmp_path / "plan.toml").write_text(text)
    assert sentence in refused("tournament", "status", tmp_path)


@pytest.mark.parametrize("line", ["[" * 10**5, "1", *long("9" * 5000)], ids=["deep", "wrong type", "number"])
def test_damaged_log_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(HEAD)
    (tmp_path / "log.jsonl").write_text(f"{line}\n{{}}\n")
    assert "line 1 is damaged" in refused("tournament", "status", tmp_path)


ENDED: dict[str, Any] = {
    "type": "ended", "game": 1, "result": "1-0", "reason": "line", "room": "r", "forfeit": "", "evidence": "",
    "proof": None, "used": [[0, 0, 0], [0, 0, 0]], "record": "",
}  # fmt: skip
MAX_LINES = MAX_LOG_BYTES // MIN_ENTRY_BYTES


def ended(**fields: Any) -> str:
    return json.dumps({**ENDED, **fields}, ensure_ascii=False, separators=(",", ":"))


LONG = "\U0001f600" + "x" * 1_000_000  # four bytes a character in memory, one in the file
LOGS: dict[str, tuple[Callable[[], Iterable[str]], str]] = {
    "one line too many": (lambda: (ended(game=n) for n in range(MAX_LINES + 1)), "too many lines"),
    "rooms": (lambda: (f'{{"type":"created","game":{n},"room":"r{n}"}}' for n in range(MAX_LINES + 1)), "too many"),
    "long texts": (lambda: (ended(game=n, record=LONG) for n in range(34)), "larger than 32 MB"),
    "many lists": (lambda: [ended(proof={"a": [[]] * (MAX_JSON_VALUES // 2 - 50)})], "line 1 of the log is not valid"),
    "long line": (lambda: [ended(proof={"line": ["a1"] * 20_000})], "line 1 of the log is not valid"),
    "versions": (lambda: (f'{{"type":"run","versions":{{"a":"{n}"}}}}' for n in range(2000)), "line 1001 of the log"),
    "answer": (lambda: ['{"type":"answered","student":[[]]}'], "line 1 of the log is not valid"),
}


@pytest.mark.parametrize(
    "kind", ["one line too many", "many lists", "versions", *long("rooms", "long texts", "long line", "answer")]
)
def test_hostile_log_with_valid_lines_is_refused(kind: str, tmp_path: Path) -> None:
    """Each takes as much memory as it can before it is refused."""
    make, sentence = LOGS[kind]
    (tmp_path / "plan.toml").write_text(HEAD)
    with (tmp_path / "log.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in make())
    assert sentence in refused("tournament", "status", tmp_path)


def test_largest_log_is_read_within_the_memory(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(HEAD)
    with (tmp_path / "log.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f"{ended(game=n, record=LONG)}\n" for n in range(33))
    assert "was changed after the tournament had begun" in refused("tournament", "status", tmp_path)


def test_sparse_log_is_refused_by_its_size(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(HEAD)
    (tmp_path / "log.jsonl").touch()
    os.truncate(tmp_path / "log.jsonl", 1 << 30)
    assert "larger than 32 MB; --max-mb raises" in refused("tournament", "status", tmp_path)
    assert "a line of more than 4 MB" in refused("tournament", "status", tmp_path, "--max-mb", "2000")


@pytest.mark.parametrize("command", ["show", *long("verify", "export")])
def test_large_record_is_refused(command: str, tmp_path: Path) -> None:
    file = tmp_path / "game.txt"
    file.touch()
    os.truncate(file, 500 << 20)
    assert "larger than 1 MB" in refused(command, file)


@pytest.mark.parametrize("words", [("verify",), *long(("show",), ("export",)), ("tournament", "verify")], ids=" ".join)
def test_fifo_is_refused_instead_of_waiting(words: tuple[str, ...], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo.txt")
    assert "not a regular file" in refused(*words, tmp_path / "fifo.txt")
    assert "not a regular file" in refused(*words, "/dev/zero")


def test_state_of_a_bot_replaces_no_other_file(tmp_path: Path) -> None:
    file = tmp_path / "thesis.txt"
    file.write_text("my thesis")
    assert "is not a state file" in refused("bot", "random", "--state", file, "--count", "1")
    assert file.read_text() == "my thesis"


def test_occupied_port_leaves_no_database(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        assert "in use" in refused("serve", "--port", str(port), "--db", tmp_path / "new.db", "--house", "none")
    assert list(tmp_path.iterdir()) == []


def test_database_with_a_hard_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "one.db").touch()
    (tmp_path / "two.db").hardlink_to(tmp_path / "one.db")
    assert "hard link" in refused("serve", "--port", "0", "--db", tmp_path / "two.db", "--house", "none")
