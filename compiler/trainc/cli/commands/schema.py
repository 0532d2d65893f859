"""Options of `trainc schema`."""

from __future__ import annotations


def command() -> int:
    """Print the JSON Schema (draft-07) of job files, for editors."""
    from trainc.cli.exit_codes import OK
    from trainc.cli.streams import to_stdout
    from trainc.schema.bundle import bundled

    to_stdout(bundled())
    return OK
