"""A PyTorchJob's program that can't be looked into: a torchrun in it must find what the operator tells one."""

from __future__ import annotations

from typing import Any

from trainc.launchers.find_launchers import calls, shell_text
from trainc.span import Text
from trainc.systems.shared.reader.command import TranslatedCommand
from trainc.systems.shared.reader.expansion import expand_arguments, referenced_variables

SCRIPT = (".sh", ".bash")


def variables_for_hidden_torchrun(
    begun: TranslatedCommand, master: bool, alone: bool, each: str | int
) -> dict[str, str]:
    """The operator's variables for torchrun, in terms of launch.basic's; {} where no torchrun can be hidden.

    https://github.com/kubeflow/training-operator/blob/release-1.9/pkg/controller.v1/pytorch/envvar.go
    """
    if "basic" not in begun.launch or not _hidden(begun.run):
        return {}
    if alone:
        return {"PET_NPROC_PER_NODE": str(each)}  # torchrun's default is one
    found = {"PET_NNODES": "$(WORLD_SIZE)", "PET_NPROC_PER_NODE": str(each)}
    if master:
        found |= {"PET_NODE_RANK": "$(RANK)", "PET_MASTER_ADDR": "$(MASTER_ADDR)", "PET_MASTER_PORT": "$(MASTER_PORT)"}
    return found


def _hidden(run: dict[str, Any]) -> bool:
    """An image's entrypoint, a program that is no launcher, and a shell's text that starts a script."""
    if "entrypoint" in run:
        return True
    typed: list[Text] = run.get("exec", [])
    line = expand_arguments(typed, {})
    if not line or calls(line):
        return False
    text = shell_text(line)
    if text is None:
        return not line[0].text.rpartition("/")[2].startswith("python")
    asked = any(name.startswith("PET_") for name in referenced_variables(typed))
    return asked or any(word.strip("\"';&|()").endswith(SCRIPT) for word in text.text.split())
