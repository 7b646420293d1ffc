from __future__ import annotations

import asyncio
import sys
from importlib.util import find_spec

import pytest

from runtime.event_loop import loop_factory, run_loop


def test_coroutine_is_run_to_its_end() -> None:
    async def work() -> str:
        await asyncio.sleep(0)
        return type(asyncio.get_running_loop()).__module__

    module = run_loop(work())
    assert module.startswith("uvloop" if find_spec("uvloop") else "asyncio")


def test_exception_is_raised() -> None:
    async def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        run_loop(fail())


def test_asyncio_is_used_without_uvloop(monkeypatch: pytest.MonkeyPatch) -> None:
    from asyncio.selector_events import _SelectorTransport  # type: ignore[attr-defined]

    monkeypatch.setitem(sys.modules, "uvloop", None)
    monkeypatch.setattr(_SelectorTransport, "max_size", 256 * 1024)
    assert loop_factory() is None
    assert _SelectorTransport.max_size == 16 * 1024
