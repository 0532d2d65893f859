"""Client of the probe: its settings, through a file next to it, and the events that it prints (probe.py)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from trainc.record import Record
from trainc.rehearse.events import Event, Program

_LENGTH = 512  # characters of the settings
_PREFIX = '{"probe": '


class ProbeControl:
    """Copy of the probe in a directory of its own, with the file that it reads at every step.

    The file is overwritten in place and never changes its length, because pods see the directory through an overlay: a
    new file under the same name may not appear
    (https://docs.kernel.org/filesystems/overlayfs.html#changes-to-underlying-filesystems).
    """

    def __init__(self, folder: Path, driver: Path | None = None) -> None:
        """Copy the probe, and the program that starts it if that is no launcher of processes."""
        self.program = Program(file=folder / ("driver.py" if driver else "probe.py"))
        self._file = folder / "control.json"
        self._settings: dict[str, Any] = {}
        parts = [folder / name for name in ("probe.py", "jax_group.py")]
        for part in parts:
            shutil.copyfile(Path(__file__).with_name(part.name), part)
        if driver:
            shutil.copyfile(driver, self.program.file)
            parts.append(self.program.file)
        self._file.write_text(" " * _LENGTH)
        for file in (*parts, self._file):
            file.chmod(0o644)  # pods run as other users
        self.set()

    def set(self, **settings: Any) -> None:
        """Change settings of the probe: finish, checkpoint_seconds, timeout (seconds), exit (rank and code)."""
        self._settings.update(settings)
        with self._file.open("r+", encoding="utf-8") as file:
            file.write(json.dumps(self._settings).ljust(_LENGTH))


class ProbeEvent(Record):
    """One line of one rank. `kind` is started, world, step, sigterm, saving, saved, failed, exiting, done, ..."""

    at: float
    pod: str
    kind: str
    rank: int | None
    fields: dict[str, Any]

    def number(self, name: str) -> int | None:
        """Return an integer field; None if it is missing or not an integer."""
        value = self.fields.get(name)
        return value if isinstance(value, int) else None

    def text(self, name: str) -> str:
        """Return a string field; empty if it is missing or not a string."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""


def parse_probe_event(event: Event) -> ProbeEvent | None:
    """Parse a line of output; None if the probe didn't print it. A launcher may have put a prefix before it."""
    if event.kind != "line":
        return None
    start = event.text.find(_PREFIX)
    if start < 0:
        return None
    try:
        fields, _ = json.JSONDecoder().raw_decode(event.text[start:])
    except ValueError:
        return None
    rank = fields.get("rank")
    return ProbeEvent(
        at=event.at,
        pod=event.pod,
        kind=str(fields["probe"]),
        rank=rank if isinstance(rank, int) else None,
        fields=fields,
    )
