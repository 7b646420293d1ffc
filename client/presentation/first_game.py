"""Whether somebody plays here for the first time, so that they are told how."""

from __future__ import annotations

from runtime.paths import state_folder


def first_game() -> bool:
    """Asked once, it is so no more. Where nothing can be kept every game is the first."""
    mark = state_folder() / "has-played"
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch(exist_ok=False)
    except FileExistsError:
        return False
    except OSError:
        return True
    return True
