"""Entry point of `trainc` and `python -m trainc`."""

from __future__ import annotations

import gc
import os
import sys

from trainc.typenames import NoReturn


def main() -> None:
    """Run the command line; never ends with a traceback unless --debug asks for one."""
    if not os.path.isdir(os.path.dirname(__file__)):  # schemas and pages are files
        sys.stderr.write("error: trainc cannot run inside a zip archive: install it, or use pex or shiv to unpack it\n")
        sys.exit(2)
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are imported
        code = 130
    _exit(code)


def run(arguments: list[str]) -> int:
    """Run a command line in a process of its own, and return its exit code."""
    # Garbage collection costs 4 % of a cold start and frees nothing useful. The threshold leaves it on for inputs with
    # thousands of errors, which jsonschema links in cycles.
    gc.set_threshold(200_000)
    from trainc.cli.guard import guarded
    from trainc.source import parser

    parser.is_program = True
    return guarded(arguments)


def _exit(code: int) -> NoReturn:
    """End the process, without destroying all objects first if nothing depends on it: that is 9 % of a cold start."""
    if not {"atexit", "threading"} & sys.modules.keys():
        try:
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
            os._exit(code)
        except (OSError, ValueError):  # Python tries again, and exits with 120
            pass
    gc.disable()  # no collection at exit
    sys.exit(code)


if __name__ == "__main__":
    main()
