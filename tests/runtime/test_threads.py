from __future__ import annotations

import asyncio
import subprocess
import sys
import threading

import pytest

from runtime.threads import in_thread
from tests.waiting import TIMEOUT_S


async def test_result_is_returned() -> None:
    name = await in_thread(lambda: threading.current_thread().name)
    assert name != threading.current_thread().name


async def test_exception_is_raised() -> None:
    def fail() -> None:
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await in_thread(fail)


@pytest.mark.parametrize("error", [StopIteration("x"), TimeoutError("x"), KeyboardInterrupt("x")])
async def test_exception_with_a_meaning_for_asyncio_is_wrapped(error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(RuntimeError, match=f"{type(error).__name__} x") as caught:
        await in_thread(fail)
    assert caught.value.__cause__ is error


async def test_idle_thread_is_used_again() -> None:
    first = await in_thread(threading.get_ident)
    async with asyncio.timeout(TIMEOUT_S):
        while await in_thread(threading.get_ident) != first:  # the thread becomes idle after its result is delivered
            pass


async def test_cancelled_work_is_ignored_when_it_ends() -> None:
    started, gate, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        gate.wait()
        ended.set()

    future = in_thread(work)
    started.wait()
    future.cancel()
    gate.set()
    ended.wait()
    await in_thread(lambda: None)  # the loop has received both results
    assert future.cancelled()


def test_running_thread_does_not_delay_the_exit() -> None:
    code = """
import asyncio, threading
from runtime.threads import in_thread
async def main():
    in_thread(threading.Event().wait)
asyncio.run(main())
"""
    subprocess.run([sys.executable, "-c", code], timeout=TIMEOUT_S, check=True)
