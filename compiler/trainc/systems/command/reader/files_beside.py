"""Scripts next to a script, which it starts: `srun bash train.sh`."""

from __future__ import annotations

import os

from trainc.commandline.word import Word
from trainc.launchers.script_files import script_path
from trainc.span import Source
from trainc.well_known import MAX_ARGUMENT


def script_beside(source: Source, words: list[Word]) -> Source | None:
    """Return the script in a file that a command line starts; None unless it is below the directory of `source`.

    A relative path is that of the directory in which sbatch was called, where batch scripts usually are.
    """
    path = script_path(words)
    if path is None or not path.known or not source.is_file or os.path.isabs(path.text) or "\0" in path.text:
        return None
    folder = os.path.dirname(source.name)
    base, file = (os.path.realpath(each) for each in (folder or os.curdir, os.path.join(folder, path.text)))
    if os.path.commonpath([base, file]) != base or not os.path.isfile(file):
        return None
    try:
        with open(file, "rb") as stream:
            text = stream.read(MAX_ARGUMENT + 1).decode()
    except (OSError, UnicodeDecodeError):
        return None
    name = os.path.normpath(os.path.join(folder, path.text))
    return Source(name, text) if len(text) <= MAX_ARGUMENT and "\0" not in text else None
