"""Child: requests, answers, timeouts, limits, floods."""

from __future__ import annotations

import signal
import threading
from pathlib import Path

import pytest

from client.programs.child import Child
from client.programs.failure import Failure
from client.programs.limits import Limits
from tests.client.sample_programs import gone, script
from tests.waiting import TIMEOUT_S, until_blocking

QUICK = Limits(grace=0.1)


def start(children: list[Child], folder: Path, code: str, limits: Limits = QUICK) -> Child:
    child = Child(script(folder, code), folder, limits)
    children.append(child)
    return child


def failing(child: Child, seconds: float = TIMEOUT_S) -> Failure:
    with pytest.raises(Failure) as caught:
        child.ask(b"?", seconds)
    return caught.value


def test_request_and_answer(children: list[Child], tmp_path: Path) -> None:
    child = start(children, tmp_path, "for n in range(3): print(input() + str(n), flush=True)")
    assert [child.ask(b"a", TIMEOUT_S), child.ask(b"b", TIMEOUT_S), child.ask(b"c", TIMEOUT_S)] == ["a0", "b1", "c2"]
    assert child.close().status == 0
    assert child.given.kept() == b"a\nb\nc\n"


def test_output_before_the_request_is_not_an_answer(children: list[Child], tmp_path: Path) -> None:
    child = start(
        children,
        tmp_path,
        "print('welcome to my bot', flush=True)\nwhile 1: print(input() + '!\\nand more', flush=True)",
    )
    assert child.listen(TIMEOUT_S) == "welcome to my bot"
    assert child.ask(b"x", TIMEOUT_S) == "x!"
    until_blocking("extra lines are dropped", lambda: child.ask(b"y", TIMEOUT_S) == "y!")


def test_half_a_line_is_quoted_in_the_timeout(children: list[Child], tmp_path: Path) -> None:
    code = "import time\nprint(input(), flush=True)\nprint(input() + 'a4b3', end='', flush=True)\ntime.sleep(60)"
    child = start(children, tmp_path, code)
    assert child.ask(b"up?", TIMEOUT_S) == "up?"
    failure = failing(child, 1.5)
    assert failure.kind == "timeout"
    assert "'?a4b3' without ending the line" in str(failure)


def test_last_line_without_newline_counts_if_the_program_exits(children: list[Child], tmp_path: Path) -> None:
    child = start(children, tmp_path, "import sys\ninput(); sys.stdout.write('a4b3')")
    assert child.ask(b"?", TIMEOUT_S) == "a4b3"


def test_crash_reports_status_and_last_error(children: list[Child], tmp_path: Path) -> None:
    child = start(children, tmp_path, "input(); raise RuntimeError('out of ideas')")
    failure = failing(child)
    assert failure.kind == "exited"
    assert str(failure) == "no answer: it exited with status 1: RuntimeError: out of ideas"
    assert child.errors.text().endswith("RuntimeError: out of ideas\n")


def test_closed_output_is_reported_as_such(children: list[Child], tmp_path: Path) -> None:
    failure = failing(start(children, tmp_path, "import os, time\ninput(); os.close(1); time.sleep(600)"))
    assert (failure.kind, str(failure)) == ("exited", "no answer: it has closed its output")


def test_signal_is_named(children: list[Child], tmp_path: Path) -> None:
    failure = failing(start(children, tmp_path, "import os; input(); os.kill(os.getpid(), 11)"))
    assert str(failure) == "no answer: it was ended by SIGSEGV"


def test_program_that_ignores_sigterm_is_killed(children: list[Child], tmp_path: Path) -> None:
    code = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\nprint('up', flush=True)\nwhile 1: pass"
    child = start(children, tmp_path, code)
    child.listen(TIMEOUT_S)
    assert child.stop().status == -signal.SIGKILL


def test_stop_ends_the_whole_process_group(children: list[Child], tmp_path: Path) -> None:
    code = """
    import subprocess, sys, time
    child = subprocess.Popen([sys.executable, "-S", "-c", "import time; time.sleep(600)"])
    print(child.pid, flush=True)
    time.sleep(600)
    """
    child = start(children, tmp_path, code)
    grandchild = int(child.listen(TIMEOUT_S))
    assert not gone(grandchild)
    child.stop()
    until_blocking("the grandchild has exited too", lambda: gone(grandchild))


def test_memory_is_limited(children: list[Child], tmp_path: Path) -> None:
    code = "input()\nheap = []\nwhile 1: heap.append(bytearray(10_000_000))"
    child = start(children, tmp_path, code, Limits(grace=0.1, memory=200))
    assert failing(child).kind == "exited"
    assert "MemoryError" in child.errors.text()


def test_cpu_time_is_limited(children: list[Child], tmp_path: Path) -> None:
    child = start(children, tmp_path, "input()\nwhile 1: pass", Limits(grace=0.1, cpu=1))
    assert str(failing(child)) == (
        "no answer: it was ended by SIGXCPU (it used more than 1 s of CPU time: --cpu sets the limit)"
    )
    assert child.exit is not None
    assert 0.5 < child.exit.cpu < 2.5


def test_files_are_limited(children: list[Child], tmp_path: Path) -> None:
    code = "input()\nfile = open('big', 'wb')\nwhile 1: file.write(bytes(1_000_000))"
    assert failing(start(children, tmp_path, code, Limits(grace=0.1, file=3))).kind == "exited"
    assert (tmp_path / "big").stat().st_size <= 3 << 20


def test_cpu_time_is_measured_apart_from_wall_time(children: list[Child], tmp_path: Path) -> None:
    code = """
    import time
    while True:
        until = time.process_time() + float(input())
        while time.process_time() < until: pass
        print("done", flush=True)
    """
    child = start(children, tmp_path, code)
    child.ask(b"0", TIMEOUT_S)
    idle = child.cpu()
    child.ask(b"0.2", TIMEOUT_S)
    busy = child.cpu()
    if idle is not None and busy is not None:  # if the system tells
        assert 0.19 < busy - idle < 1
    assert child.close().cpu >= 0.2


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_flood_is_stopped_at_the_output_limit(children: list[Child], tmp_path: Path, stream: str) -> None:
    code = f"import sys\ninput()\nwhile 1: sys.{stream}.write('x' * 99999)"
    child = start(children, tmp_path, code, Limits(grace=0.1, output=2))
    assert failing(child, 20).kind == "flood"
    child.stop()
    assert len(child.said.kept()) <= 64 << 10
    assert len(child.errors.kept()) <= 64 << 10


def test_flood_between_requests_is_a_failure(
    children: list[Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("client.programs.child.MEGABYTE", 1000)  # less than a pipe holds
    child = start(children, tmp_path, "while 1: print('move ' * 100, flush=True)", Limits(grace=0.1, output=1000))
    assert child.listen(TIMEOUT_S).startswith("move")
    failures = []

    def asked() -> bool:
        try:
            child.ask(b"?", TIMEOUT_S)
        except Failure as failure:
            failures.append(failure.kind)
        return bool(failures)

    until_blocking("the flood is noticed", asked)
    assert failures == ["flood"]


def test_program_that_does_not_read_times_out(children: list[Child], tmp_path: Path) -> None:
    child = start(children, tmp_path, "import time; time.sleep(600)")
    with pytest.raises(Failure, match="no answer after"):
        child.ask(b"x" * 1_000_000, 0.2)


def test_program_that_closed_its_input_may_still_answer(children: list[Child], tmp_path: Path) -> None:
    child = start(children, tmp_path, "import sys, os\ninput()\nos.close(0)\nprint('yes', flush=True)")
    assert child.ask(b"?" * 500_000, TIMEOUT_S) == "yes"


def test_kill_from_another_thread_ends_a_request(children: list[Child], tmp_path: Path) -> None:
    child = start(children, tmp_path, "import time; time.sleep(600)")
    threading.Timer(0.05, child.kill).start()
    assert str(failing(child)) == "no answer: it was ended by SIGKILL"
    child.kill()  # does nothing now


def test_finish_reads_until_exit(children: list[Child], tmp_path: Path) -> None:
    child = start(children, tmp_path, "import sys\nfor line in sys.stdin: print(line.strip().upper())\nprint('end')")
    assert child.finish(b"a\nb\n", 20) == "A\nB\nend\n"
    assert child.close().status == 0


def test_program_without_input_reads_the_end_of_the_file(children: list[Child], tmp_path: Path) -> None:
    assert start(children, tmp_path, "import sys; print(repr(sys.stdin.read()))").finish(b"", 20) == "''\n"


def test_parlour_variables_are_not_passed_on(
    children: list[Child], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARLOUR_TOKEN", "secret")
    code = "import os; print([name for name in os.environ if 'PARLOUR' in name])"
    assert start(children, tmp_path, code).finish(b"", 20) == "[]\n"


def test_missing_folder_is_a_failed_start(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="cannot be started: No such file"):
        Child(["true"], tmp_path / "nowhere", QUICK)
