"""Control of the running probe, through a file next to it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from trainc.rehearse.events import Program

_LENGTH = 512  # characters


class ProbeControl:
    """Copy of the probe in a directory of its own, with the file that it reads at every step.

    The file is overwritten in place and never changes its length, because pods see the directory through an overlay: a
    new file under the same name may not appear
    (https://docs.kernel.org/filesystems/overlayfs.html#changes-to-underlying-filesystems).
    """

    def __init__(self, folder: Path) -> None:
        self.program = Program(file=folder / "probe.py")
        self._file = folder / "control.json"
        self._settings: dict[str, Any] = {}
        shutil.copyfile(Path(__file__).with_name("probe.py"), self.program.file)
        self._file.write_text(" " * _LENGTH)
        self.set()

    def set(self, **settings: Any) -> None:
        """Change settings of the probe: finish, checkpoint_seconds, timeout (seconds), exit (rank and code)."""
        self._settings.update(settings)
        with self._file.open("r+", encoding="utf-8") as file:
            file.write(json.dumps(self._settings).ljust(_LENGTH))
