"""Translate the search of a game to C, statement by statement: the same functions that numba compiles.

For bench/search.py, which compares compiled Python with C. Only the subset of Python that the rules and the search use
is supported: ints, loops, conditions, and tuples that are returned or unpacked.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from engine.game import Game
from engine.search.kernel import source

PRELUDE = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
typedef int64_t i64;
typedef uint64_t u64;
typedef struct { i64 a, b; } two;
typedef struct { i64 a, b, c; } three;
static inline i64 min(i64 a, i64 b) { return a < b ? a : b; }
static inline i64 max(i64 a, i64 b) { return a > b ? a : b; }
static inline i64 ones(i64 x) { return __builtin_popcountll(x); }
static inline i64 lowest(i64 x) { return __builtin_ctzll(x); }
static inline i64 length(i64 x) { return x ? 64 - __builtin_clzll(x) : 0; }
static inline i64 load_word(i64 *array, i64 at) { return __atomic_load_n(array + at, __ATOMIC_RELAXED); }
static inline void store_word(i64 *array, i64 at, i64 word) { __atomic_store_n(array + at, word, __ATOMIC_RELAXED); }
static inline i64 mix(i64 a, i64 b) {
  u64 h = (u64)a * 0x9E3779B97F4A7C15ull ^ ((u64)b * 0xC2B2AE3D27D4EB4Full + 0x165667B19E3779F9ull);
  h = (h ^ h >> 32) * 0xD6E8FEB86659FD93ull;
  h = (h ^ h >> 29) * 0xBF58476D1CE4E5B9ull;
  return (h ^ h >> 32) >> 2;
}
"""
OPERATORS = {
    ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.FloorDiv: "/", ast.Mod: "%", ast.LShift: "<<", ast.RShift: ">>",
    ast.BitAnd: "&", ast.BitOr: "|", ast.BitXor: "^", ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=",
    ast.Gt: ">", ast.GtE: ">=", ast.And: "&&", ast.Or: "||", ast.Invert: "~", ast.USub: "-", ast.Not: "!",
}  # fmt: skip
RETURNS = {"tuple[int, int]": "two", "tuple[int, int, bool]": "three", "None": "void"}
KINDS: dict[str, str] = {}  # function: its return type in C


def to_c(game: Game) -> str:
    """Return the functions of a game's search in C, without a main()."""
    parts = [PRELUDE]
    for node in ast.parse(source(game)).body:
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            parts.append(constant(node.targets[0].id, node.value))
        elif isinstance(node, ast.FunctionDef):
            parts.append(function(node))
    return "\n".join(parts)


def constant(name: str, value: ast.expr) -> str:
    if isinstance(value, ast.Call):  # np.array((…), np.int64)
        numbers = ast.literal_eval(value.args[0])
        return f"static const i64 {name}[] = {{{', '.join(map(str, numbers))}}};"
    return f"#define {name} ((i64){int(ast.literal_eval(value))})"


def function(node: ast.FunctionDef) -> str:
    assert node.returns is not None
    kind = KINDS[node.name] = RETURNS.get(ast.unparse(node.returns), "i64")
    arguments = [
        f"i64 *restrict {a.arg}" if a.annotation and "list" in ast.unparse(a.annotation) else f"i64 {a.arg}"
        for a in node.args.args
    ]
    own = sorted(set(assigned(node)) - {a.arg for a in node.args.args})
    declared = f"  i64 {', '.join(own)};\n" if own else ""
    body = "".join(statement(s, 1, kind) for s in node.body)
    linkage = "" if node.name == "run" else "static inline "
    return f"{linkage}{kind} {node.name}({', '.join(arguments)}) {{\n{declared}{body}}}\n"


def assigned(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store):
            yield part.id


def statement(node: ast.stmt, level: int, kind: str) -> str:
    pad = "  " * level

    def block(statements: list[ast.stmt]) -> str:
        return "{\n" + "".join(statement(s, level + 1, kind) for s in statements) + pad + "}"

    match node:
        case ast.Expr(ast.Constant()):
            return ""
        case ast.Expr(value):
            return f"{pad}{expression(value)};\n"
        case ast.Assign(targets, value):
            return assignment(targets, value, pad)
        case ast.AugAssign(target, op, value):
            return f"{pad}{expression(target)} {OPERATORS[type(op)]}= {expression(value)};\n"
        case ast.If(test, body, orelse):
            other = f" else {block(orelse)}" if orelse else ""
            return f"{pad}if ({expression(test)}) {block(body)}{other}\n"
        case ast.While(test, body):
            return f"{pad}while ({expression(test)}) {block(body)}\n"
        case ast.For(ast.Name(name), ast.Call(_, args), body):
            numbers = [expression(arg) for arg in args]
            start, end = ("0", numbers[0]) if len(numbers) == 1 else (numbers[0], numbers[1])
            step = numbers[2] if len(numbers) == 3 else "1"
            return f"{pad}for ({name} = {start}; {name} < {end}; {name} += {step}) {block(body)}\n"
        case ast.Return(ast.Tuple(parts)):
            return f"{pad}return ({kind}){{{', '.join(map(expression, parts))}}};\n"
        case ast.Return(value):
            return f"{pad}return {expression(value) if value else ''};\n"
        case ast.Break() | ast.Continue():
            return f"{pad}{'break' if isinstance(node, ast.Break) else 'continue'};\n"
    raise ValueError(f"no C for {ast.unparse(node)}")


def assignment(targets: list[ast.expr], value: ast.expr, pad: str) -> str:
    first = targets[0]
    if not isinstance(first, ast.Tuple):
        return f"{pad}{' = '.join(map(expression, targets))} = {expression(value)};\n"
    names = [expression(part) for part in first.elts]
    if isinstance(value, ast.Tuple):  # all values first, then all names
        held = "".join(f"i64 v{i} = {expression(part)}; " for i, part in enumerate(value.elts))
        return f"{pad}{{ {held}{' '.join(f'{name} = v{i};' for i, name in enumerate(names))} }}\n"
    kind = {2: "two", 3: "three"}[len(names)]
    fields = " ".join(f"{name} = t.{field};" for name, field in zip(names, "abc", strict=False))
    return f"{pad}{{ {kind} t = {expression(value)}; {fields} }}\n"


def expression(node: ast.expr) -> str:
    match node:
        case ast.Name(name):
            return name
        case ast.Constant(bool() | int() as value):
            return f"{int(value)}ll"
        case ast.BinOp(left, op, right):
            return f"({expression(left)} {OPERATORS[type(op)]} {expression(right)})"
        case ast.UnaryOp(op, operand):
            return f"({OPERATORS[type(op)]}{expression(operand)})"
        case ast.BoolOp(op, values):
            return "(" + f" {OPERATORS[type(op)]} ".join(map(expression, values)) + ")"
        case ast.Compare(left, ops, comparators):
            terms = [left, *comparators]
            pairs = zip(terms, ops, terms[1:], strict=False)
            return "(" + " && ".join(f"{expression(a)} {OPERATORS[type(o)]} {expression(b)}" for a, o, b in pairs) + ")"
        case ast.IfExp(test, body, orelse):
            return f"({expression(test)} ? {expression(body)} : {expression(orelse)})"
        case ast.Subscript(value, index):
            return f"{expression(value)}[{expression(index)}]"
        case ast.Call(ast.Name(name), args):
            return f"{'llabs' if name == 'abs' else name}({', '.join(map(expression, args))})"
    raise ValueError(f"no C for {ast.unparse(node)}")
