"""How a submission is built and run is found in its files, where that is plain."""

from __future__ import annotations

import pytest

from client.grading.toolchains import Unclear, choose_toolchain

MAIN = b"class A { public static void main(String[] args) {} }"


@pytest.mark.parametrize(
    ("files", "name", "run"),
    [
        ({"Makefile": b"", "a.c": b"", "b.py": b""}, "make", ""),
        ({"a.c": b"", "a.h": b""}, "gcc", "./program"),
        ({"a.cpp": b"", "b.c": b""}, "g++", "./program"),
        ({"A.java": MAIN, "B.java": b""}, "javac", "java -cp . A"),
        ({"src/A.java": b"package x.y;\n" + MAIN}, "javac", "java -cp . x.y.A"),
        ({"A.java": MAIN, "Main.java": MAIN}, "javac", "java -cp . Main"),
        ({"a.py": b""}, "python3", "python3 a.py"),
        ({"a.py": b"", "b.py": b"if __name__ == '__main__':\n"}, "python3", "python3 b.py"),
        ({"a.py": b"", "main.py": b""}, "python3", "python3 main.py"),
        ({"a.py": b"#!/usr/bin/env python2\n"}, "python2", "python2 a.py"),
        ({"-c.py": b""}, "python3", "python3 ./-c.py"),
        ({"a b.py": b""}, "python3", "python3 'a b.py'"),
        ({"a.sh": b""}, "shell", "sh a.sh"),
        ({"a.py": b"", "test.sh": b""}, "python3", "python3 a.py"),
    ],
)
def test_plain_files_need_no_settings(files: dict[str, bytes], name: str, run: str) -> None:
    found = choose_toolchain("auto", files)
    assert (found.name, found.run) == (name, run)


@pytest.mark.parametrize(
    ("files", "problem"),
    [
        ({"notes.txt": b""}, "no source file"),
        ({"a.c": b"", "b.py": b""}, "gcc and python3"),
        ({"a.py": b"", "b.py": b""}, "exactly one should have the name main.py, not 2"),
        ({"A.java": b"class A {}"}, "exactly one should have a main method, not 0"),
    ],
)
def test_unclear_files_are_explained(files: dict[str, bytes], problem: str) -> None:
    with pytest.raises(Unclear, match=problem):
        choose_toolchain("auto", files)


def test_names_of_files_are_never_options() -> None:
    assert "./-fplugin=x.c" in choose_toolchain("gcc", {"-fplugin=x.c": b""}).build
    assert "./@x.java" in choose_toolchain("javac", {"@x.java": MAIN}).build
