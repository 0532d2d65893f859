"""Variables of torchrun that another system sets, for a program that names them or may start torchrun itself."""

from __future__ import annotations

import re
from typing import Any

from trainc.commandline.shell import shell_text
from trainc.launchers.find_launchers import calls
from trainc.span import Text
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.injected_env import expand_arguments, referenced_variables

SCRIPTS = (".sh", ".bash")


def variables_for_hidden_torchrun(
    command: TranslatedCommand, has_master: bool, single: bool, processes: str | int
) -> dict[str, str]:
    """Return the PET_ variables in terms of launch.basic's variables: those that the program's words name, and all if
    the program may hide a torchrun.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
    """
    if "basic" not in command.launch:
        return {}
    variables = {"PET_NNODES": "$(WORLD_SIZE)", "PET_NPROC_PER_NODE": str(processes)}  # torchrun's default is 1
    if has_master:
        variables["PET_NODE_RANK"] = "$(RANK)"
        variables |= {f"PET_{name}": f"$({name})" for name in ("MASTER_ADDR", "MASTER_PORT")}
    words = (word for words in command.run.values() for word in words)
    # For the kubelet, a shell, or a program in an argument.
    names = {name for word in words for name in re.findall(r"\bPET_\w+", word)}
    if _may_hide_torchrun(command.run):
        names |= {"PET_NPROC_PER_NODE"} if single else {*variables}
    return {name: value for name, value in variables.items() if name in names}


def _may_hide_torchrun(run: dict[str, Any]) -> bool:
    """Return whether the program is an image's entrypoint, an executable, or a shell script that starts a script."""
    if "entrypoint" in run:
        return True
    words: list[Text] = run.get("exec", [])
    line = expand_arguments(words, {})
    if not line or calls(line, plugins=True):
        return False
    script = shell_text(line)
    if script is None:
        return not line[0].text.rpartition("/")[2].startswith("python")
    reads_pet = any(name.startswith("PET_") for name in referenced_variables(words))
    return reads_pet or any(word.strip("\"';&|()").endswith(SCRIPTS) for word in script.text.split())
