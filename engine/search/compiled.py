"""Machine code of a search: numba compiles it once, the user's cache folder keeps it, LLVM alone loads it again.

numba's import and its own cache take longer than most searches, so a warm start does without: what is kept is object
code that needs nothing from outside itself, linked by llvmlite in milliseconds and called by ctypes, which frees the
interpreter's lock. A file's name holds a digest of everything that went into it, so a rule that is edited, another
option, numba or processor can never meet stale code. The file begins with a digest of the rest: a damaged one is
noticed before LLVM, which trusts it, can see it.
"""

from __future__ import annotations

import ctypes
import hashlib
import importlib.util
import os
import re
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm

from engine.search.kernel import ARRAYS, Notice, Run

DIGEST = 32  # bytes of a digest in front of the code
ENTRY = "run"
CALL = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * (2 + ARRAYS))  # with numba's result and error
_engines: list[Any] = []  # code lives as long as its engine


def compiled_run(game: str, text: str, notice: Notice) -> Run:
    """`run` of a module's source text, as machine code: from the cache, or compiled into it where it can be written."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    try:
        path = cache_folder() / f"{game}_{stamp(text)}.o"
    except RuntimeError:  # a user without a home
        path = None
    code = None if path is None else kept(path)
    if code is None:
        notice(f"compiling the search for {game} ({reason(path)})")
        code = compiled(text)
        if path is not None:
            keep(path, code)
    return linked(code)


def linked(code: bytes) -> Run:
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    function = CALL(engine.get_function_address(ENTRY))
    result, error = ctypes.byref(ctypes.c_void_p()), ctypes.byref(ctypes.c_void_p())

    def run(*arrays: Any) -> None:
        function(result, error, *map(address, arrays))

    return run


def address(array: memoryview) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


# -- compiling


def compiled(text: str) -> bytes:
    """The object code of a module's `run`, under that very name."""
    names: dict[str, Any] = {"__name__": "parlour_search"}
    try:
        exec(compile(text, "<parlour search>", "exec"), names)
    except Exception as error:
        raise RuntimeError(in_one_line(str(error), text)) from error
    run = names[ENTRY]
    module = llvm.parse_assembly(run.inspect_llvm(run.signatures[0]))
    for value in (*module.functions, *module.global_variables):
        if value.is_declaration and not value.name.startswith("llvm."):
            raise RuntimeError(f"the compiled search is not complete in itself, it needs {value.name}")
    (entry,) = (f for f in module.functions if not f.is_declaration and f.linkage == llvm.Linkage.external)
    entry.name = ENTRY
    code: bytes = target_machine().emit_object(module)
    return code


def in_one_line(error: str, text: str) -> str:
    """What numba, which tells the whole way it took, does not understand, and where that stands in a source text."""
    said = [line for line in error.splitlines() if line and not line.startswith("Failed in nopython mode")]
    place = re.search(r'"<parlour search>", line (\d+)', error)
    return said[0] + (f": {text.splitlines()[int(place[1]) - 1].strip()}" if place else "")


def target_machine() -> Any:
    target = llvm.Target.from_triple(llvm.get_process_triple())
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(cpu, features, opt=3, codemodel="jitdefault")


# -- the cache on disk


def cache_folder() -> Path:
    """Where compiled searches are kept: PARLOUR_CACHE_DIR, or the user's cache folder."""
    if chosen := os.environ.get("PARLOUR_CACHE_DIR"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA", tempfile.gettempdir())) / "parlour"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "parlour"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "parlour"


def stamp(text: str) -> str:
    """A digest of everything that goes into machine code: the source, the primitives, who compiles it, and for what."""
    numba = importlib.util.find_spec("numba")
    assert numba is not None
    assert numba.origin is not None
    parts = [
        text.encode(),
        Path(__file__).read_bytes(),
        Path(__file__).with_name("machine.py").read_bytes(),
        Path(numba.origin).with_name("_version.py").read_bytes(),  # without numba's import, which takes half a second
        "\n".join((sys.version, llvm.get_host_cpu_name())).encode(),
        llvm.get_host_cpu_features().flatten().encode(),
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:20]


def kept(path: Path) -> bytes | None:
    """The code in a file, if it is there and whole."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, code = content[:DIGEST], content[DIGEST:]
    return code if hashlib.sha256(code).digest() == digest else None


def keep(path: Path, code: bytes) -> None:
    """Write it whole or not at all: another process may be doing the same."""
    with suppress(OSError):
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            file.write(hashlib.sha256(code).digest() + code)
        Path(file.name).replace(path)


def reason(path: Path | None) -> str:
    """Why something has to be compiled that might have been kept."""
    if path is not None and path.exists():
        return "its cache was damaged"
    with suppress(OSError):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            if os.access(path.parent, os.W_OK):
                return "once"
    return "each time: the cache folder cannot be written"
