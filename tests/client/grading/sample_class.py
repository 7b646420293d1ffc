"""A made-up class of twelve students: programs that are right, wrong, crashing, hanging, hostile, or do not compile.

They play Mancala by lines. With an argument they read number.txt and write its double to answer.txt.
"""

from __future__ import annotations

import io
import shutil
import textwrap
import zipfile
from pathlib import Path

COURSE = """
name = "Homework 2"
game = "mancala"
seconds = {seconds}
seed = 5

[run]
startup = {seconds}

[[yardstick]]
bot = "random"

[[goal]]
builds = true
worth = 10

[[goal]]
legal = 10
worth = 20

[[goal]]
forfeits = 0
against = "random"
games = {games}
worth = 30

[[goal]]
name = "doubles"
matches = "cases"
arguments = "double"
seconds = 5
worth = 40
"""

PYTHON = """
import json, sys
if sys.argv[1:]:
    open("answer.txt", "w").write(f"{2 * int(open('number.txt').read())}\\n")
    sys.exit()
for line in sys.stdin:
    print(json.loads(line)["moves"][-1], flush=True)
"""
C = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static char line[1 << 16];
int main(int argc, char **argv) {
    if (argc > 1) {
        long number = 0;
        FILE *in = fopen("number.txt", "r"), *out = fopen("answer.txt", "w");
        if (fscanf(in, "%ld", &number) != 1) return 1;
        fprintf(out, "%ld\\n", 2 * number);
        return fclose(out);
    }
    while (fgets(line, sizeof line, stdin)) {
        char *move = strstr(line, "\\"moves\\":[\\"") + 10;
        CRASH
        *strchr(move, '"') = 0;
        puts(move);
        fflush(stdout);
    }
    return 0;
}
"""
CPP = """
#include <fstream>
#include <iostream>
#include <string>
int main(int argc, char **) {
    if (argc > 1) {
        long number = 0;
        std::ifstream("number.txt") >> number;
        std::ofstream("answer.txt") << 2 * number << "\\n";
        return 0;
    }
    for (std::string line; std::getline(std::cin, line);) {
        size_t start = line.find("\\"moves\\":[\\"") + 10;
        std::cout << line.substr(start, line.find('"', start) - start) << std::endl;
    }
}
"""
JAVA = """
import java.nio.file.*;
import java.util.Scanner;

public class Player {
    public static void main(String[] args) throws Exception {
        if (args.length > 0) {
            long number = Long.parseLong(Files.readString(Path.of("number.txt")).trim());
            Files.writeString(Path.of("answer.txt"), 2 * number + "\\n");
            return;
        }
        Scanner in = new Scanner(System.in);
        while (in.hasNextLine()) {
            String line = in.nextLine();
            int start = line.indexOf("\\"moves\\":[\\"") + 10;
            System.out.println(line.substring(start, line.indexOf('"', start)));
        }
    }
}
"""
SHELL = """
if [ $# -gt 0 ]; then
    read -r number < number.txt
    echo "$((2 * number))" > answer.txt
    exit
fi
while read -r line; do
    move=${line#*\\"moves\\":[\\"}
    echo "${move%%\\"*}"
done
"""
WRONG = PYTHON.replace('["moves"][-1]', '["moves"][-1] if json.loads(line)["ply"] < 4 else "z9"').replace(
    "{2 *", "{3 *"
)
HANGING = "import time\nwhile True:\n    time.sleep(1)\n"
# it plays an illegal move if any of its attempts succeeds
HOSTILE = """
import os, pathlib, socket, sys
leaks = []
for folder in (pathlib.Path(SECRET), *pathlib.Path.cwd().parents[:2]):
    leaks += [path for path in folder.rglob("*") if path.name in ("course.toml", "pseudonyms.key", "eve.sh")]
try:
    socket.create_connection(("127.0.0.1", PORT), 1)
    leaks.append("network")
except OSError:
    pass
try:
    pathlib.Path("/usr/parlour-was-here").write_text("")
    leaks.append("system")
except OSError:
    pass
if leaks:
    print(leaks, file=sys.stderr)
    print("z9", flush=True)
"""
MAKEFILE = "player: player.c\n\tcc -O2 -o player player.c\n"
# a build that tries to change other submissions
HOSTILE_MAKEFILE = """
player: player.c
	-for f in ../../*/*; do echo > $$f; done; rm -rf ../../*/result.json
	cc -o player player.c
"""


def zipped(files: dict[str, str]) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return data.getvalue()


def write_folder(folder: Path, files: dict[str, str]) -> None:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name).write_text(text)


def write_course(folder: Path, games: int = 2, seconds: float = 60) -> None:
    """Write course.toml and the cases. `seconds`: for a move, and for a program to start."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "course.toml").write_text(textwrap.dedent(COURSE).format(games=games, seconds=seconds))
    for name, number in (("small", 21), ("large", 10_000_000)):
        write_folder(folder / "cases" / name, {"number.txt": f"{number}\n"})
        write_folder(folder / "cases" / name / "expected", {"answer.txt": f"{2 * number}\n"})


def write_class(folder: Path, port: int = 9) -> list[str]:
    """Write the submissions for which a compiler is installed, and return the names of the students."""
    folder.mkdir(parents=True, exist_ok=True)
    write_folder(folder / "ann", {"player.py": PYTHON})
    write_folder(folder / "finn", {"player.py": WRONG})
    write_folder(folder / "hal", {"player.py": HANGING})
    write_folder(
        folder / "ida", {"player.py": HOSTILE.replace("PORT", str(port)).replace("SECRET", repr(str(folder))) + PYTHON}
    )
    (folder / "eve.sh").write_text(SHELL)
    (folder / "kim.zip").write_bytes(zipped({"../../evil.py": PYTHON}))
    if shutil.which("cc") and shutil.which("make"):
        clean = C.replace("CRASH", "")
        (folder / "ben.zip").write_bytes(zipped({"Makefile": MAKEFILE, "player.c": clean}))
        (folder / "lee.zip").write_bytes(zipped({"Makefile": HOSTILE_MAKEFILE, "player.c": clean}))
    if shutil.which("gcc"):
        write_folder(folder / "gia", {"player.c": C.replace("CRASH", 'if (!strstr(line, "history\\":[]")) abort();')})
    if shutil.which("g++"):
        write_folder(folder / "dan", {"player.cpp": CPP})
    if shutil.which("javac"):
        (folder / "cleo.zip").write_bytes(zipped({"homework/src/Player.java": JAVA}))
        write_folder(folder / "jon", {"Player.java": JAVA.replace("long number", "lung number")})
    return sorted(path.stem for path in folder.iterdir())
