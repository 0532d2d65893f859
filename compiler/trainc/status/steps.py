"""Steps that a status suggests."""

from __future__ import annotations

from trainc.record import Record


class Step(Record):
    """Next step; the command, and the lines of YAML to write into a file, are empty if it has none."""

    message: str
    command: str = ""
    yaml: str = ""
