# mypy: disable-error-code="call-arg, return-value, untyped-decorator"
"""The functions of engine.bits and engine.search.primitives as machine instructions, for compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.extending import intrinsic


@intrinsic
def _population(typing: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return types.int64(types.int64), generate


@intrinsic
def _trailing(typing: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return types.int64(types.int64), generate


@intrinsic
def _leading(typing: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctlz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.int64(types.int64), generate


WORDS = types.CPointer(types.int64)  # type: ignore[no-untyped-call]


@intrinsic
def _load(typing: Any, array: Any, at: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.load_atomic(builder.gep(args[0], [args[1]]), "monotonic", 8)

    return types.int64(WORDS, types.int64), generate


@intrinsic
def _store(typing: Any, array: Any, at: Any, word: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        builder.store_atomic(args[2], builder.gep(args[0], [args[1]]), "monotonic", 8)

    return types.void(WORDS, types.int64, types.int64), generate


@njit
def ones(word: int) -> int:
    return _population(word)


@njit
def lowest(word: int) -> int:
    return _trailing(word)


@njit
def length(word: int) -> int:
    return 64 - _leading(word)


@njit
def load_word(array: Any, at: int) -> int:
    """Load a whole word at once, although other threads may write it."""
    return _load(array, at)


@njit
def store_word(array: Any, at: int, word: int) -> None:
    _store(array, at, word)


A, B, C = np.uint64(0x9E37_79B9_7F4A_7C15), np.uint64(0xC2B2_AE3D_27D4_EB4F), np.uint64(0x1656_67B1_9E37_79F9)
D, E = np.uint64(0xD6E8_FEB8_6659_FD93), np.uint64(0xBF58_476D_1CE4_E5B9)
S2, S29, S32 = np.uint64(2), np.uint64(29), np.uint64(32)


@njit
def mix(a: int, b: int) -> int:
    """Compute the hash in uint64, because overflow of int64 is undefined in compiled code."""
    h = (np.uint64(a) * A) ^ (np.uint64(b) * B + C)
    h = (h ^ (h >> S32)) * D
    h = (h ^ (h >> S29)) * E
    return np.int64((h ^ (h >> S32)) >> S2)
