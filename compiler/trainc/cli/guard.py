"""Whatever happens, the user sees one clear line and a documented exit code."""

from __future__ import annotations

import os
import sys

OK, WRONG_INPUT, USAGE = 0, 1, 2
INTERRUPTED = 130


def guarded(arguments: list[str]) -> int:
    """Run the commands; returns the exit code."""
    from trainc.cli.app import app

    debug = "--debug" in arguments
    try:
        app(arguments, prog_name="trainc", standalone_mode=True)
    except SystemExit as done:
        return done.code if isinstance(done.code, int) else OK if done.code is None else USAGE
    except BrokenPipeError:
        # Nothing more can reach the reader; without this Python complains once more when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        _say("TC9002", "the reader of the output went away before all of it was written")
        return USAGE
    except OSError as problem:
        if debug:
            raise
        name = f": {problem.filename}" if problem.filename else ""
        _say("TC9002", f"{(problem.strerror or str(problem)).lower()}{name}")
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as problem:
        if debug:
            raise
        _say("TC9001", f"trainc failed: {type(problem).__name__}: {problem}")
        sys.stderr.write("  = help: this is a bug; please report it with the job and the output of --debug\n")
        return USAGE
    return OK


def _say(code: str, message: str) -> None:
    sys.stderr.write(f"error[{code}]: {message}\n")
