"""Object code of a search: compiled with numba, cached in the user's cache folder, loaded with llvmlite.

Importing numba and its own cache take longer than most searches, so a warm start does not use numba. The cached object
code has no external references. llvmlite links it in milliseconds, and ctypes calls it without the GIL. The file name
contains a digest of all inputs: after a change of the rules, the options, numba or the processor the search is compiled
again. The file begins with a digest of the code, because LLVM does not check object files for damage.
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

from engine.search.kernel import RUN_ARRAYS, Notice, Run
from runtime.paths import cache_folder

DIGEST_BYTES = 32  # length of the digest at the start of a file
ENTRY = "run"
# numba adds pointers for the result and the error
RUN_TYPE = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_void_p] * (2 + RUN_ARRAYS))
_engines: list[Any] = []  # keeps the engines alive, and with them their code


def load_or_compile(game: str, text: str, notice: Notice) -> Run:
    """Return the compiled `run` function of a source text, from the cache if possible. Compiled code is added to it."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    try:
        path = cache_folder() / f"{game}_{fingerprint(text)}.o"
    except RuntimeError:  # the home folder is unknown
        path = None
    code = None if path is None else read_cached(path)
    if code is None:
        notice(f"compiling the search for {game} ({compile_reason(path)})")
        code = compile_object(text)
        if path is not None:
            write_cached(path, code)
    return link(code)


def link(code: bytes) -> Run:
    """Load object code and return its `run` function."""
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _engines.append(engine)
    function = RUN_TYPE(engine.get_function_address(ENTRY))
    result, error = ctypes.byref(ctypes.c_void_p()), ctypes.byref(ctypes.c_void_p())

    def run(*arrays: Any) -> None:
        function(result, error, *map(address, arrays))

    return run


def address(array: memoryview) -> int:
    return ctypes.addressof(ctypes.c_char.from_buffer(array))


# -- compiling


def compile_object(text: str) -> bytes:
    """Return the object code of the `run` function of a source text. Raises RuntimeError if numba cannot compile it."""
    names: dict[str, Any] = {"__name__": "parlour_search"}
    try:
        exec(compile(text, "<parlour search>", "exec"), names)
    except Exception as error:
        raise RuntimeError(summarise_error(str(error), text)) from error
    run = names[ENTRY]
    module = llvm.parse_assembly(run.inspect_llvm(run.signatures[0]))
    for value in (*module.functions, *module.global_variables):
        if value.is_declaration and not value.name.startswith("llvm."):
            raise RuntimeError(f"the compiled search refers to the external symbol {value.name}")
    (entry,) = (f for f in module.functions if not f.is_declaration and f.linkage == llvm.Linkage.external)
    entry.name = ENTRY
    code: bytes = target_machine().emit_object(module)
    return code


def summarise_error(error: str, text: str) -> str:
    """Return the first line of a numba error, with the source line that it refers to."""
    messages = [line for line in error.splitlines() if line and not line.startswith("Failed in nopython mode")]
    place = re.search(r'"<parlour search>", line (\d+)', error)
    return messages[0] + (f": {text.splitlines()[int(place[1]) - 1].strip()}" if place else "")


def target_machine() -> Any:
    target = llvm.Target.from_triple(llvm.get_process_triple())
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(cpu, features, opt=3, codemodel="jitdefault")


# -- the cache on disk


def fingerprint(text: str) -> str:
    """Return a digest of everything that affects the object code: source, intrinsics, compiler versions, processor."""
    numba = importlib.util.find_spec("numba")
    assert numba is not None
    assert numba.origin is not None
    parts = [
        text.encode(),
        Path(__file__).read_bytes(),
        Path(__file__).with_name("intrinsics.py").read_bytes(),
        Path(numba.origin).with_name("_version.py").read_bytes(),  # importing numba takes half a second
        "\n".join((sys.version, llvm.get_host_cpu_name())).encode(),
        llvm.get_host_cpu_features().flatten().encode(),
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:20]


def read_cached(path: Path) -> bytes | None:
    """Return the code of a cache file, or None if the file is missing or damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    digest, code = content[:DIGEST_BYTES], content[DIGEST_BYTES:]
    return code if hashlib.sha256(code).digest() == digest else None


def write_cached(path: Path, code: bytes) -> None:
    """Write a cache file atomically, because other processes may write it too. Errors are ignored."""
    with suppress(OSError):
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".tmp", delete=False) as file:
            file.write(hashlib.sha256(code).digest() + code)
        Path(file.name).replace(path)


def compile_reason(path: Path | None) -> str:
    """Return why the search has to be compiled. Creates the cache folder if it is missing."""
    if path is not None and path.exists():
        return "the cached code was damaged"
    with suppress(OSError):
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            if os.access(path.parent, os.W_OK):
                return "once"
    return "each time: the cache folder is not writable"
