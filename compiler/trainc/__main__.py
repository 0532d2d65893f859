"""Entry point of `trainc` and `python -m trainc`."""

from __future__ import annotations

import gc
import sys


def main() -> None:
    """Run the command line; never ends with a traceback unless --debug asks for one."""
    # A compilation is over before a collection pays: the collector costs 4 % of a cold start.
    gc.disable()
    try:
        from trainc.cli.guard import guarded

        code = guarded(sys.argv[1:])
    except KeyboardInterrupt:  # while modules are imported
        code = 130
    sys.exit(code)


if __name__ == "__main__":
    main()
