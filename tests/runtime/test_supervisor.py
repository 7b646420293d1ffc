"""Supervisor with real child processes."""

from __future__ import annotations

import asyncio
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator

import pytest

from runtime.backoff import Backoff
from runtime.supervisor import Supervisor
from tests.waiting import TIMEOUT_S

GRACE_S = 20.0
UNTIL_INPUT_ENDS = "import sys; sys.stdin.read()"
DEAF = "import time; print('ready', flush=True); time.sleep(3600)"


class Children:
    """Starts Python programs, the last of them again and again, and records what the supervisor reports."""

    def __init__(self) -> None:
        self.programs = [UNTIL_INPUT_ENDS]
        self.started: list[Process] = []
        self.exits: list[tuple[Process, float]] = []
        self.failures: list[str] = []
        self.reports: asyncio.Queue[str] = asyncio.Queue()

    async def spawn(self) -> Process:
        program = self.programs.pop(0) if len(self.programs) > 1 else self.programs[0]
        if program == "missing":
            return await asyncio.create_subprocess_exec("/missing/python")
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, stdin=PIPE, stdout=PIPE)
        self.started.append(process)
        self.reports.put_nowait("started")
        return process

    def exited(self, process: Process, delay: float) -> None:
        self.exits.append((process, delay))
        self.reports.put_nowait("exited")

    def failed(self, error: Exception, delay: float) -> None:
        self.failures.append(str(error))
        self.reports.put_nowait("failed")

    async def expect(self, *reports: str) -> None:
        async with asyncio.timeout(TIMEOUT_S):
            assert [await self.reports.get() for _ in reports] == list(reports)


@pytest.fixture
async def children() -> AsyncIterator[Children]:
    children = Children()
    yield children
    for process in children.started:
        if process.returncode is None:
            process.kill()
        await process.communicate()
    assert all(process.returncode is not None for process in children.started)


def supervise(children: Children, backoff: Backoff | None = None, **options: object) -> Supervisor[Process]:
    options = {"on_exit": children.exited, "on_failure": children.failed, "grace_s": GRACE_S, **options}
    return Supervisor(children.spawn, backoff or Backoff(0.001, 0.002), **options)  # type: ignore[arg-type]


async def test_child_is_restarted_when_it_exits(children: Children) -> None:
    supervisor = supervise(children)
    await supervisor.start()
    first = supervisor.child
    assert first is not None
    first.kill()
    await children.expect("started", "exited", "started")
    assert children.exits[0][0] is first
    assert first.returncode == -9
    assert supervisor.child is children.started[1]
    await supervisor.stop()


async def test_stop_closes_standard_input_and_starts_no_successor(children: Children) -> None:
    supervisor = supervise(children)
    await supervisor.start()
    await supervisor.stop()
    assert [process.returncode for process in children.started] == [0]
    assert supervisor.child is None
    assert children.exits == []


async def test_stop_kills_a_child_that_ignores_its_input(children: Children) -> None:
    children.programs = [DEAF]
    supervisor = supervise(children)
    await supervisor.start()
    process = children.started[0]
    assert process.stdout is not None
    await process.stdout.readline()
    await supervisor.stop(grace_s=0.0)
    assert process.returncode == -9


async def test_stopped_supervisor_can_start_again(children: Children) -> None:
    supervisor = supervise(children)
    await supervisor.start()
    await supervisor.stop()
    await supervisor.start()
    assert supervisor.child is children.started[1]
    await supervisor.stop()
    assert [process.returncode for process in children.started] == [0, 0]


async def test_stop_during_the_delay_starts_no_successor(children: Children) -> None:
    children.programs = ["pass"]
    supervisor = supervise(children, Backoff(3600.0, 3600.0))
    await supervisor.start()
    await children.expect("started", "exited")
    await supervisor.stop()
    assert len(children.started) == 1


async def test_stop_without_start_does_nothing(children: Children) -> None:
    await supervise(children).stop()


async def test_delays_grow_while_children_exit_at_once(children: Children) -> None:
    children.programs = ["pass"]
    supervisor = supervise(children, Backoff(0.001, 1.0))
    await supervisor.start()
    await children.expect(*["started", "exited"] * 4)
    await supervisor.stop()
    delays = [delay for _, delay in children.exits]
    assert delays[3] > delays[0]
    for number, delay in enumerate(delays):
        assert 0.0005 * 2**number <= delay <= 0.001 * 2**number


async def test_healthy_child_resets_the_delay(children: Children) -> None:
    children.programs = ["pass"]
    supervisor = supervise(children, Backoff(0.001, 1.0), healthy_after_s=0.0)
    await supervisor.start()
    await children.expect(*["started", "exited"] * 4)
    await supervisor.stop()
    assert max(delay for _, delay in children.exits) <= 0.001


async def test_first_start_raises_its_failure(children: Children) -> None:
    children.programs = ["missing"]
    supervisor = supervise(children)
    with pytest.raises(FileNotFoundError):
        await supervisor.start()
    assert children.failures == []


async def test_failed_restart_is_reported_and_tried_again(children: Children) -> None:
    children.programs = ["pass", "missing", UNTIL_INPUT_ENDS]
    supervisor = supervise(children)
    await supervisor.start()
    await children.expect("started", "exited", "failed", "started")
    assert "No such file" in children.failures[0]
    await supervisor.stop()


async def test_failed_start_in_the_background_is_tried_again(children: Children) -> None:
    children.programs = ["missing", UNTIL_INPUT_ENDS]
    supervisor = supervise(children)
    supervisor.start_soon()
    await children.expect("failed", "started")
    await supervisor.stop()
    assert [process.returncode for process in children.started] == [0]


async def test_start_waits_until_the_child_is_ready(children: Children) -> None:
    async def first_line(process: Process) -> None:
        assert process.stdout is not None
        lines.append(await process.stdout.readline())

    lines: list[bytes] = []
    children.programs = [f"print('listening', flush=True); {UNTIL_INPUT_ENDS}"]
    supervisor = supervise(children, wait_ready=first_line)
    await supervisor.start()
    assert lines == [b"listening\n"]
    await supervisor.stop()


async def test_child_that_does_not_become_ready_is_ended(children: Children) -> None:
    async def refuse(process: Process) -> None:
        raise ValueError("not ready")

    supervisor = supervise(children, wait_ready=refuse)
    with pytest.raises(ValueError, match="not ready"):
        await supervisor.start()
    assert [process.returncode for process in children.started] == [0]
    assert supervisor.child is None


async def test_stop_ends_a_child_that_is_not_ready_yet(children: Children) -> None:
    async def never(process: Process) -> None:
        await asyncio.Event().wait()

    supervisor = supervise(children, wait_ready=never)
    starting = asyncio.create_task(supervisor.start())
    await children.expect("started")
    starting.cancel()
    await asyncio.wait({starting})
    await supervisor.stop()
    assert [process.returncode for process in children.started] == [0]
