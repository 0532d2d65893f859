"""Variables for a torchrun that a program may start, which another system configures by variables."""

from __future__ import annotations

from typing import Any

from trainc.launchers.find_launchers import calls, shell_text
from trainc.span import Text
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.injected_env import expand_arguments, referenced_variables

SCRIPTS = (".sh", ".bash")


def variables_for_hidden_torchrun(
    command: TranslatedCommand, has_master: bool, single: bool, processes: str | int
) -> dict[str, str]:
    """Return the PET_ variables in terms of launch.basic's variables; {} if the program cannot hide a torchrun.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
    """
    if "basic" not in command.launch or not _may_hide_torchrun(command.run):
        return {}
    variables = {"PET_NPROC_PER_NODE": str(processes)}  # torchrun's default is 1
    if single:
        return variables
    variables = {"PET_NNODES": "$(WORLD_SIZE)", **variables}
    if has_master:
        variables["PET_NODE_RANK"] = "$(RANK)"
        variables |= {f"PET_{name}": f"$({name})" for name in ("MASTER_ADDR", "MASTER_PORT")}
    return variables


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
