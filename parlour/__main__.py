"""The entry point of the `parlour` command. Ctrl-C ends it without a traceback, also during its imports."""

from __future__ import annotations

import signal


def main() -> int:
    """Run the command line and return the exit code.

    While modules are imported and after a Ctrl-C, SIGINT has its default action, which prints nothing. A process that
    was started with SIGINT ignored, such as a background job, keeps ignoring it.
    """
    interruptible = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from parlour.cli.main import main as run

    try:
        if interruptible:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        code = run()
    except KeyboardInterrupt:
        code = 130
    if code == 130 and interruptible:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return code


if __name__ == "__main__":
    raise SystemExit(main())
