"""Advice to import the command that another one, such as srun, starts."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from trainc.commandline.shell import SHELLS, Variables, shell_text
from trainc.commandline.word import Word
from trainc.launchers.find_launchers import calls
from trainc.secrets.text import redact
from trainc.systems.command.reader import slurm
from trainc.systems.command.reader.slurm_options import is_batch_script, strip_srun
from trainc.systems.command.reader.words import spelling

_MAX_SHOWN = 200  # characters of a command in a help
# Options of horovodrun, and those of mpirun that are the same: https://horovod.readthedocs.io/en/stable/mpi.html
_HOROVOD = {
    **dict.fromkeys(("-np", "--num-proc"), "-np"),
    **dict.fromkeys(("-H", "--hosts"), "-H"),
    **dict.fromkeys(("-hostfile", "--hostfile"), "--hostfile"),
}


def import_command(words: tuple[Word, ...], env: Variables, start: Word | None) -> str | None:
    """Return the advice to import the command that starts at a word; None if nothing is known about it."""
    name, source = words[0].text.rpartition("/")[2], words[0].span.source if words[0].span else None
    shell = next((at for at, word in enumerate(words) if word.text.rpartition("/")[2] in SHELLS), None)
    is_slurm = name == "srun" or (source is not None and is_batch_script(source.text))
    text = shell_text(words[shell:]) if shell is not None and start is None else None
    at = words.index(start) if start is not None else len(words) if shell is None else shell
    if start is None and not is_slurm:
        return None
    has_launcher = text is not None or bool(calls(words[at:], env))
    stripped = strip_srun(words) if name == "srun" else None
    values = slurm.settings(source.text, has_launcher, stripped[0] if stripped else ()) if source is not None else []
    options = " ".join(f"--set {each}" for each in ("spec.image=IMAGE", *values))
    if start is not None:
        prefix = ["mpirun", *_mpirun_options(words[1:at])] if name == "horovodrun" else []
        command = " ".join([*prefix, *map(spelling, words[at:])])
    elif text is not None and text.known:
        command = text.text.strip()
    else:
        return f"run `trainc import command {options} -- COMMAND` with the command that {name} starts"
    if len(command) > _MAX_SHOWN or redact(command) != command:
        return f"pass only the command from `{spelling(start)}` on" if start is not None else None
    return f"run `trainc import command {options} -- {shlex.quote(command)}`"


def _mpirun_options(words: Sequence[Word]) -> Iterator[str]:
    """Yield the options of mpirun that say the same as those of horovodrun."""
    for at, word in enumerate(words):
        flag, equals, value = word.text.partition("=")
        if flag in _HOROVOD:
            yield from (_HOROVOD[flag], value if equals else "".join(map(spelling, words[at + 1 : at + 2])))
