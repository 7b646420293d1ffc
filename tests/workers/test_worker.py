"""What a worker learns of the end of its parent process."""

from __future__ import annotations

import os
from pathlib import Path

from server.config import Settings
from server.workers.spec import WorkerSpec, stopping_mark
from server.workers.worker import parent_was_killed


def test_end_of_the_pipe_without_a_mark_means_that_the_parent_was_killed(tmp_path: Path) -> None:
    spec = WorkerSpec(Settings(), 0, 1, "node", str(tmp_path), [], False, 0)
    stdin, parent = os.pipe()
    assert not parent_was_killed(spec, stdin)
    os.close(parent)
    assert parent_was_killed(spec, stdin)
    stopping_mark(spec.folder).touch()
    assert not parent_was_killed(spec, stdin)
    os.close(stdin)
