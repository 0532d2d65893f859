"""Whatever happens, the user sees one clear line and a documented exit code."""

from __future__ import annotations

import sys

from trainc.cli.streams import abandon, to_stderr

OK, WRONG_INPUT, USAGE = 0, 1, 2
INTERRUPTED = 130


def guarded(arguments: list[str]) -> int:
    """Run the commands; returns the exit code."""
    from trainc.cli.app import app

    try:
        return app(arguments[0] if arguments else "")(arguments, prog_name="trainc", standalone_mode=False) or OK
    except SystemExit as done:
        if isinstance(done.__context__, BrokenPipeError):  # which Typer answers with 1, as if a job were wrong
            return _cant_write(done.__context__)
        return done.code if isinstance(done.code, int) else OK  # the shell's completion
    except KeyboardInterrupt:
        return INTERRUPTED
    except Exception as problem:
        show = getattr(problem, "show", None)
        if show is not None:  # a usage error of Click's, which knows how to say what is wrong
            show()
            return USAGE
        if "--debug" in arguments:
            raise
        return _cant_write(problem) if isinstance(problem, OSError) else _bug(problem)


def _cant_write(problem: OSError) -> int:
    abandon(sys.stdout)
    name = f": {problem.filename}" if problem.filename else ""
    reason = f"{(problem.strerror or str(problem)).lower()}{name}"
    if isinstance(problem, BrokenPipeError):
        reason = "the reader of the output went away before all of it was written"
    _say("TC9002", reason)
    return USAGE


def _bug(problem: Exception) -> int:
    _say("TC9001", f"trainc failed: {type(problem).__name__}: {problem}")
    to_stderr("  = help: this is a bug; please report it with the job and the output of --debug\n")
    return USAGE


def _say(code: str, message: str) -> None:
    to_stderr(f"error[{code}]: {' '.join(message.split())}\n")
