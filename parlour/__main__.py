"""The entry point of the `parlour` command. Ctrl-C ends it without a traceback, also during its imports."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` imports `enum`, which takes longer than all of this
import sys

TYPE_CHECKING = False  # true for type checkers
if TYPE_CHECKING:
    from types import FrameType, TracebackType

INTERRUPTIBLE = _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler


def interrupt(number: int, frame: FrameType | None) -> None:
    """Raise KeyboardInterrupt. While a module is loaded, end the process: an interrupted extension may crash later.

    Other functions of importlib can be interrupted. `find_spec`, for example, only looks whether a module is installed.
    """
    while frame is not None:
        code = frame.f_code
        if code.co_name == "_find_and_load" and code.co_filename.startswith("<frozen importlib"):
            _signal.signal(number, _signal.SIG_DFL)
            _signal.raise_signal(number)
        frame = frame.f_back
    raise KeyboardInterrupt


def report(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print the traceback of an exception, unless it is a Ctrl-C that came while another was handled."""
    if not issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, error, trace)


def report_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Print an exception that cannot be raised, unless it is a Ctrl-C, for example in a callback of an import."""
    if not issubclass(unraisable.exc_type, KeyboardInterrupt):
        sys.__unraisablehook__(unraisable)


def main() -> int:
    """Run the command line and return the exit code.

    While modules are imported and after a Ctrl-C, SIGINT ends the process, which prints nothing. A process that was
    started with SIGINT ignored, such as a background job, keeps ignoring it.
    """
    from parlour.cli.main import main as run

    try:
        if INTERRUPTIBLE:
            _signal.signal(_signal.SIGINT, interrupt)
        code = run()
    except KeyboardInterrupt:
        code = 130
    if code == 130 and INTERRUPTIBLE:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    return code


if INTERRUPTIBLE:  # at once: a script that calls `main` has to import more before it does
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    sys.excepthook, sys.unraisablehook = report, report_unraisable

if __name__ == "__main__":
    raise SystemExit(main())
