"""How a submission is built and run: as the course says, or by the kinds of its files."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Literal, get_args

from client.grading.submissions import Files

ToolchainName = Literal["auto", "make", "gcc", "g++", "javac", "python3", "python2", "shell", "none"]
TOOLCHAIN_NAMES: tuple[str, ...] = get_args(ToolchainName)
PROGRAM = "program"  # what compilers write
MAKEFILES = ("Makefile", "makefile", "GNUmakefile")
SUFFIXES = {
    ".c": "gcc", ".cc": "g++", ".cpp": "g++", ".cxx": "g++", ".java": "javac", ".py": "python3", ".sh": "shell"
}  # fmt: skip
JAVA_MAIN = re.compile(rb"\bstatic\s+(?:final\s+)?void\s+main\s*\(|\bvoid\s+main\s*\(\s*String")
JAVA_PACKAGE = re.compile(rb"^\s*package\s+([\w.]+)\s*;", re.MULTILINE)
PYTHON_MAIN = re.compile(rb"^if\s+__name__\s*==", re.MULTILINE)
PYTHON2 = re.compile(rb"#!.*python2")


class Unclear(ValueError):
    """The files do not say how the program is built or run. The text is a sentence for the student."""


@dataclass(frozen=True, slots=True)
class Toolchain:
    """`build`: the command that builds the program, if any. `run`: the command that runs it.

    Without `run`, the program is the one executable file that the build has made.
    """

    name: str
    build: tuple[str, ...] = ()
    run: str = ""


def choose_toolchain(name: str, files: Files) -> Toolchain:
    """Return the toolchain of this name; "auto": that of the files. Raises Unclear."""
    return TOOLCHAINS[detect(files) if name == "auto" else name](files)


def detect(files: Files) -> str:
    """Return the name of the toolchain that the files need. Raises Unclear if there is not exactly one."""
    if any(name in files for name in MAKEFILES):
        return "make"
    found = {SUFFIXES[suffix] for name in files if (suffix := PurePosixPath(name).suffix) in SUFFIXES}
    found = {"g++"} | found - {"gcc", "g++"} if "g++" in found else found
    found = found if found == {"shell"} else found - {"shell"}
    if len(found) == 1:
        return found.pop()
    if not found:
        raise Unclear("there is no Makefile, and no source file of C, C++, Java, Python or shell")
    raise Unclear(f"there are files for {' and '.join(sorted(found))}, and no Makefile that says how to build them")


def with_make(files: Files) -> Toolchain:
    return Toolchain("make", ("make",))


def compiler(name: str, suffixes: tuple[str, ...]) -> Callable[[Files], Toolchain]:
    def toolchain(files: Files) -> Toolchain:
        sources = [path for path in sorted(files) if PurePosixPath(path).suffix in suffixes]
        return Toolchain(name, (name, "-O2", "-o", PROGRAM, *as_arguments(sources), "-lm"), f"./{PROGRAM}")

    return toolchain


def with_javac(files: Files) -> Toolchain:
    sources = [path for path in sorted(files) if path.endswith(".java")]
    main = only([path for path in sources if JAVA_MAIN.search(files[path])], "Main.java", "a main method")
    package = JAVA_PACKAGE.search(files[main])
    name = (f"{package[1].decode()}." if package else "") + PurePosixPath(main).stem
    return Toolchain("javac", ("javac", "-d", ".", *as_arguments(sources)), f"java -cp . {shlex.quote(name)}")


def python(name: str) -> Callable[[Files], Toolchain]:
    def toolchain(files: Files) -> Toolchain:
        sources = [path for path in sorted(files) if path.endswith(".py")]
        marked = [path for path in sources if PYTHON_MAIN.search(files[path])]
        main = only(marked if len(marked) == 1 else sources, "main.py", "the name main.py")
        used = "python2" if PYTHON2.match(files[main]) else name
        return Toolchain(
            used, (used, "-m", "py_compile", *as_arguments([main])), f"{used} {shlex.quote(as_arguments([main])[0])}"
        )

    return toolchain


def with_shell(files: Files) -> Toolchain:
    main = only([path for path in sorted(files) if path.endswith(".sh")], "main.sh", "the name main.sh")
    return Toolchain("shell", ("sh", "-n", *as_arguments([main])), f"sh {shlex.quote(as_arguments([main])[0])}")


def without(files: Files) -> Toolchain:
    return Toolchain("none")


def only(found: list[str], preferred: str, mark: str) -> str:
    """Return the one file, or the preferred one of several. Raises Unclear."""
    if len(found) == 1:
        return found[0]
    for path in found:
        if PurePosixPath(path).name == preferred:
            return path
    raise Unclear(f"it is not clear which file to run: exactly one should have {mark}, not {len(found)}")


def as_arguments(paths: list[str]) -> list[str]:
    """Return paths that no program takes for an option."""
    return [f"./{path}" if path.startswith(("-", "@")) else path for path in paths]


TOOLCHAINS: dict[str, Callable[[Files], Toolchain]] = {
    "make": with_make,
    "gcc": compiler("gcc", (".c",)),
    "g++": compiler("g++", (".c", ".cc", ".cpp", ".cxx")),
    "javac": with_javac,
    "python3": python("python3"),
    "python2": python("python2"),
    "shell": with_shell,
    "none": without,
}
