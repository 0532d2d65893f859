"""Objects of Kubernetes' own that train: they may as well migrate a database or serve a model."""

from __future__ import annotations

import re

from trainc.commandline.shell import shell_text
from trainc.commandline.word import words
from trainc.launchers.find_launchers import calls
from trainc.launchers.registry import MENTIONS, VARIABLE_PREFIXES
from trainc.source.node import Mapping, Scalar, mappings, scalar_text
from trainc.span import Text
from trainc.systems.shared.reader.pod_trees import command_words, containers_of
from trainc.systems.shared.reader.tree import child
from trainc.well_known import JOB_LABEL

WORLD_VARIABLES = ("MASTER_ADDR", "WORLD_SIZE", "RANK", "NODE_RANK")
_LAUNCHER_VARIABLES = tuple(VARIABLE_PREFIXES.values())
_PYTHON = re.compile(r"(?:^|[\s/])python[0-9.]*\s")
# A script or module whose name says so: train.py, fsdp_pretrain.py, finetune.main.
_TRAINS = re.compile(r"(?<![A-Za-z])(?:pre)?(?:train|trainer|training|finetune|fine_tune|sft|dpo|ddp|fsdp)(?![a-z])")
_DEVICES = re.compile(r"gpu|mig-|tpu|neuron|habana|npu|dcu", re.IGNORECASE)


def trains(document: Mapping, completes: bool) -> bool:
    """Return whether an object's pods train: as a job of trainc's, by a launcher, variables of a world or a program.

    A GPU is a sign only of what `completes`: without end a program serves. The pods of an object that a controller
    owns are that controller's.
    """
    owners = mappings(child(document, "metadata", "ownerReferences"))
    if any(scalar_text(owner.get("controller")) == "true" for owner in owners):
        return False
    template = child(document, "spec", "template")
    pod = template if isinstance(template, Mapping) else document
    if scalar_text(child(pod, "metadata", "labels", JOB_LABEL)):
        return True
    return any(_trains(each, completes) for each in containers_of(pod))


def _trains(container: Mapping, completes: bool) -> bool:
    line = words([Text(word.text, word.span) for word in command_words(container) if isinstance(word, Scalar)])
    names = [scalar_text(variable.get("name")) for variable in mappings(container.get("env"))]
    if any(name in WORLD_VARIABLES or name.startswith(_LAUNCHER_VARIABLES) for name in names):
        return True
    if calls(line, plugins=True):
        return True
    if not completes:
        return False
    script = shell_text(line)
    program = " ".join(word.text for word in line) if script is None else script.text
    resources = child(container, "resources", "limits")
    devices = resources.entries if isinstance(resources, Mapping) else ()
    if any(name in program for name in MENTIONS):
        return True
    is_python = not line or _PYTHON.search(program) is not None
    return is_python and (any(map(_DEVICES.search, devices)) or bool(line and _TRAINS.search(program)))
