from __future__ import annotations

import asyncio
from typing import Any

from runtime.tasks import BackgroundTasks


async def test_task_is_kept_while_it_runs() -> None:
    tasks, gate = BackgroundTasks(), asyncio.Event()

    async def wait() -> None:
        await gate.wait()

    tasks.start(wait())
    (task,) = tasks
    gate.set()
    await task
    await asyncio.sleep(0)  # the callbacks of the task
    assert list(tasks) == []


async def test_expected_exception_ends_a_task_quietly() -> None:
    tasks = BackgroundTasks(ValueError)

    async def fail() -> None:
        raise ValueError

    tasks.start(fail())
    (task,) = tasks
    await task


async def test_other_exceptions_are_reported() -> None:
    reports: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda loop, report: reports.append(report))
    tasks = BackgroundTasks(ValueError)

    async def fail() -> None:
        raise KeyError("unexpected")

    tasks.start(fail())
    await asyncio.wait(tasks)
    await asyncio.sleep(0)
    assert [repr(report["exception"]) for report in reports] == ["KeyError('unexpected')"]


async def test_task_cancelled_before_its_first_step_leaves_no_warning() -> None:
    tasks = BackgroundTasks()
    tasks.start(asyncio.sleep(3600))
    (task,) = tasks
    task.cancel()
    await asyncio.wait({task})
    await asyncio.sleep(0)
    assert list(tasks) == []


async def test_cancel_ends_all_tasks() -> None:
    tasks, ended = BackgroundTasks(), list[str]()

    async def wait(name: str) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(name)

    for name in ("first", "second"):
        tasks.start(wait(name))
    await asyncio.sleep(0)  # the tasks begin
    await tasks.cancel()
    assert sorted(ended) == ["first", "second"]
