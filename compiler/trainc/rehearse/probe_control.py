"""What the probe is told while it runs, by a file beside it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from trainc.rehearse.events import Program

_ROOM = 512  # characters


class ProbeControl:
    """The probe in a folder of its own, with the file that it reads at every step.

    The file is written over in place and always as long, because the folder is seen through an overlay: a new file
    under its name need not show (https://docs.kernel.org/filesystems/overlayfs.html#changes-to-underlying-filesystems).
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._wants: dict[str, Any] = {}
        shutil.copyfile(Path(__file__).with_name("probe.py"), folder / "probe.py")
        (folder / "control.json").write_text(" " * _ROOM)
        self.tell()

    @property
    def program(self) -> Program:
        """The probe, as the stage takes it."""
        return Program(file=self.folder / "probe.py")

    def tell(self, **wants: Any) -> None:
        """Tell the probe something more: finish, save and timeout (seconds), exit (rank and code)."""
        self._wants.update(wants)
        text = json.dumps(self._wants).ljust(_ROOM)
        with open(self.folder / "control.json", "r+", encoding="utf-8") as file:
            file.write(text)
