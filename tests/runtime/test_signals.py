from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator

import pytest

from runtime.signals import calls_on_exit_signal, exit_signals

Ignore = Callable[[signal.Signals], None]


@pytest.fixture
def ignore() -> Iterator[Ignore]:
    """Ignore signals until the end of the test, as a parent process does for its children."""
    before: dict[signal.Signals, object] = {}

    def begin(number: signal.Signals) -> None:
        before[number] = signal.signal(number, signal.SIG_IGN)

    yield begin
    for number, handler in before.items():
        signal.signal(number, handler)  # type: ignore[arg-type]


def test_three_signals_end_a_process() -> None:
    assert exit_signals() == [signal.SIGTERM, signal.SIGINT, signal.SIGHUP]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
async def test_ignored_signal_stays_ignored(ignore: Ignore, number: signal.Signals) -> None:
    ignore(number)
    received: asyncio.Queue[signal.Signals] = asyncio.Queue()
    with calls_on_exit_signal(received.put_nowait):
        os.kill(os.getpid(), number)
        os.kill(os.getpid(), signal.SIGTERM)
        assert await received.get() == signal.SIGTERM
    assert received.empty()
    assert signal.getsignal(number) is signal.SIG_IGN


async def test_sigterm_works_even_if_it_was_ignored(ignore: Ignore) -> None:
    ignore(signal.SIGTERM)
    received: asyncio.Queue[signal.Signals] = asyncio.Queue()
    with calls_on_exit_signal(received.put_nowait):
        os.kill(os.getpid(), signal.SIGTERM)
        assert await received.get() == signal.SIGTERM


async def test_handlers_are_removed_after_the_block() -> None:
    with calls_on_exit_signal(print):
        assert signal.getsignal(signal.SIGTERM) not in (signal.SIG_DFL, signal.SIG_IGN)
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_DFL
    assert signal.getsignal(signal.SIGINT) == signal.default_int_handler


async def test_another_thread_ignores_signals() -> None:
    async def enter() -> bool:
        with calls_on_exit_signal(print):
            return True

    assert await asyncio.to_thread(asyncio.run, enter())
