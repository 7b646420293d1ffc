from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path

import pytest

from client.bots.main import ConnectionSettings, run, run_until_signal
from client.sdk.bot import Bot
from tests.waiting import TIMEOUT_S


def test_credentials_file_is_not_used_with_a_token_or_an_empty_path(tmp_path: Path) -> None:
    assert ConnectionSettings(token="t", state=tmp_path / "s.json").credentials("x") is None
    assert ConnectionSettings(state=Path()).credentials("x") is None
    assert ConnectionSettings(state=tmp_path / "s.json").credentials("x") is not None


async def test_signal_cancels_the_work() -> None:
    cleaned_up = False

    async def work() -> None:
        nonlocal cleaned_up
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(60)
        finally:
            cleaned_up = True

    await asyncio.wait_for(run_until_signal(work(), with_stdin=False), TIMEOUT_S)
    assert cleaned_up


async def test_cancelled_caller_cancels_the_work() -> None:
    started, cancelled = asyncio.Event(), asyncio.Event()

    async def work() -> None:
        started.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            cancelled.set()
            raise

    task = asyncio.create_task(run_until_signal(work(), with_stdin=False))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cancelled.is_set()


@pytest.mark.parametrize(
    ("settings", "text"),
    [
        ({"games": 0}, "parlour: a bot plays at least one game: games and concurrent must be 1 or more"),
        ({"concurrent": 0}, "games and concurrent must be 1 or more"),
        ({"seek": "chess"}, "there is no game 'chess'"),
        ({"seek": "conga", "clock": "5m"}, "'5m' is not a valid clock"),
        ({"url": "not a url"}, "'not a url' is not a server address"),
    ],
)
def test_mistake_is_one_sentence_and_status_2(
    settings: dict[str, object], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as caught:
        run(Bot, **settings)  # type: ignore[arg-type]
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert text in error
    assert error.count("\n") == 1
